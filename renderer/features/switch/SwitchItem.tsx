import { useStore } from 'zustand'
import { SWITCH_STEPS, type SwitchRun } from '../../../shared/switch.ts'
import { consoleStore } from '../../state/console.ts'
import { switchStore, underWay } from '../../state/switch.ts'
import { show, viewStore } from '../../state/view.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { NavItem } from '../../ui/NavItem.tsx'
import { t } from '../../words/words.ts'
import styles from './Switch.module.css'

/** In the list of views once there is something to switch between, or a switch to look at. */
export function SwitchItem() {
  const stores = useStore(consoleStore, state => state.entries.length)
  const runs = useStore(switchStore, state => state.runs)
  const isShown = useStore(viewStore, state => state.view === 'switch')
  if (stores < 2 && runs.length === 0 && !isShown) return null
  return (
    <NavItem current={isShown && 'page'} onClick={() => show('switch')}>
      <span>{t.switch.nav}</span>
      <Mark runs={underWay(runs)} />
    </NavItem>
  )
}

/** How far the one that is under way is. */
function Mark({ runs: [first, ...others] }: { readonly runs: readonly SwitchRun[] }) {
  if (!first) return null
  const words = t.switch
  return (
    <span className={`${badgeStyles.badge} number ${styles.navMark}`} title={words.navTitle}>
      <span className="visually-hidden">{words.navTitle}</span>{' '}
      {others.length > 0
        ? words.navMany(others.length + 1)
        : words.navMark(SWITCH_STEPS.indexOf(first.step) + 1, SWITCH_STEPS.length)}
    </span>
  )
}
