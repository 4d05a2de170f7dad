import { useStore } from 'zustand'
import { alertSentence } from '../../../shared/alert-words.ts'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import type { Inspected } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { SeverityMark } from './AlertMarks.tsx'
import styles from './Alerts.module.css'
import { Acknowledged, acknowledgeOne, muteOne, Steps } from './GroupCard.tsx'

const NONE: readonly Alert[] = []

/** In the inspector: the alerts about this lock, and what to do about them. */
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
