import { MINUTE_MS } from '../../../../shared/duration.ts'
import {
  expiresAtOf,
  heldSinceOf,
  isHeld,
  isPlausibleBeginning,
  isRepresentable,
  refusedUntil,
} from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Arrival, Remaining, SideNow } from '../../../../shared/switch.ts'
import { isMaintenance } from '../alerts/held-names.ts'
import { countLocks } from '../stats/figures.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'

export type Sighting = {
  readonly what: Arrival['what'] | 'found'
  readonly lock: WatchedLock
  /** The time of the poll; of a lock that was found, the time in its record if that is reliable. */
  readonly at: number
  /** The lock was certainly not acquired before; -Infinity if that is unknown. */
  readonly notBefore: number
}

/** `left` counts all records of locks, held or expired. */
export type SideCounts = Pick<SideNow, 'held' | 'holds' | 'expired' | 'noExpiry'> & {
  readonly left: number | null
}

/** Allowed difference between the clock that wrote a record and the one that recorded a step. */
export const MARGIN_MS = 5000
const MOST_ARRIVALS = 50
const MOST_REMAINING = 200
const FAR_AWAY_MS = 10 * MINUTE_MS
/** The longest rest of a watcher after reading a large store. */
const LONGEST_REST_MS = 10_000

/**
 * The observations of one side of a switch. Times are this machine's. Time in which the store could not be read counts for
 * nothing: `watchedSince` starts again after it.
 */
export class SideFacts {
  status: SideNow['status'] = 'closed'
  error: Failure | null = null
  watchedSince: number | null = null
  lastPassAt: number | null = null
  /** The last acquisition or renewal. */
  lastArrivalAt: number | null = null
  lastAcquiredAt: number | null = null
  /** When a worker last held a lock. */
  lastHeldAt: number | null = null
  /** Newest first. */
  arrivals: readonly Arrival[] = []
  locks: ReadonlyMap<string, WatchedLock> = new Map()
  offsetMs: number | null = null
  /** The store's time at the last poll. */
  #serverTime = 0
  #tookMs = 0
  /** Counting a large store takes a while: it is done once for each poll. */
  #counted: SideCounts | null = null
  #remaining: { readonly quietMs: number; readonly locks: Remaining[] } | null = null

  sightings(events: readonly LockEvent[], now: number): Sighting[] {
    return events.flatMap(({ what, lock }): Sighting[] => {
      if (what === 'freed' || what === 'lapsed') return []
      const recordedAt = this.#recordedAt(lock, now)
      const recordedBound = (recordedAt ?? -Infinity) - MARGIN_MS
      if (what === 'found') return [{ what, lock, at: recordedAt ?? now, notBefore: recordedBound }]
      // The previous complete poll did not see this acquisition.
      const notBefore = Math.max(this.lastPassAt ?? -Infinity, recordedBound)
      return [{ what: what === 'renewed' ? 'renewed' : 'acquired', lock, at: now, notBefore }]
    })
  }

  recordArrival(what: Arrival['what'], lock: WatchedLock, at: number): Arrival {
    const arrival = { key: lock.key, holder: namedHolder(lock).holder, what, at }
    this.arrivals = [arrival, ...this.arrivals].slice(0, MOST_ARRIVALS)
    this.lastArrivalAt = Math.max(at, this.lastArrivalAt ?? 0)
    if (what === 'acquired') this.lastAcquiredAt = Math.max(at, this.lastAcquiredAt ?? 0)
    return arrival
  }

  onPass({ locks, serverTime, offsetMs, tookMs, unbroken }: Pass, at: number, restMs: number): void {
    const before = this.lastPassAt
    // The machine slept or its clock was set: what happened in between was not observed.
    const longest = 2 * Math.max(restMs, LONGEST_REST_MS) + 2 * Math.max(tookMs, this.#tookMs)
    const isGap = before === null || !unbroken || at < before || at - before > longest
    if (isGap) this.watchedSince = at
    this.watchedSince ??= at
    this.lastPassAt = at
    this.status = 'live'
    this.error = null
    this.offsetMs = offsetMs
    this.#tookMs = tookMs
    this.#serverTime = serverTime
    this.#setLocks(locks)
    if (this.counts.held !== this.counts.holds) this.lastHeldAt = at
  }

  onFailure(why: 'down' | 'partial', failure: Failure): void {
    this.watchedSince = null
    this.status = why === 'down' ? 'down' : 'stale'
    this.error = failure
  }

  /** The store is closed, or not polled yet: its state is unknown. */
  onStop(status: 'closed' | 'stale'): void {
    this.watchedSince = null
    this.lastPassAt = null
    this.status = status
    this.error = null
    this.offsetMs = null
    this.#setLocks(new Map())
  }

  #setLocks(locks: ReadonlyMap<string, WatchedLock>): void {
    this.locks = locks
    this.#counted = null
    this.#remaining = null
  }

