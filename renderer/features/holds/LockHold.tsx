import { useStore } from 'zustand'
import { holdsForMaintenance } from '../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import type { Lock } from '../../../shared/locks.ts'
import { holdsStore } from '../../state/holds.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import type { Inspected } from '../../state/view.ts'
import { Icon } from '../../ui/Icon.tsx'
import { Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { factsOf, HoldActions, HoldCountdown } from './HoldCard.tsx'
import styles from './Holds.module.css'

type Props = { readonly target: Inspected; readonly lock: Pick<Lock, 'owner'> }

/** In the inspector: the maintenance hold of this lock. */
export function LockHold({ target: { storeId, id }, lock }: Props) {
  const hold = useStore(holdsStore, state => state.byRow.get(rowIdOf(storeId, id)))
  const other = holdsForMaintenance(lock.owner)
  const words = t.holds
  if (!hold && other === null) return null
  return (
    <section className={`${panelStyles.panel} ${styles.lock}`} aria-label={words.ours}>
      <h3>
        <Icon name="hold" /> {words.ours}
        {hold && <HoldCountdown hold={hold} />}
      </h3>
      {hold ? (
        <>
          <p className={styles.reason}>{shownText(hold.reason, 600)}</p>
          <p className={`muted ${styles.facts}`}>{factsOf(hold).join(' · ')}</p>
          {hold.problem !== null && (
            <Notice role="status">
              {hold.mode === 'renewed' && `${words.problem} `}
              {sentence(hold.problem)}
            </Notice>
          )}
          <HoldActions hold={hold} />
        </>
      ) : (
        <p>{words.others(shownText(other ?? '', 120))}</p>
      )}
    </section>
  )
}

/** In the table: marks a maintenance hold. */
export function HoldBadge({
  hold,
  owner,
}: {
  readonly hold: MaintenanceHold | undefined
  readonly owner: string | null
}) {
  const other = holdsForMaintenance(owner)
  if (!hold && other === null) return null
  const title = hold
    ? t.holds.badgeOurs(shownText(hold.reason, 300))
    : t.holds.badgeOthers(shownText(other ?? '', 120))
  return (
    <span className={styles.badge} data-ours={hold !== undefined || undefined} title={title}>
      {t.holds.badge}
    </span>
  )
}
