import { createStore } from 'zustand/vanilla'
import { HOUR_MS } from '../../shared/duration.ts'
import { endedEarly } from '../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../shared/holds.ts'
import type { Failure } from '../../shared/result.ts'
import { client, consoleStore } from './console.ts'
import { rowIdOf } from './lock-book.ts'

export type HoldsState = {
  readonly holds: readonly MaintenanceHold[]
  /** Whether the list has arrived. */
  readonly known: boolean
  readonly error: Failure | null
  /** Why the list may be incomplete. */
  readonly notice: string | null
  /** Holds with a lock, by the row of the lock. */
  readonly byRow: ReadonlyMap<string, MaintenanceHold>
  /** Losses that the operator has dismissed. */
  readonly dismissed: ReadonlySet<string>
}

export const holdsStore = createStore<HoldsState>(() => ({
  holds: [],
  known: false,
  error: null,
  notice: null,
  byRow: new Map(),
  dismissed: new Set(),
}))

export function startHolds(): void {
  consoleStore.subscribe((now, before) => {
    if (now.link === 'up' && before.link !== 'up') follow()
  })
}

function follow(): void {
  client.open(
    'holds.watch',
    {},
    ({ holds, notice }) =>
      holdsStore.setState({ holds, notice, byRow: byRowOf(holds), known: true, error: null }),
    result => holdsStore.setState({ error: result.ok ? null : result.error }),
  )
}

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

export function byRowOf(holds: readonly MaintenanceHold[]): ReadonlyMap<string, MaintenanceHold> {
  const rows = new Map<string, MaintenanceHold>()
  for (const hold of holds) {
    const { storeId, lockId, state } = hold
    if (state === 'held' && storeId !== null && lockId !== null) rows.set(rowIdOf(storeId, lockId), hold)
  }
  return rows
}
