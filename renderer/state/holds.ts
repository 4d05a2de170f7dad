import { HOUR_MS } from '../../shared/duration.ts'
import { endedEarly } from '../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../shared/holds.ts'
import { rowIdOf } from './lock-book.ts'
import { type Streamed, streamed } from './stream.ts'

type Holds = {
  readonly holds: readonly MaintenanceHold[]
  /** Why the list may be incomplete. */
  readonly notice: string | null
  /** Holds with a lock, by the row of the lock. */
  readonly byRow: ReadonlyMap<string, MaintenanceHold>
  /** Losses that the operator has dismissed. */
  readonly dismissed: ReadonlySet<string>
}
type HoldsState = Streamed<Holds>

export const holdsStore = streamed<'holds.watch', Holds>(
  'holds.watch',
  { holds: [], notice: null, byRow: new Map(), dismissed: new Set() },
  event => ({ ...event, byRow: byRowOf(event.holds) }),
)

export function goingOn(holds: readonly MaintenanceHold[]): MaintenanceHold[] {
  return holds.filter(({ state }) => state !== 'ended')
}

/** A loss is shown for this long unless dismissed, so that an operator sees it after a break. */
const SHOW_LOSS_MS = 12 * HOUR_MS

export function lossesToTell({ holds, dismissed }: HoldsState, now: number): MaintenanceHold[] {
  return holds.filter(
    hold => endedEarly(hold) && now - (hold.ended?.at ?? 0) < SHOW_LOSS_MS && !dismissed.has(hold.holdId),
  )
}

export function dismissLoss(holdId: string): void {
  holdsStore.setState(({ dismissed }) => ({ dismissed: new Set(dismissed).add(holdId) }))
}

export function byRowOf(holds: readonly MaintenanceHold[]): Holds['byRow'] {
  const rows = new Map<string, MaintenanceHold>()
  for (const hold of holds) {
    const { storeId, lockId, state } = hold
    if (state === 'held' && storeId !== null && lockId !== null) rows.set(rowIdOf(storeId, lockId), hold)
  }
  return rows
}
