import {
  byAttention,
  countedAs,
  expiresAtOf,
  heldSinceOf,
  isPlausibleBeginning,
  isRepresentable,
  leaseBeginOf,
  remainingMs,
} from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Counts, Flows, Spent } from '../../../../shared/stats.ts'
import { NO_COUNTS } from '../stats/figures.ts'
import type { WatchedStore } from '../stats/histories.ts'

/** One store in numbers at this moment. */
export type StoreReading = {
  readonly name: string
  readonly kind: string
  /** Null before the first pass. */
  readonly status: 'live' | 'stale' | 'down' | null
  /** Null unless the store is live. */
  readonly now: LiveReading | null
  /** By this machine's clock; null if never. */
  readonly lastScanAt: number | null
  /** Since this process began to watch. */
  readonly flows: Flows
  readonly spent: Spent
}

export type LiveReading = {
  readonly counts: Counts
  /** Of locks that are not released, expired ones included. */
  readonly oldestMs: number | null
  /** Of held locks; null if the beginning of every lease is unknown. */
  readonly mostUsed: number | null
  readonly offsetMs: number | null
  readonly scanMs: number
  /** Those that need attention most. */
  readonly locks: readonly LockReading[]
}

/**
 * `leaseMs` is the whole of the lease as it is now; a lock that is renewed can be older than that. Null where there is none, or
 * it is not known.
 */
export type LockReading = {
  readonly key: string
  readonly ageMs: number | null
  readonly leaseMs: number | null
  /** Below zero for what has expired. */
  readonly remainingMs: number | null
}

export function readStore({ kind, history, locks }: WatchedStore, name: string, keys: number): StoreReading {
  const { status, last, lastPassAt, totals, spent } = history
  const isLive = status?.is === 'live' && last !== null
  return {
    name,
    kind,
    status: status?.is ?? null,
    now: isLive ? readLocks(locks, last, keys) : null,
    lastScanAt: lastPassAt,
    flows: totals,
    spent,
  }
}

function readLocks(
  locks: ReadonlyMap<string, WatchedLock>,
  { offsetMs, tookMs: scanMs }: { readonly offsetMs: number | null; readonly tookMs: number },
  keys: number,
): LiveReading {
  /** The store's time. */
  const now = Date.now() + (offsetMs ?? 0)
  const compare = byAttention(now)
  const counts = { ...NO_COUNTS }
  let oldestMs: number | null = null
  let mostUsed: number | null = null
  let neediest: WatchedLock[] = []
  for (const lock of locks.values()) {
    const counted = countedAs(lock, now)
    counts[counted]++
    if (counted === 'released') continue
    oldestMs = greater(oldestMs, ageOf(lock, now))
    if (counted !== 'expired') mostUsed = greater(mostUsed, usedOf(lock, now))
    if (keys > 0) neediest.push(lock)
    // Sorting a hundred thousand locks to list ten would block everything else at every scrape.
    if (neediest.length > 4 * keys) neediest = neediest.sort(compare).slice(0, keys)
  }
  const listed = neediest.sort(compare).slice(0, keys)
  return { counts, oldestMs, mostUsed, offsetMs, scanMs, locks: listed.map(lock => readLock(lock, now)) }
}

function readLock(lock: WatchedLock, now: number): LockReading {
  return {
    key: lock.key,
    ageMs: ageOf(lock, now),
    leaseMs: leaseOf(lock, now),
    remainingMs: representable(remainingMs(lock, now)),
  }
}

/** Null if the beginning is unknown or makes no sense. */
function ageOf(lock: WatchedLock, now: number): number | null {
  const since = heldSinceOf(lock)
  return since !== null && isPlausibleBeginning(since.at, now) ? Math.max(0, now - since.at) : null
}

function leaseOf(lock: WatchedLock, now: number): number | null {
  const expiresAt = expiresAtOf(lock.lease)
  const begin = leaseBeginOf(lock, now)
  return expiresAt !== null && begin !== null && expiresAt > begin ? representable(expiresAt - begin) : null
}

function usedOf(lock: WatchedLock, now: number): number | null {
  const leaseMs = leaseOf(lock, now)
  const leftMs = remainingMs(lock, now)
  return leaseMs === null || leftMs === null ? null : Math.min(1, Math.max(0, 1 - leftMs / leaseMs))
}

/** A deadline in the year 300,000 is a mistake, and not a number for a chart. */
function representable(ms: number | null): number | null {
  return ms !== null && isRepresentable(ms) ? ms : null
}

function greater(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.max(a, b)
}
