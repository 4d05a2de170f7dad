import { useStore } from 'zustand'
import { alertsStore } from '../../state/alerts.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { t } from '../../words/words.ts'

/** How many go on, at the left. Those that nobody has acknowledged are what counts. */
export function AlertCount() {
  const { open, unacknowledged } = useStore(alertsStore)
  if (open === 0) return null
  return (
    <span
      className={`number ${badgeStyles.badge}`}
      data-tone={unacknowledged > 0 ? 'danger' : undefined}
      title={t.alerts.countTitle(open, unacknowledged)}
    >
      {t.number(unacknowledged > 0 ? unacknowledged : open)}
    </span>
  )
}
