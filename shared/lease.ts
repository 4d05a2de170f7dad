import { DAY_MS, MINUTE_MS } from './duration.ts'
import type { Lease, Lock, LockState, Watched } from './locks.ts'
import type { Counted } from './stats.ts'

/** A lease is `expiring` once this much of it is used. */
export const EXPIRING_FRACTION = 0.8

/** The largest time a Date can carry; past it toISOString throws. */
const MAX_TIME = 8.64e15

/** Longer leases are implausible, and shown as such. */
const PLAUSIBLE_LEASE_MS = 3650 * DAY_MS

/** Earlier deadlines are implausible: seconds were stored where milliseconds are meant. */
const PLAUSIBLE_SINCE = 946_684_800_000

type Timed = Pick<Lock, 'lease' | 'acquiredAt'>

export function isRepresentable(time: number): boolean {
  return Number.isFinite(time) && Math.abs(time) <= MAX_TIME
}

export function isPlausibleDeadline(expiresAt: number, now: number): boolean {
  return isRepresentable(expiresAt) && expiresAt >= PLAUSIBLE_SINCE && expiresAt - now < PLAUSIBLE_LEASE_MS
}

/** Whether a lock can have been acquired then. A time before 2000 is in another unit, or wrong. */
export function isPlausibleBeginning(at: number, now: number): boolean {
  return isRepresentable(at) && at >= PLAUSIBLE_SINCE && at <= now + MINUTE_MS
}

/** Null without a deadline, or if it is NaN, which cannot be sorted. */
export function expiresAtOf(lease: Lease): number | null {
  return lease.kind === 'deadline' && !Number.isNaN(lease.expiresAt) ? lease.expiresAt : null
}

/** Positive until the deadline. `now` is the store's time, never the local clock's. */
export function remainingMs(lock: Timed, now: number): number | null {
  const expiresAt = expiresAtOf(lock.lease)
  // Adding zero turns -0 into 0.
  return expiresAt === null ? null : Math.ceil(expiresAt - now) + 0
}

/** How much of the lease is used, 0 to 1, or null when its length is not known. */
export function usedFraction(lock: Timed, now: number): number | null {
  const expiresAt = expiresAtOf(lock.lease)
  if (expiresAt === null || lock.acquiredAt === null || expiresAt <= lock.acquiredAt) return null
  const used = (now - lock.acquiredAt) / (expiresAt - lock.acquiredAt)
  return Number.isNaN(used) ? null : Math.min(1, Math.max(0, used))
}

export function stateAt(lock: Timed, now: number): LockState {
  switch (lock.lease.kind) {
    case 'released':
      return 'released'
    case 'unknown':
      return 'unknown'
    case 'deadline': {
      const expiresAt = expiresAtOf(lock.lease)
      if (expiresAt === null) return 'unknown'
      if (expiresAt <= now) return lock.lease.afterwards
      const used = usedFraction(lock, now)
      return used !== null && used >= EXPIRING_FRACTION ? 'expiring' : 'held'
    }
    case 'never':
    case 'session':
    case 'heartbeat':
      return 'held'
  }
}

/**
 * Whether the deadline passed after the record was last read. The holder may have renewed in time: only the next read tells.
 */
export function isUnconfirmed(lock: Pick<Lock, 'lease' | 'observedAt'>, now: number): boolean {
  const expiresAt = expiresAtOf(lock.lease)
  return expiresAt !== null && lock.observedAt < expiresAt && expiresAt <= now
}

/** Whether all holders write the same value, so that a renewal looks like a new holder. */
export function holdersLookAlike(lock: { readonly notes?: Lock['notes'] }): boolean {
  return lock.notes?.some(note => note.code === 'weak-fence') === true
}

/**
 * Since when the present owner has held it; without `exact`, at least since then. Many systems update the stored acquisition time
 * with each renewal, and a time computed from a TTL always moves: an earlier observation takes precedence.
 */