  /** The counts of the last poll; null before the first. */
  get counts(): SideCounts {
    this.#counted ??= this.#count()
    return this.#counted
  }

  /** Held locks; those that will not end by themselves first. */
  remaining(quietMs: number): Remaining[] {
    if (this.#remaining?.quietMs !== quietMs) {
      const locks = [...this.locks.values()]
        .filter(lock => isHeld(lock, this.#serverTime))
        .map(lock => remainingOf(lock, this.#serverTime, this.offsetMs ?? 0, quietMs))
        .sort((a, b) => WORST.indexOf(a.why) - WORST.indexOf(b.why) || (b.endsAt ?? 0) - (a.endsAt ?? 0))
        .slice(0, MOST_REMAINING)
      this.#remaining = { quietMs, locks }
    }
    return this.#remaining.locks
  }

  #count(): SideCounts {
    if (this.lastPassAt === null)
      return { held: null, holds: null, expired: null, noExpiry: null, left: null }
    const now = this.#serverTime
    const locks = [...this.locks.values()]
    const { held, expiring, expired, endless, unknown } = countLocks(locks, now)
    const refused = locks.filter(lock => refusedUntil(lock, now) !== null).length
    const holds = locks.filter(lock => isMaintenance(lock) && isHeld(lock, now)).length
    // A lock with an unknown end counts as held.
    const active = held + expiring + endless + unknown + refused
    const left = active - refused + expired
    return { held: active, holds, expired: expired - refused, noExpiry: endless, left }
  }

  #recordedAt(lock: WatchedLock, at: number): number | null {
    const { acquiredAt, acquiredAtSource: source } = lock
    if (acquiredAt === null || (source !== 'stored' && source !== 'token')) return null
    const begun = acquiredAt - (this.offsetMs ?? lock.observedAt - at)
    return isPlausibleBeginning(begun, at) ? Math.min(begun, at) : null
  }
}

const WORST: readonly Remaining['why'][] = ['never-ends', 'renewed', 'far-away', 'ends', 'hold']

/** `now` is the store's time. */
function remainingOf(lock: WatchedLock, now: number, offset: number, quietMs: number): Remaining {
  const { lease, watched } = lock
  const known = refusedUntil(lock, now) ?? expiresAtOf(lease)
  const ends = lease.kind === 'heartbeat' ? lock.observedAt + lease.leaseMs : known
  const endsAt = ends !== null && isRepresentable(ends) ? ends : null
  const since = heldSinceOf(lock)
  return {
    lockId: lock.id,
    key: lock.key,
    holder: namedHolder(lock).holder,
    endsAt: endsAt === null ? null : endsAt - offset,
    heldSince: since === null || !isRepresentable(since.at) ? null : since.at - offset,
    renewals: watched.renewals,
    why: whyHeld(lock, endsAt, now, quietMs),
  }
}

function whyHeld(lock: WatchedLock, endsAt: number | null, now: number, quietMs: number): Remaining['why'] {
  // A maintenance hold is renewed by a console, which is no worker to stop.
  if (isMaintenance(lock)) return 'hold'
  if (isRenewed(lock, endsAt, now, quietMs)) return 'renewed'
  if (endsAt === null) return 'never-ends'
  return endsAt - now > FAR_AWAY_MS ? 'far-away' : 'ends'
}

/** After half of the lease, a lock that is not renewed again had a holder that has stopped. */
function isRenewed({ watched }: WatchedLock, endsAt: number | null, now: number, quietMs: number): boolean {
  const { renewals, lastRenewedAt } = watched
  if (renewals === 0 || lastRenewedAt === null) return false
  const half = endsAt === null ? 0 : (endsAt - lastRenewedAt) / 2
  return now - lastRenewedAt <= Math.max(quietMs, half)
}
