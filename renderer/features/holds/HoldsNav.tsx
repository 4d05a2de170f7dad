import { useStore } from 'zustand'
import { goingOn, holdsStore } from '../../state/holds.ts'
import { show, viewStore } from '../../state/view.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { NavItem } from '../../ui/NavItem.tsx'
import { t } from '../../words/words.ts'

/** Shown without holds too, because it leads to making one. */
export function HoldsNav() {
  const holds = useStore(holdsStore, state => state.holds)
  const view = useStore(viewStore, state => state.view)
  const going = goingOn(holds).length
  return (
    <NavItem current={view === 'holds' && 'page'} onClick={() => show('holds')}>
      <span>{t.holds.nav}</span>
      {going > 0 && (
        <span className={`number ${badgeStyles.badge}`} title={t.holds.countTitle(going)}>
          {t.number(going)}
        </span>
      )}
    </NavItem>
  )
}
