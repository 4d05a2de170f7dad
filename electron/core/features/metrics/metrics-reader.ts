import { parseAddress, showAddress } from '../../../../shared/address.ts'
import type { AlertRule } from '../../../../shared/alerts.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import { readStore } from './store-reading.ts'

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

export type MetricsReading = ReturnType<MetricsReader['read']>

export type TenureListener = (store: { readonly name: string; readonly kind: string }, heldMs: number) => void

/** The watched stores for a monitoring system: all figures of one moment, and each tenure when it ends. */
export class MetricsReader implements HistorySubscriber {
  readonly #options: MetricsReaderOptions
  readonly #listeners: TenureListener[] = []
  /** Cached while many tenures end at once. */
  #names: ReadonlyMap<WatchedStore, string> | null = null

  constructor(options: MetricsReaderOptions) {
    this.#options = options
  }

  /** `keys`: how many locks of each store to list. */
  read(keys: number) {
    const names = this.#namesOfStores()
    const byId = new Map([...names].map(([{ storeId }, name]) => [storeId, name]))
    const alerts = this.#options.alerts?.openByRule().flatMap(({ rule, storeId, open: count }) => {
      const store = byId.get(storeId)
      return store === undefined ? [] : [{ rule, store, count }]
    })
    return {
      stores: [...names].map(([store, name]) => readStore(store, name, keys)),
      /** Null in a host without alerts. */
      alerts: alerts ?? null,
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
    if (this.#names === null) {
      queueMicrotask(() => {
        this.#names = null
      })
      this.#names = this.#namesOfStores()
    }
    return this.#names
  }

  #namesOfStores(): ReadonlyMap<WatchedStore, string> {
    const stores = this.#options.stores()
    const names = distinctNames(
      stores.map(({ storeId, address }) => ({ name: this.#options.nameOf(storeId, address), address })),
    )
    return new Map(stores.map((store, i) => [store, names[i] ?? store.storeId]))
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
