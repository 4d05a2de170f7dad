import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Side, SideNow } from '../../../../shared/switch.ts'
import type { WatchedStore } from '../stats/histories.ts'
import { lengthOf } from '../stats/tenure-book.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { StoreWatcher } from '../stores/watcher.ts'
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

const NO_PACE: Pace = { acquiredPerMinute: null, medianHoldMs: null }

/** One side of a switch: bound to the open store with its address, and polled as often as needed. */
export class SwitchSide {
  readonly facts = new SideFacts()
  readonly #stores: SwitchStores
  readonly #address: string
  #open: OpenStore | null = null
  #reading: { readonly restMs: number; readonly stop: AbortController } | null = null
  #server: string | null = null
  /** How long the last answers took. */
  #latencies: readonly number[] = []
  #askedAt = -Infinity
  #pace = NO_PACE
  #countedAt = -Infinity

  constructor({ address }: Pick<Side, 'address'>, stores: SwitchStores) {
    this.#address = address
    this.#stores = stores
    this.#bind()
  }

  get restMs(): number {
    return this.#reading?.restMs ?? 0
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
      // Attend anew before leaving: a watcher that nobody attends drops its state.
      this.#open.watcher.attend(restMs, AbortSignal.any([stop.signal, this.#open.signal]))
      before?.stop.abort()
    }
    this.#ask(this.#open)
  }

  isAbout(store: WatchedStore): boolean {
    return store.storeId === this.#open?.storeId && store.address === this.#address
  }

  now(at: number): SideNow {
    const { status, error, offsetMs, lastPassAt } = this.facts
    const { held, holds, expired, noExpiry } = this.facts.counts
    const latencyMs = medianOf(this.#latencies)
    return {
      status,
      error,
      server: this.#server,
      offsetMs,
      latencyMs: latencyMs === null ? null : Math.round(latencyMs * 10) / 10,
      latencySamples: this.#latencies.length,
      held,
      holds,
      expired,
      noExpiry,
      unrecognised: lastPassAt === null ? null : (this.#open?.watcher.unrecognised ?? null),
      ...(this.#open ? this.#paceAt(at, this.#open.storeId) : NO_PACE),
    }
  }

  /** A new connection is a new watcher: observations through the old one do not carry over. */
  #bind(): void {
    const found = this.#stores.at(this.#address)
    if (found?.watcher === this.#open?.watcher) return
    this.#rest()
    this.#open = found && this.#stores.open(found.storeId)
    this.#server = null
    this.#latencies = []
    this.#askedAt = -Infinity
    this.facts.onStop(this.#open ? 'stale' : 'closed')
  }

  #rest(): void {
    this.#reading?.stop.abort()
    this.#reading = null
  }

  #ask(open: OpenStore): void {
    const now = performance.now()
    if (now - this.#askedAt < ASK_MS) return
    this.#askedAt = now
    // A store that does not answer is reported by its watcher.
    void this.#measure(open).catch(() => {
      if (this.#open === open) this.#latencies = []
    })
  }

  async #measure(open: OpenStore): Promise<void> {
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
    const history = this.#stores.watched(storeId)?.history
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
}

/** The higher of the two middle values; null without values. */
function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? null
}
