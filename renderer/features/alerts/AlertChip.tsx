import { useStore } from 'zustand'
import { alertsStore } from '../../state/alerts.ts'
import { table } from '../../state/table.ts'
import { show } from '../../state/view.ts'
import chipStyles from '../../ui/Chip.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { t } from '../../words/words.ts'
import styles from './Alerts.module.css'
import { openIn } from './alert-groups.ts'

/** Above the table: how many alerts go on for what it shows, and the way to them. */
export function AlertChip() {
  const scope = useStore(table, state => state.scope)
  const open = useStore(alertsStore, state => openIn(state, scope))
  if (open === 0) return null
  return (
    <button
      type="button"
      className={`${chipStyles.chip} ${chipStyles.plain} ${styles.chip}`}
      onClick={() => show('alerts')}
    >
      <Icon name="bell" size={12} /> {t.alerts.chip(open)}
    </button>
  )
}
