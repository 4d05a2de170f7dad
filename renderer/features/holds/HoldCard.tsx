import { useId } from 'react'
import { useStore } from 'zustand'
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { holdsForMaintenance } from '../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'
import type { Lock } from '../../../shared/locks.ts'
import type { Result } from '../../../shared/result.ts'
import { useNow } from '../../state/clock.ts'
import { ask } from '../../state/console.ts'
import { holdsStore } from '../../state/holds.ts'
import { rowIdOf } from '../../state/lock-book.ts'
import { type Inspected, inspect } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import styles from './Holds.module.css'

/** A current hold with its reason, operator and time left. */
export function HoldCard({ hold }: { readonly hold: MaintenanceHold }) {
  const titleId = useId()
  const words = t.holds
  const { storeId, lockId, key, state, storeName, problem } = hold
  const name = shownText(key, 200)
  return (
    <li
      className={styles.card}
      data-state={state}
      data-problem={problem !== null || undefined}
      aria-labelledby={titleId}
    >
      <header className={styles.head}>
        <span className={styles.state}>
          <Icon name={state === 'waiting' ? 'half' : 'hold'} /> {words.states[state]}
        </span>
        <h2 id={titleId} className={`mono ${styles.key}`}>
          {storeId !== null && lockId !== null ? (
            <Button
              look="link"
              aria-label={words.inspect(name)}
              onClick={() => inspect({ storeId, id: lockId })}
            >
              {name}
            </Button>
          ) : (
            name
          )}
        </h2>
        <span className="muted clip">{shownText(storeName, 80)}</span>
        <HoldCountdown hold={hold} />
        <HoldActions hold={hold} />
      </header>
      <HoldFacts hold={hold} />
    </li>
  )
}

function HoldFacts({ hold }: { readonly hold: MaintenanceHold }) {
  const { reason, state, mode, problem } = hold
  return (
    <>
      <p className={styles.reason}>{shownText(reason, 600)}</p>
      <p className={`muted ${styles.facts}`}>{factsOf(hold).join(' · ')}</p>
      {problem !== null && (
        <Notice role="status">
          {state === 'held' && mode === 'renewed' && `${t.holds.problem} `}
          {sentence(problem)}
        </Notice>
      )}
    </>
  )
}

function HoldCountdown({ hold: { state, until, waitsUntil } }: { readonly hold: MaintenanceHold }) {
  const now = useNow()
  const end = state === 'waiting' ? waitsUntil : until
  if (end === null) return null
  return (
    <span className={`number ${styles.left}`} title={t.holds.until(end)}>
      {t.holds.left(end - now)}
    </span>
  )
}

function factsOf(hold: MaintenanceHold): string[] {
  const words = t.holds
  const { state, until, waitsUntil, other } = hold
  return [
    ...(state === 'waiting' && other !== null ? [words.heldBy(shownText(other, 120))] : []),
    ...(state === 'waiting' && waitsUntil !== null ? [words.waitsUntil(waitsUntil)] : []),
    ...(state === 'held' && until !== null ? [words.until(until)] : []),
    words.modes[hold.mode],
    words.by(shownText(hold.by, 80)),
    ...(hold.elsewhere ? [words.elsewhere] : []),
  ]
}

const LONGER_MS = [15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS]

/** Extends or releases a hold. A success shows in the list, a failure here. */
function HoldActions({ hold }: { readonly hold: MaintenanceHold }) {
  const { holdId, key, state } = hold
  const { working, error, run } = useRequest((send: () => Promise<Result<unknown>>) => send())
  const words = t.holds
  if (state === 'ended') return null
  return (
    <div className={styles.actions}>
      {state === 'held' && (
        <Menu
          label={words.extendOf(shownText(key, 80))}
          className={styles.extend}
          items={LONGER_MS.map(forMs => ({
            label: words.extendBy(forMs),
            run: () => run(() => ask('holds.extend', { holdId, forMs })),
          }))}
        >
          {words.extend}
        </Menu>
      )}
      <Button disabled={working} onClick={() => run(() => ask('holds.release', { holdId }))}>
        {working ? words.working : state === 'waiting' ? words.stopWaiting : words.release}
        <span className="visually-hidden"> {shownText(key, 80)}</span>
      </Button>
      <ErrorNotice what={error?.uncertain ? words.uncertain : words.notDone} error={error} />
    </div>
  )
}

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
          <HoldFacts hold={hold} />
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
