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
import { NO_COUNTS } from '../stats/figures.ts'
import type { WatchedStore } from '../stats/histories.ts'

export type StoreReading = ReturnType<typeof readStore>
export type LiveReading = ReturnType<typeof readLocks>
export type LockReading = ReturnType<typeof readLock>

/** The figures of one store at this moment, with the locks that need attention most. */
export function readStore({ kind, history, locks }: WatchedStore, name: string, keys: number) {
  const { status, last, lastPassAt, totals, spent, isLive } = history
  return {
    name,
    kind,
    /** Null before the first pass. */
    status: status?.is ?? null,
    now: isLive && last ? readLocks(locks, last, keys) : null,
    /** By this machine's clock; null if never. */
    lastScanAt: lastPassAt,
    /** Since this process began to watch. */
    flows: totals,
    spent,
  }
}

function readLocks(
  locks: ReadonlyMap<string, WatchedLock>,
  { offsetMs, tookMs: scanMs }: { readonly offsetMs: number | null; readonly tookMs: number },
  keys: number,
) {
  /** The store's time. */
  const now = Date.now() + (offsetMs ?? 0)
  const compare = byAttention(now)
  const counts = { ...NO_COUNTS }
  /** Of locks that are not released, expired ones included. */
  let oldestMs: number | null = null
  /** Of held locks; null if the beginning of every lease is unknown. */
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

function readLock(lock: WatchedLock, now: number) {
  return {
    key: lock.key,
    ageMs: ageOf(lock, now),
    /** The whole lease as it is now. A lock that is renewed can be older than that. */
    leaseMs: leaseOf(lock, now),
    /** Negative once the lock has expired. */
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
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}
