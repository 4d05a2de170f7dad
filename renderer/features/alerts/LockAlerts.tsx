import { useStore } from 'zustand'
import { alertSentence } from '../../../shared/alert-words.ts'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { type Inspected, openDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import styles from './Alerts.module.css'
import { Acknowledged, acknowledgeOne, Steps } from './GroupCard.tsx'
import { SEVERITY_ICON, SeverityMark } from './SeverityMark.tsx'

const NONE: readonly Alert[] = []

/** In the inspector: what is warned of about this lock, and what to do about it. */
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
            <Button onClick={() => openDialog({ kind: 'mute', alertId: alert.alertId })}>{words.mute}</Button>
          </div>
        </article>
      ))}
    </section>
  )
}

/** In a row of the table: that there is something, and what. The row tells the rest when it is chosen. */
export function RowAlertMark({ alerts }: { readonly alerts: readonly Alert[] }) {
  const [first] = alerts
  if (!first) return null
  const title = t.alerts.rowMark(alerts.map(({ rule }) => RULES[rule].title))
  const severe = alerts.find(({ severity }) => severity === 'critical') ?? first
  return (
    <span
      role="img"
      aria-label={title}
      className={styles.rowMark}
      data-severity={severe.severity}
      data-seen={alerts.every(({ acknowledged }) => acknowledged !== null) || undefined}
      title={title}
    >
      <Icon name={severe.severity === 'critical' ? 'bell' : SEVERITY_ICON[severe.severity]} size={12} />
    </span>
  )
}
