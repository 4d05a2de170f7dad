import type { Input } from '../../../shared/contract.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, parseDuration } from '../../../shared/duration.ts'
import { type HoldMode, LONGEST_HOLD_MS, SHORTEST_HOLD_MS } from '../../../shared/holds.ts'
import { stateAt } from '../../../shared/lease.ts'
import type { Lock } from '../../../shared/locks.ts'

export const DURATIONS = {
  quarter: 15 * MINUTE_MS,
  half: 30 * MINUTE_MS,
  hour: HOUR_MS,
  shift: 4 * HOUR_MS,
} as const
export type DurationName = keyof typeof DURATIONS | 'own'

export const WAITS = {
  short: 10 * MINUTE_MS,
  long: HOUR_MS,
  shift: 4 * HOUR_MS,
  day: DAY_MS,
} as const
export type WaitName = keyof typeof WAITS

/** The form as filled in so far. */
export type HoldDraft = {
  readonly storeId: string
  readonly key: string
  /** Empty for the format that fits the key. */
  readonly format: string
  readonly howLong: DurationName
  readonly own: string
  readonly mode: HoldMode
  readonly waits: boolean
  readonly waitFor: WaitName
  readonly reason: string
  readonly typed: string
}

export function newDraft(given: Partial<HoldDraft>): HoldDraft {
  const time = { howLong: 'half', own: '', mode: 'renewed', waits: true, waitFor: 'long' } as const
  return { storeId: '', key: '', format: '', reason: '', typed: '', ...time, ...given }
}

/** Null for an invalid time. */
export function forMsOf({ howLong, own }: Pick<HoldDraft, 'howLong' | 'own'>): number | null {
  const ms = howLong === 'own' ? parseDuration(own.trim()) : DURATIONS[howLong]
  return ms !== null && Number.isSafeInteger(ms) && ms >= SHORTEST_HOLD_MS && ms <= LONGEST_HOLD_MS
    ? ms
    : null
}

/** Whether the lock is held, so that a hold has to wait. */
export function isTaken(current: Lock | null, now: number): boolean {
  if (current === null) return false
  const state = stateAt(current, now)
  return state !== 'expired' && state !== 'released'
}

export function requestOf(
  draft: HoldDraft,
  { taken, production, revision }: { taken: boolean; production: boolean; revision: number | undefined },
): Input<'holds.take'> | null {
  const forMs = forMsOf(draft)
  if (forMs === null) return null
  const { storeId, key, mode, format, typed } = draft
  return {
    storeId,
    key,
    forMs,
    mode,
    reason: draft.reason.trim(),
    ...(format === '' ? {} : { format }),
    ...(taken && draft.waits ? { waitMs: WAITS[draft.waitFor] } : {}),
    ...(production ? { confirm: typed } : {}),
    ...(revision === undefined ? {} : { revision }),
  }
}
