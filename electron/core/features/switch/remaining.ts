import { MINUTE_MS } from '../../../../shared/duration.ts'
import { expiresAtOf, heldSinceOf, isHeld, isRepresentable, refusedUntil } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Remaining } from '../../../../shared/switch.ts'
import { firstPage, shortKey } from '../../lib/json-size.ts'
import { isMaintenance } from '../alerts/held-names.ts'
import { namedHolder } from '../stats/named-holder.ts'

const MOST_REMAINING = 200
const FAR_AWAY_MS = 10 * MINUTE_MS
const WORST: readonly Remaining['why'][] = ['never-ends', 'renewed', 'far-away', 'ends', 'hold']

type Clock = {
  /** The store's time at its last poll, and how far it is ahead of this machine's. */
  readonly serverTime: number
  readonly offsetMs: number
}

/** The held locks of a store; those that will not end by themselves first. */
export function remainingLocks(
  locks: Iterable<WatchedLock>,
  clock: Clock,
  quietMs: number,
): readonly Remaining[] {
  const sorted = [...locks]
    .filter(lock => isHeld(lock, clock.serverTime))
    .map(lock => remainingOf(lock, clock, quietMs))
    .sort((a, b) => WORST.indexOf(a.why) - WORST.indexOf(b.why) || (b.endsAt ?? 0) - (a.endsAt ?? 0))
  return firstPage(sorted, MOST_REMAINING)
}

function remainingOf(lock: WatchedLock, { serverTime, offsetMs }: Clock, quietMs: number): Remaining {
  const { lease, watched } = lock
  const known = refusedUntil(lock, serverTime) ?? expiresAtOf(lease)
  const ends = lease.kind === 'heartbeat' ? lock.observedAt + lease.leaseMs : known
  const endsAt = ends !== null && isRepresentable(ends) ? ends : null
  const since = heldSinceOf(lock)
  return {
    lockId: lock.id,
    key: shortKey(lock.key),
    holder: namedHolder(lock).holder,
    endsAt: endsAt === null ? null : endsAt - offsetMs,
    heldSince: since === null || !isRepresentable(since.at) ? null : since.at - offsetMs,
    renewals: watched.renewals,
    why: whyHeld(lock, endsAt, serverTime, quietMs),
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
