import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Side, SideNow } from '../../../../shared/switch.ts'
import type { WatchedStore } from '../stats/histories.ts'
import { lengthOf, type StoreTenure } from '../stats/tenure-book.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { StoreWatcher } from '../stores/watcher.ts'
import type { SideState } from './checks.ts'
import { SideFacts } from './side-facts.ts'

/** The host's stores, for a switch. */
export interface SwitchStores {
  /** The open store with this address and its watcher; null if none is open. */
  at(address: string): { readonly storeId: string; readonly watcher: StoreWatcher } | null
  open(storeId: string): OpenStore
  watched(storeId: string): WatchedStore | null
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

const NOTHING_ASKED = { server: null, latencyMs: null, latencySamples: 0 } as const
const NO_PACE: Pace = { acquiredPerMinute: null, medianHoldMs: null }

/** One side of a switch: bound to the open store with its address, and polled as often as needed. */
export class SwitchSide {
  readonly facts = new SideFacts()
  readonly #stores: SwitchStores
  readonly #side: Pick<Side, 'address' | 'kind'>
  #open: OpenStore | null = null
  #reading: { readonly restMs: number; readonly stop: AbortController } | null = null
  #server: string | null = null
  readonly #latency = new Latency()
  #askedAt = Number.NEGATIVE_INFINITY
  #pace: Pace = NO_PACE
  #countedAt = Number.NEGATIVE_INFINITY

  constructor(side: Pick<Side, 'address' | 'kind'>, stores: SwitchStores) {
    this.#side = side
    this.#stores = stores
    this.#bind()
  }

  get open(): OpenStore | null {
    return this.#open
  }

  get restMs(): number {
    return this.#reading?.restMs ?? 0
  }

  /** Polls at least this often; null stops. Called regularly, because the store may be opened again. */
  tend(restMs: number | null): void {
    this.#bind()
    const before = this.#reading
    if (this.#open && restMs !== null && (!before || before.restMs !== restMs)) {
      const stop = new AbortController()
      this.#reading = { restMs, stop }
      // Attend anew before leaving: a watcher that nobody attends drops its state.
      this.#open.watcher.attend(restMs, AbortSignal.any([stop.signal, this.#open.signal]))
      before?.stop.abort()
    }
    if (restMs === null) this.#rest()
    else this.#ask()
  }

  close(): void {
    this.#rest()
  }

  isAbout(store: WatchedStore): boolean {
    return store.storeId === this.#open?.storeId && store.address === this.#side.address
  }

  get state(): SideState {
    const { watchedSince, lastPassAt, lastArrivalAt, lastAcquiredAt, lastHeldAt } = this.facts
    const { held, holds, left } = this.facts.counts
    return {
      ...{ status: this.#open ? this.facts.status.status : 'closed', held, holds, left },
      ...{ watchedSince, lastPassAt, lastArrivalAt, lastAcquiredAt, lastHeldAt },
    }
  }

  now(at: number): SideNow {
    const { held, holds, expired, noExpiry } = this.facts.counts
    const open = this.#open
    const isRead = this.facts.lastPassAt !== null
    return {
      ...(open ? this.facts.status : { status: 'closed', error: null }),
      ...(open ? { server: this.#server, ...this.#latency.now } : NOTHING_ASKED),
      offsetMs: open && isRead ? this.facts.offsetMs : null,
      ...{ held, holds, expired, noExpiry },
      unrecognised: open && isRead ? open.watcher.unrecognised : null,
      ...(open ? this.#paceAt(at, open.storeId) : NO_PACE),
    }
  }

  /** A new connection is a new watcher: observations through the old one do not carry over. */
  #bind(): void {
    const there = this.#stores.at(this.#side.address)
    if (there?.watcher === this.#open?.watcher) return
    this.#rest()
    this.#open = there && this.#stores.open(there.storeId)
    this.#server = null
    this.#latency.forget()
    this.#askedAt = Number.NEGATIVE_INFINITY
    this.facts.onStop()
  }

  #rest(): void {
    this.#reading?.stop.abort()
    this.#reading = null
  }

  #ask(): void {
    const open = this.#open
    const now = performance.now()
    if (!open || now - this.#askedAt < ASK_MS) return
    this.#askedAt = now
    void this.#askStore(open).catch(() => {
      if (this.#open === open) this.#latency.forget()
    })
  }

  /** A store that does not answer is reported by its watcher. */
  async #askStore(open: OpenStore): Promise<void> {
    const { store, signal } = open
    const server = this.#server ?? (await store.describe(signal)).server
    if (this.#open !== open) return
    this.#server = server
    do {
      const began = performance.now()
      await store.clock(signal)
      if (this.#open !== open) return
      this.#latency.add(performance.now() - began)
    } while (this.#latency.count < FIRST_SAMPLES)
  }

  #paceAt(at: number, storeId: string): Pace {
    if (performance.now() - this.#countedAt < COUNT_MS) return this.#pace
    this.#countedAt = performance.now()
    const history = this.#stores.watched(storeId)?.history
    if (!history) return NO_PACE
    const { flows, observedMs } = history.figuresSince(at - RECENT_MS, storeId, at)
    const since = history.samples.all[0]?.from ?? at
    const lengths = [...history.tenures.ended(at - RECENT_MS, at)]
      .filter(tenure => isSeenWhole(tenure, since))
      .map(lengthOf)
      .filter(ms => ms !== null)
    this.#pace = {
      acquiredPerMinute: observedMs <= 0 ? null : ((flows.taken + flows.passedOn) / observedMs) * MINUTE_MS,
      medianHoldMs: medianOf(lengths),
    }
    return this.#pace
  }
}

/**
 * Whether a tenure was observed from its start to its release. A record of an older lock has its start, but the lock may have been
 * left behind; and a lock that ran out was not released.
 */
function isSeenWhole({ from, end }: StoreTenure, since: number): boolean {
  return from >= since && (end === 'freed' || end === 'passed-on')
}

/** How long a store takes to answer. */
class Latency {
  #samples: readonly number[] = []

  get count(): number {
    return this.#samples.length
  }

  get now(): Pick<SideNow, 'latencyMs' | 'latencySamples'> {
    const middle = medianOf(this.#samples)
    return { latencyMs: middle === null ? null : Math.round(middle * 10) / 10, latencySamples: this.count }
  }

  add(ms: number): void {
    this.#samples = [...this.#samples, ms].slice(-MOST_SAMPLES)
  }

  /** The store does not answer, or the connection is another one. */
  forget(): void {
    this.#samples = []
  }
}

/** The higher of the two middle values; null without values. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
