import { parseAddress, showAddress } from '../../../../shared/address.ts'
import type { AlertRule } from '../../../../shared/alerts.ts'
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
import { TopList } from '../../lib/top-list.ts'
import { NO_COUNTS } from '../stats/figures.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'

/** Counts open alerts by rule and store, without muted ones. */
export interface AlertCounter {
  openByRule(): readonly { readonly rule: AlertRule; readonly storeId: string; readonly open: number }[]
}

export type MetricsReaderOptions = {
  /** Open stores, in a stable order. */
  readonly stores: () => readonly WatchedStore[]
  readonly nameOf: (storeId: string, address: string) => string
  /** Null in a host without alerts. */
  readonly alerts: AlertCounter | null
}

export type MetricsReading = ReturnType<MetricsReader['read']>

export type TenureListener = (store: { readonly name: string; readonly kind: string }, heldMs: number) => void

/** The watched stores for a monitoring system: all figures of one moment, and each tenure when it ends. */
export class MetricsReader implements HistorySubscriber {
  readonly #listeners: TenureListener[] = []
  #cachedNames: ReadonlyMap<WatchedStore, string> | null = null

  constructor(readonly options: MetricsReaderOptions) {}

  /** `keys`: how many locks of each store to list. */
  read(keys: number) {
    const names = this.#names
    const byId = new Map([...names].map(([{ storeId }, name]) => [storeId, name]))
    const alerts = this.options.alerts?.openByRule().flatMap(({ rule, storeId, open: count }) => {
      const store = byId.get(storeId)
      return store === undefined ? [] : [{ rule, store, count }]
    })
    return {
      stores: [...names].map(([store, name]) => readStore(store, name, keys)),
      alerts: alerts ?? null,
    }
  }

  listen(listener: TenureListener): void {
    this.#listeners.push(listener)
  }

  onTenureEnd(store: WatchedStore, heldMs: number): void {
    if (this.#listeners.length === 0) return
    const name = this.#names.get(store)
    if (name === undefined) return
    for (const listener of this.#listeners) listener({ name, kind: store.kind }, heldMs)
  }

  /** Cached for the moment: ten thousand tenures can end in one pass, and store names do not change in between. */
  get #names(): ReadonlyMap<WatchedStore, string> {
    if (this.#cachedNames) return this.#cachedNames
    queueMicrotask(() => {
      this.#cachedNames = null
    })
    const stores = this.options.stores()
    const names = distinctNames(
      stores.map(({ storeId, address }) => ({ name: this.options.nameOf(storeId, address), address })),
    )
    this.#cachedNames = new Map(stores.map((store, i) => [store, names[i] ?? store.storeId]))
    return this.#cachedNames
  }
}

/**
 * A unique name for each store. A console's names are unique already; the command line makes names of addresses, without region, table
 * and pattern, and falls back to the address without its account.
 */
export function distinctNames(stores: readonly { name: string; address: string }[]): string[] {
  const longer = stores.map(({ name, address }) =>
    stores.filter(each => each.name === name).length === 1
      ? name
      : showAddress({ ...parseAddress(address), username: null }),
  )
  return longer.map((name, i) => {
    const before = longer.slice(0, i).filter(each => each === name).length
    return before === 0 ? name : `${name} (${before + 1})`
  })
}

export type StoreReading = ReturnType<typeof readStore>
export type LiveReading = ReturnType<typeof readLocks>
export type LockReading = ReturnType<typeof readLock>

/** The figures of one store at this moment, with the locks that need attention most. */
function readStore({ kind, history, locks }: WatchedStore, name: string, keys: number) {
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
  const neediest = new TopList<WatchedLock>(keys, byAttention(now))
  const counts = { ...NO_COUNTS }
  /** Of locks that are not released, expired ones included. */
  let oldestMs: number | null = null
  /** Of held locks; null if the beginning of every lease is unknown. */
  let mostUsed: number | null = null
  for (const lock of locks.values()) {
    const counted = countedAs(lock, now)
    counts[counted]++
    if (counted === 'released') continue
    oldestMs = greater(oldestMs, ageOf(lock, now))
    if (counted !== 'expired') mostUsed = greater(mostUsed, usedOf(lock, now))
    neediest.add(lock)
  }
  const listed = neediest.items.map(lock => readLock(lock, now))
  return { counts, oldestMs, mostUsed, offsetMs, scanMs, locks: listed }
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
