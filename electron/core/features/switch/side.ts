import { MINUTE_MS } from '../../../../shared/duration.ts'
import { isHeld, isPlausibleBeginning, refusedUntil } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Arrival, Remaining, Side, SideNow } from '../../../../shared/switch.ts'
import { shortKey } from '../../lib/json-size.ts'
import { isMaintenance } from '../alerts/held-names.ts'
import { countLocks } from '../stats/figures.ts'
import type { Histories, WatchedStore } from '../stats/histories.ts'
import { namedHolder } from '../stats/named-holder.ts'
import { lengthOf } from '../stats/tenure-book.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { remainingLocks } from './remaining.ts'

/** The host's stores and what was observed of them, for a switch. */
export type SwitchStores = {
  readonly stores: Pick<OpenStores, 'at'>
  readonly histories: Pick<Histories, 'get'>
}

/** Intervals of measuring the latency, and of counting acquisitions and tenures. */
const ASK_MS = 10_000
const COUNT_MS = 5000
const RECENT_MS = 10 * MINUTE_MS
/** Samples taken at once at first, so the comparison does not wait for a minute. */
const FIRST_SAMPLES = 5
/** The median of the last samples counts. A single sample says more about the moment than about the store. */
const MOST_SAMPLES = 9

type Pace = Pick<SideNow, 'acquiredPerMinute' | 'medianHoldMs'>

const NO_PACE: Pace = { acquiredPerMinute: null, medianHoldMs: null }

export type Sighting = {
  readonly what: Arrival['what'] | 'found'
  readonly lock: WatchedLock
  /** The time of the poll; of a lock that was found, the time in its record if that is reliable. */
  readonly at: number
  /** The earliest time at which the lock may have been acquired or renewed; -Infinity if that is unknown. */
  readonly notBefore: number
}

/** Null before the first poll. `left` counts all records of locks, held or expired. */
type SideCounts = Pick<SideNow, 'held' | 'holds' | 'expired' | 'noExpiry'> & { readonly left: number | null }

const UNKNOWN: SideCounts = { held: null, holds: null, expired: null, noExpiry: null, left: null }

/** Allowed difference between the clock that wrote a record and the one that recorded a step. */
export const MARGIN_MS = 5000
const MOST_ARRIVALS = 50
/** The longest rest of a watcher after reading a large store. */
const LONGEST_REST_MS = 10_000

/**
 * One side of a switch: bound to the open store with its address, polled as often as needed, and what was observed there. Times
 * are this machine's. Time in which the store could not be read counts for nothing: `watchedSince` starts again after it.
 */
export class SwitchSide {
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
  counts = UNKNOWN
  offsetMs: number | null = null
  /** The store's time at the last poll. */
  #serverTime = 0
  #tookMs = 0
  /** Of the last poll; null until they are asked for. */
  #remaining: readonly Remaining[] | null = null
  #open: OpenStore | null = null
  #reading: { readonly restMs: number; readonly stop: AbortController } | null = null
  #server: string | null = null
  /** How long the last answers took. */
  #latencies: readonly number[] = []
  #isMeasured = false
  #askedAt = -Infinity
  #pace = NO_PACE
  #countedAt = -Infinity

  constructor(
    readonly side: Pick<Side, 'address' | 'kind'>,
    readonly host: SwitchStores,
  ) {
    this.#bind()
  }

