import type { WatchedLock } from '../../../../shared/locks.ts'
import { lockAt } from '../lock.ts'

type Wanted = Parameters<typeof lockAt>[1]

/** A lock as a watch knows it, first seen when it was read. */
export function aWatchedLock(observedMs: number, wanted: Wanted = {}): WatchedLock {
  const lock = lockAt(observedMs, wanted)
  const watched = {
    firstSeenAt: lock.observedAt,
    heldSince: lock.observedAt,
    renewals: 0,
    lastRenewedAt: null,
    holders: 1,
  }
  return { ...lock, watched }
}

export function byId(...locks: readonly WatchedLock[]): ReadonlyMap<string, WatchedLock> {
  return new Map(locks.map(lock => [lock.id, lock]))
}
