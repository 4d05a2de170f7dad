import type { AlertRule } from '../../../../shared/alerts.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import { distinctNames } from './store-names.ts'
import { readStore, type StoreReading } from './store-reading.ts'

/** Counts open alerts by rule and store, without muted ones. */
export interface AlertCounter {
  openByRule(): readonly { readonly rule: AlertRule; readonly storeId: string; readonly open: number }[]
}

export type MetricsReaderOptions = {
  /** Open stores, in a stable order. */
  readonly stores: () => readonly WatchedStore[]
  readonly nameOf: (storeId: string, address: string) => string
  readonly alerts: AlertCounter | null
}

export type MetricsReading = {
  readonly stores: readonly StoreReading[]
  /** Null in a host without alerts. */
  readonly alerts:
    | readonly { readonly rule: AlertRule; readonly store: string; readonly count: number }[]
    | null
}

export type TenureListener = (store: { readonly name: string; readonly kind: string }, heldMs: number) => void

/** What is watched, for a monitoring system: everything at one moment, and each tenure when it ends. */
export class MetricsReader implements HistorySubscriber {
  readonly #options: MetricsReaderOptions
  readonly #listeners: TenureListener[] = []
  /** Cached while many tenures end at once. */
  #names: ReadonlyMap<WatchedStore, string> | null = null

  constructor(options: MetricsReaderOptions) {
    this.#options = options
  }

  /** `keys`: how many locks of each store to list. */
  read(keys: number): MetricsReading {
    const named = this.#named()
    const names = new Map(named.map(({ store, name }) => [store.storeId, name]))
    const open = this.#options.alerts?.openByRule() ?? null
    return {
      stores: named.map(({ store, name }) => readStore(store, name, keys)),
      alerts:
        open?.flatMap(({ rule, storeId, open: count }) => {
          const store = names.get(storeId)
          return store === undefined ? [] : [{ rule, store, count }]
        }) ?? null,
    }
  }

  listen(listener: TenureListener): void {
    this.#listeners.push(listener)
  }

  onTenureEnd(store: WatchedStore, heldMs: number): void {
    if (this.#listeners.length === 0) return
    const name = this.#namesForNow().get(store)
    if (name === undefined) return
    for (const listener of this.#listeners) listener({ name, kind: store.kind }, heldMs)
  }

  /** Ten thousand tenures can end in one pass, and store names do not change in between. */
  #namesForNow(): ReadonlyMap<WatchedStore, string> {
    if (this.#names) return this.#names
    this.#names = new Map(this.#named().map(({ store, name }) => [store, name]))
    queueMicrotask(() => {
      this.#names = null
    })
    return this.#names
  }

  #named(): { store: WatchedStore; name: string }[] {
    const stores = this.#options.stores()
    const names = distinctNames(
      stores.map(({ storeId, address }) => ({ name: this.#options.nameOf(storeId, address), address })),
    )
    return stores.map((store, i) => ({ store, name: names[i] ?? store.storeId }))
  }
}