  /** Polls at least this often; null stops. Called regularly, because the store may be opened again. */
  tend(restMs: number | null): void {
    this.#bind()
    if (restMs === null) this.#rest()
    if (restMs === null || !this.#open) return
    const before = this.#reading
    if (before?.restMs !== restMs) {
      const stop = new AbortController()
      this.#reading = { restMs, stop }
      // Attend anew before leaving: an unattended watcher drops its state.
      this.#open.watcher.attend(restMs, AbortSignal.any([stop.signal, this.#open.signal]))
      before?.stop.abort()
    }
    void this.#measure(this.#open)
  }

  isAbout(store: WatchedStore): boolean {
    return store.storeId === this.#open?.storeId && store.address === this.side.address
  }

  sightings(events: readonly LockEvent[], now: number): Sighting[] {
    return events.flatMap(({ what, lock }): Sighting[] => {
      if (what === 'freed' || what === 'lapsed') return []
      const recordedAt = this.#recordedAt(lock, now)
      const recorded = recordedAt ?? -Infinity
      if (what === 'found') return [{ what, lock, at: recordedAt ?? now, notBefore: recorded - MARGIN_MS }]
      // The previous complete poll did not see this, which may have happened at any time since that poll began.
      const polled = (this.lastPassAt ?? -Infinity) - this.#tookMs
      // Polls that are closer together than the margin leave a record no room to be off by more.
      const notBefore = Math.max(polled, now - polled <= MARGIN_MS ? recorded : recorded - MARGIN_MS)
      return [{ what: what === 'renewed' ? 'renewed' : 'acquired', lock, at: now, notBefore }]
    })
  }

  recordArrival(what: Arrival['what'], lock: WatchedLock, at: number): Arrival {
    const arrival = { key: shortKey(lock.key), holder: namedHolder(lock).holder, what, at }
    this.arrivals = [arrival, ...this.arrivals].slice(0, MOST_ARRIVALS)
    this.lastArrivalAt = Math.max(at, this.lastArrivalAt ?? 0)
    if (what === 'acquired') this.lastAcquiredAt = Math.max(at, this.lastAcquiredAt ?? 0)
    return arrival
  }

  onPass({ locks, serverTime, offsetMs, tookMs, unbroken }: Pass, at: number): void {
    const restMs = this.#reading?.restMs ?? 0
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
    this.#setLocks(locks, countsOf([...locks.values()], serverTime))
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
    this.#setLocks(new Map(), UNKNOWN)
  }

  now(at: number): SideNow {
    const { left: _, ...counts } = this.counts
    const latencyMs = medianOf(this.#latencies)
    return {
      status: this.status,
      error: this.error,
      server: this.#server,
      offsetMs: this.offsetMs,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
      latencySamples: this.#latencies.length,
      isMeasured: this.#isMeasured,
      ...counts,
      unrecognised: this.lastPassAt === null ? null : (this.#open?.watcher.unrecognised ?? null),
      ...(this.#open ? this.#paceAt(at, this.#open.storeId) : NO_PACE),
    }
  }

  /** Held locks; those that will not end by themselves first. */
  remaining(quietMs: number): readonly Remaining[] {
    const clock = { serverTime: this.#serverTime, offsetMs: this.offsetMs ?? 0 }
    this.#remaining ??= remainingLocks(this.locks.values(), clock, quietMs)
    return this.#remaining
  }

  #setLocks(locks: ReadonlyMap<string, WatchedLock>, counts: SideCounts): void {
    this.locks = locks
    this.counts = counts
    this.#remaining = null
  }

  /** A new connection is a new watcher: observations through the old one do not carry over. */
  #bind(): void {
    const [open = null] = this.host.stores.at(this.side.address)
    if (open?.watcher === this.#open?.watcher) return
    this.#rest()
    this.#open = open
    this.#server = null
    this.#latencies = []
    this.#isMeasured = false
    this.#askedAt = -Infinity
    this.onStop(this.#open ? 'stale' : 'closed')
  }

  #rest(): void {
    this.#reading?.stop.abort()
    this.#reading = null
  }

  async #measure(open: OpenStore): Promise<void> {
    const now = performance.now()
    if (now - this.#askedAt < ASK_MS) return
    this.#askedAt = now
    try {
      await this.#sample(open)
    } catch {
      // A store that does not answer is reported by its watcher.
      if (this.#open === open) this.#latencies = []
    }
    if (this.#open === open) this.#isMeasured = true
  }

  async #sample(open: OpenStore): Promise<void> {
    const { store, signal } = open
    const server = this.#server ?? (await store.describe(signal)).server
    if (this.#open !== open) return
    this.#server = server
    do {
      const began = performance.now()
      await store.clock(signal)
      if (this.#open !== open) return
      this.#latencies = [...this.#latencies, performance.now() - began].slice(-MOST_SAMPLES)
    } while (this.#latencies.length < FIRST_SAMPLES)
  }

  #paceAt(at: number, storeId: string): Pace {
    if (performance.now() - this.#countedAt < COUNT_MS) return this.#pace
    this.#countedAt = performance.now()
    const history = this.host.histories.get(storeId)?.history
    if (!history) return NO_PACE
    const { flows, observedMs } = history.figuresSince(at - RECENT_MS, storeId, at)
    const since = history.samples.all[0]?.from ?? at
    // Only locks that were seen being acquired and released: others may have been left behind, or ran out.
    const lengths = [...history.tenures.ended(at - RECENT_MS, at)]
      .filter(({ from, end }) => from >= since && (end === 'freed' || end === 'passed-on'))
      .map(lengthOf)
      .filter(ms => ms !== null)
    this.#pace = {
      acquiredPerMinute: observedMs <= 0 ? null : ((flows.taken + flows.passedOn) / observedMs) * MINUTE_MS,
      medianHoldMs: medianOf(lengths),
    }
    return this.#pace
  }

  #recordedAt(lock: WatchedLock, at: number): number | null {
    const { acquiredAt, acquiredAtSource: source } = lock
    if (acquiredAt === null || (source !== 'stored' && source !== 'token')) return null
    const begun = acquiredAt - (this.offsetMs ?? lock.observedAt - at)
    return isPlausibleBeginning(begun, at) ? Math.min(begun, at) : null
  }
}

function countsOf(locks: readonly WatchedLock[], now: number): SideCounts {
  const { held, expiring, expired, endless, unknown } = countLocks(locks, now)
  const refused = locks.filter(lock => refusedUntil(lock, now) !== null).length
  const holds = locks.filter(lock => isMaintenance(lock) && isHeld(lock, now)).length
  // A lock with an unknown end counts as held.
  const active = held + expiring + endless + unknown + refused
  return {
    held: active,
    holds,
    expired: expired - refused,
    noExpiry: endless,
    left: active - refused + expired,
  }
}

/** The higher of the two middle values; null without values. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
