import { useId, useState } from 'react'
import { useStore } from 'zustand'
import { alertAdvice, alertSentence, alertsSentence } from '../../../shared/alert-words.ts'
import { type Alert, comparesStores, RULES } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { useNow } from '../../state/clock.ts'
import { book } from '../../state/console.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { lookForName } from '../../state/table.ts'
import { type Inspected, inspect, openDialog, showTimeline } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import { SeverityMark } from './AlertMarks.tsx'
import styles from './Alerts.module.css'
import type { AlertGroup } from './alert-groups.ts'

const SHOWN = 5

type Props = {
  readonly group: AlertGroup
  /** Expands the advice, which the first group of a rule does. */
  readonly advises: boolean
}

/** The alerts of one rule in one store, with advice. */
export function GroupCard({ group, advises }: Props) {
  const titleId = useId()
  const now = useNow()
  const [all, setAll] = useState(false)
  const { rule, severity, storeId, storeName, alerts, unacknowledged, count, since } = group
  const [first] = alerts as readonly [Alert, ...Alert[]]
  const listed = first.lockId === null ? [] : all ? alerts : alerts.slice(0, SHOWN)
  const words = t.alerts
  return (
    <li className={styles.card} data-severity={severity} data-seen={unacknowledged === 0 || undefined}>
      <header className={styles.head}>
        <SeverityMark severity={severity} />
        <h2 id={titleId}>{RULES[rule].title}</h2>
        <span className="muted clip">{shownText(storeName, 80)}</span>
        <span className="muted number">
          {first.lockId !== null && `${words.locks(count)} · `}
          {words.since(since, now - since)}
        </span>
        <span className={styles.actions}>
          <Button
            aria-describedby={titleId}
            disabled={unacknowledged === 0}
            onClick={() =>
              openDialog({ kind: 'acknowledge', count: unacknowledged, what: { group: { rule, storeId } } })
            }
          >
            {words.acknowledge}
          </Button>
          <Button aria-describedby={titleId} onClick={() => muteOne(first)}>
            {words.mute}
          </Button>
        </span>
      </header>
      <div className={styles.body}>
        <div className={styles.what}>
          <p className={styles.sentence}>
            {sentence(count > 1 ? alertsSentence(rule, count, storeName) : alertSentence(first))}
          </p>
          {listed.length > 0 && (
            <ul aria-label={words.affected}>
              {listed.map(alert => (
                <AlertLine key={alert.alertId} alert={alert} now={now} alone={count === 1} />
              ))}
            </ul>
          )}
          {!all && alerts.length > SHOWN && (
            <Button look="link" onClick={() => setAll(true)}>
              {words.showAll(alerts.length)}
            </Button>
          )}
          {count > alerts.length && <p className="faint">{words.unlisted(count - alerts.length)}</p>}
          {first.lockId === null && <Acknowledged alert={first} />}
        </div>
        <Steps alert={first} open={advises && unacknowledged > 0} />
      </div>
    </li>
  )
}

export function Steps({ alert, open }: { readonly alert: Alert; readonly open: boolean }) {
  return (
    <details className={styles.next} open={open}>
      <summary>{t.alerts.next}</summary>
      <ol>
        {alertAdvice(alert).map(step => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </details>
  )
}

function acknowledgeOne({ alertId }: Alert): void {
  openDialog({ kind: 'acknowledge', count: 1, what: { alertIds: [alertId] } })
}

function muteOne({ alertId }: Alert): void {
  openDialog({ kind: 'mute', alertId })
}

export function Acknowledged({ alert: { acknowledged } }: { readonly alert: Alert }) {
  if (!acknowledged) return null
  const { by, reason, at } = acknowledged
  return (
    <p className={styles.acknowledged}>
      <Icon name="check" size={12} /> {t.alerts.acknowledged(shownText(by, 60), shownText(reason, 300), at)}
    </p>
  )
}

/** The lock's name without prefix: both stores have the same. */
function nameOf({ storeId, lockId, key }: Alert): string {
  return book.rows.get(rowIdOf(storeId, lockId ?? ''))?.lock.name ?? key ?? ''
}

type LineProps = { readonly alert: Alert; readonly now: number; readonly alone: boolean }

function AlertLine({ alert, now, alone }: LineProps) {
  const { storeId, lockId, holder, since, count, acknowledged } = alert
  const key = shownText(alert.key ?? lockId ?? '', 200)
  const words = t.alerts
  return (
    <li className={styles.line}>
      <div className={styles.lineTop}>
        <Button
          look="link"
          className="mono clip"
          title={key}
          onClick={() => lockId !== null && inspect({ storeId, id: lockId })}
        >
          {key}
        </Button>
        {holder !== null && <span className="muted clip">{shownText(holder, 80)}</span>}
        <span className="faint number">
          {words.alertSince(now - since)}
          {count > 1 && ` · ${words.times(count)}`}
        </span>
        {comparesStores(alert.rule) && (
          <Button look="link" className={styles.timeline} onClick={() => lookForName(nameOf(alert))}>
            {t.switch.trouble.compare}
          </Button>
        )}
        {lockId !== null && (
          <Button
            look="link"
            className={styles.timeline}
            aria-label={words.timelineOf(key)}
            onClick={() => showTimeline({ storeId, id: lockId })}
          >
            {t.inspector.timeline}
          </Button>
        )}
        {!alone && (
          <Menu
            label={words.actions(key)}
            className={styles.menu}
            items={[
              ...(acknowledged ? [] : [{ label: words.acknowledge, run: () => acknowledgeOne(alert) }]),
              { label: words.mute, run: () => muteOne(alert) },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      </div>
      <Acknowledged alert={alert} />
    </li>
  )
}

const NONE: readonly Alert[] = []

/** In the inspector: the alerts of a lock, with advice. */
export function LockAlerts({ target: { storeId, id } }: { readonly target: Inspected }) {
  const alerts = useStore(alertsStore, state => state.byRow.get(rowIdOf(storeId, id)) ?? NONE)
  const words = t.alerts
  if (alerts.length === 0) return null
  return (
    <section className={`${panelStyles.panel} ${styles.lock}`} aria-label={words.title}>
      {alerts.map(alert => (
        <article key={alert.alertId} aria-label={RULES[alert.rule].title}>
          <h3>
            <SeverityMark severity={alert.severity} /> {RULES[alert.rule].title}
          </h3>
          <p>{sentence(alertSentence(alert))}</p>
          <Acknowledged alert={alert} />
          <Steps alert={alert} open={alert.severity === 'critical'} />
          <div className={styles.actions}>
            {alert.acknowledged === null && (
              <Button onClick={() => acknowledgeOne(alert)}>{words.acknowledge}</Button>
            )}
            <Button onClick={() => muteOne(alert)}>{words.mute}</Button>
          </div>
        </article>
      ))}
    </section>
  )
}