export function heldSinceOf(
  lock: Pick<Lock, 'acquiredAt' | 'acquiredAtSource'> & {
    readonly watched?: Watched
    readonly notes?: Lock['notes']
  },
): { at: number; exact: boolean } | null {
  const { acquiredAt, acquiredAtSource } = lock
  // A renewal may have been a new holder, so earlier observations do not count.
  const doubtful = holdersLookAlike(lock) && (lock.watched?.renewals ?? 0) > 0
  const watched = doubtful ? undefined : lock.watched
  if (acquiredAt === null || Number.isNaN(acquiredAt))
    return watched === undefined ? null : { at: watched.heldSince, exact: false }
  if (watched !== undefined && watched.heldSince < acquiredAt) return { at: watched.heldSince, exact: false }
  return { at: acquiredAt, exact: acquiredAtSource === 'stored' || acquiredAtSource === 'token' }
}

/**
 * Start of the present lease; null if unknown. A renewal often leaves the recorded acquisition time unchanged, so a lock that is
 * renewed for a day would always seem near its end: an observed renewal takes precedence.
 */
export function leaseBeginOf(
  { acquiredAt, watched }: Pick<Lock, 'acquiredAt'> & { readonly watched: Watched },
  now: number,
): number | null {
  if (watched.lastRenewedAt !== null) return watched.lastRenewedAt
  return acquiredAt !== null && isPlausibleBeginning(acquiredAt, now) ? acquiredAt : null
}

/** The state as of the last read: a deadline that passed since then proves nothing. */
export function knownStateAt(lock: Timed & Pick<Lock, 'observedAt'>, now: number): LockState {
  return stateAt(lock, isUnconfirmed(lock, now) ? lock.observedAt : now)
}

/** How a lock counts in statistics: by its state, or apart if it has no expiry. */
export function countedAs(lock: Timed & Pick<Lock, 'observedAt'>, now: number): Counted {
  const state = knownStateAt(lock, now)
  return state === 'held' && lock.lease.kind === 'never' ? 'endless' : state
}

/**
 * When the server drops a key whose recorded lease has ended. Until then the server refuses the lock to every program,
 * and the holder, whose clock is behind, may still be working: the lock is shown as expired, with both times, and counts as held.
 */
export function refusedUntil(
  lock: Timed & Pick<Lock, 'observedAt' | 'deadlines'>,
  now: number,
): number | null {
  if (knownStateAt(lock, now) !== 'expired') return null
  return lock.deadlines.find(({ source, at }) => source === 'ttl' && at > now)?.at ?? null
}

/**
 * Whether a program may rely on the lock, from everything read so far; `now` is the store's time. An unknown end counts as
 * held: calling such a lock free could start a second run beside a live holder. So does a deadline that passed after the last read,
 * because the holder may have renewed in time.
 */
export function isHeld(lock: Timed & Pick<Lock, 'observedAt' | 'deadlines'>, now: number): boolean {
  const state = knownStateAt(lock, now)
  return (state !== 'expired' && state !== 'released') || refusedUntil(lock, now) !== null
}

/** The lowest needs attention first: expired, without expiry, over 80 % used, held, unknown, released. */
export function attentionRank(lock: Timed & Pick<Lock, 'observedAt'>, now: number): number {
  const state = knownStateAt(lock, now)
  if (state === 'expired') return 0
  if (lock.lease.kind === 'never') return 1
  return { expiring: 2, held: 3, unknown: 4, released: 5 }[state]
}

/**
 * Sorts by attention, then by deadline; without one, by age. Two tables can have the same key, so the id comes last and keeps the
 * order stable.
 */
export function byAttention(now: number): (a: Lock, b: Lock) => number {
  return (a, b) =>
    attentionRank(a, now) - attentionRank(b, now) ||
    compare(expiresAtOf(a.lease) ?? Infinity, expiresAtOf(b.lease) ?? Infinity) ||
    compare(orLast(a.acquiredAt), orLast(b.acquiredAt)) ||
    compare(a.key, b.key) ||
    compare(a.id, b.id)
}

/** Texts in code-unit order, which depends on no locale. No subtraction: Infinity - Infinity is NaN. */
export function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function orLast(time: number | null): number {
  return time === null || Number.isNaN(time) ? Infinity : time
}

export function isoTime(time: number | null): string | null {
  return time === null || !isRepresentable(time) ? null : new Date(time).toISOString()
}

const TIMES = /^(at|since|until|asOf)$|(At|Since|Until)$/

/** For JSON: every time, by the name of its field, in ISO 8601. Not for data of a store, which has any names. */
export function withIsoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      TIMES.test(name) && typeof each === 'number' ? isoTime(each) : withIsoTimes(each),
    ]),
  )
}
