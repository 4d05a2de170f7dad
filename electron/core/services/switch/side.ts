import type { Side, SideNow } from '../../../../shared/provider-switch.ts'
import { lengthOf } from '../observe/hold-book.ts'
import type { Observed } from '../observe/observatory.ts'
import type { OpenStore } from '../plans/open-stores.ts'
import type { StoreWatcher } from '../watch.ts'
import type { SideState } from './checks.ts'
import { SideFacts } from './side-facts.ts'

/** How a switch reaches the stores of its host. */
export interface SwitchStores {
  /** The one of this address that is open, and who watches it; null when none is. */
  at(address: string): { readonly storeId: string; readonly watcher: StoreWatcher } | null
  open(storeId: string): OpenStore
  observed(storeId: string): Observed | null
}

/** How often a store is asked for how long an answer takes, and how often the rest is counted anew. */
const ASK_MS = 10_000
const COUNT_MS = 5000
const RECENT_MS = 10 * 60_000

type Asked = { readonly server: string | null; readonly latencyMs: number | null }
type Pace = Pick<SideNow, 'acquiredPerMinute' | 'medianHoldMs'>

const NOTHING_ASKED: Asked = { server: null, latencyMs: null }
const NO_PACE: Pace = { acquiredPerMinute: null, medianHoldMs: null }

/** One side of a switch: bound to whichever open store has its address, and read as often as somebody wants. */
export class SwitchSide {
  readonly facts = new SideFacts()
  readonly #stores: SwitchStores
  readonly #side: Pick<Side, 'address' | 'kind'>
  #open: OpenStore | null = null
  #reading: { readonly restMs: number; readonly stop: AbortController } | null = null
  #asked: Asked = NOTHING_ASKED
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

  /** Has it read so often, or as often as others want; to be called now and then, because a store may be opened anew. */
  tend(restMs: number | null): void {
    this.#bind()
    const before = this.#reading
    if (this.#open && restMs !== null && (!before || before.restMs !== restMs)) {
      const stop = new AbortController()
      this.#reading = { restMs, stop }
      // The new one comes before the old one goes: with nobody reading, what is known would be dropped.
      this.#open.watcher.attend(restMs, AbortSignal.any([stop.signal, this.#open.signal]))
      before?.stop.abort()
    }
    if (restMs === null) this.#rest()
    else this.#ask()
  }

  close(): void {
    this.#rest()
  }

  isAbout(store: Observed): boolean {
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
      ...(open ? this.#asked : NOTHING_ASKED),
      offsetMs: open && isRead ? this.facts.offsetMs : null,
      ...{ held, holds, expired, noExpiry },
      unrecognised: open && isRead ? open.watcher.unrecognised : null,
      ...(open ? this.#paceAt(at, open.storeId) : NO_PACE),
    }
  }

  /** Another connection is another watch: nothing that was seen through the old one is known to go on. */
  #bind(): void {
    const there = this.#stores.at(this.#side.address)
    if (there?.watcher === this.#open?.watcher) return
    this.#rest()
    this.#open = there && this.#stores.open(there.storeId)
    this.#asked = NOTHING_ASKED
    this.#askedAt = Number.NEGATIVE_INFINITY
    this.facts.rested()
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
    void this.#askStore(open).then(asked => {
      if (this.#open === open) this.#asked = asked
    })
  }

  /** One that does not answer says so through its watcher. */
  async #askStore({ store, signal }: OpenStore): Promise<Asked> {
    try {
      const server = this.#asked.server ?? (await store.describe(signal)).server
      const began = performance.now()
      await store.clock(signal)
      return { server, latencyMs: Math.round((performance.now() - began) * 10) / 10 }
    } catch {
      return { server: this.#asked.server, latencyMs: null }
    }
  }

  #paceAt(at: number, storeId: string): Pace {
    if (performance.now() - this.#countedAt < COUNT_MS) return this.#pace
    this.#countedAt = performance.now()
    const observation = this.#stores.observed(storeId)?.observation
    if (!observation) return NO_PACE
    const { flows, observedMs } = observation.figuresSince(at - RECENT_MS, storeId, at)
    const lengths = [...observation.holds.ended(at - RECENT_MS, at)]
      .map(lengthOf)
      .filter(ms => ms !== null)
      .sort((a, b) => a - b)
    this.#pace = {
      acquiredPerMinute: observedMs <= 0 ? null : ((flows.taken + flows.passedOn) / observedMs) * 60_000,
      medianHoldMs: lengths[Math.floor(lengths.length / 2)] ?? null,
    }
    return this.#pace
  }
}
