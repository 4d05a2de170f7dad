import { HOUR_MS } from '../../../../shared/duration.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { countedAs } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { addNumbers, type Spent } from '../../../../shared/stats.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import type { LockStore } from '../../stores/types.ts'
import type { Observe } from '../stores/connections.ts'
import type { WatchSubscriber } from '../stores/subscriber.ts'
import { NO_COUNTS } from './figures.ts'
import { HistoryFile, readHistory, removeOldHistories } from './history-file.ts'
import { hasEnded, StoreHistory } from './store-history.ts'

/** A watched store, as subscribers see it. */
export type WatchedStore = {
  readonly storeId: string
  readonly address: string
  readonly kind: string
  readonly history: StoreHistory
  /** The locks of the last complete pass. Empty while the store is not polled. */
  readonly locks: ReadonlyMap<string, WatchedLock>
}

/** Notified about every watched store. It must not throw. */
export type HistorySubscriber = {
  [M in keyof WatchSubscriber]?: (
    store: WatchedStore,
    ...args: Parameters<WatchSubscriber[M]>
  ) => ReturnType<WatchSubscriber[M]>
} & {
  /** A tenure ended whose beginning and end were both seen. */
  onTenureEnd?: (store: WatchedStore, heldMs: number) => void
}

export type HistoriesOptions = {
  readonly dataFolder: string
  /** How long history is kept. */
  readonly keepMs: number
  /** False for a connection that is only being tested. */
  readonly observes: (storeId: string) => boolean
  /** Whether stores are polled all the time, and their history is kept on disk. */
  readonly attends: boolean
}

type Entry = WatchedStore & {
  /** Of two stores with the same address, one writes the history. */
  file: HistoryFile | null
  readonly recalled: Promise<void>
  /** Through all connections to the store. */
  readonly cost: { spent: () => Spent }
  locks: ReadonlyMap<string, WatchedLock>
}

const NOTHING: ReadonlyMap<string, WatchedLock> = new Map()

/** Keeps the history of every open store. */
export class Histories {
  readonly #stores = new Map<string, Entry>()
  readonly #subscribers = new Set<HistorySubscriber>()

  constructor(readonly options: HistoriesOptions) {
    // A host that opens a store for one question removes nothing.
    if (options.attends && options.keepMs > 0) void removeOldHistories(options.dataFolder, options.keepMs)
  }

  /** Notifies a subscriber from now on, and returns it. */
  subscribe<Subscriber extends HistorySubscriber>(subscriber: Subscriber): Subscriber {
    this.#subscribers.add(subscriber)
    return subscriber
  }

  unsubscribe(subscriber: HistorySubscriber): void {
    this.#subscribers.delete(subscriber)
  }

  readonly observe: Observe = (storeId, store) => {
    if (!this.options.observes(storeId)) return null
    const attends = this.options.keepMs > 0 && this.options.attends
    const entry = this.#entryOf(storeId, store, attends)
    return {
      subscriber: this.#subscriberOf(entry),
      attendMs: attends ? kindOf(store.kind).rests.unwatchedMs : null,
    }
  }

  get(storeId: string): WatchedStore | null {
    return this.#stores.get(storeId) ?? null
  }

  /** With the history that earlier processes kept. */
  async recalled(storeId: string): Promise<WatchedStore | null> {
    await this.#stores.get(storeId)?.recalled
    return this.get(storeId)
  }

  /** Why history cannot be written to disk at present; null if it can. */
  get problem(): string | null {
    const problems = [...this.#stores.values()].flatMap(({ file }) => file?.problem ?? [])
    return problems[0] ?? null
  }

  /** The store was removed, or has another address now. */
  forget(storeId: string): void {
    const entry = this.#stores.get(storeId)
    if (!entry) return
    this.#stores.delete(storeId)
    entry.history.close()
    void entry.file?.flush()
    const heir = [...this.#stores.values()].find(each => each.address === entry.address)
    if (heir) heir.file ??= entry.file
  }

  async close(): Promise<void> {
    const files = [...this.#stores.values()].map(({ file }) => file)
    for (const storeId of [...this.#stores.keys()]) this.forget(storeId)
    await Promise.all(files.map(file => file?.flush()))
  }

  #entryOf(storeId: string, store: LockStore, attends: boolean): Entry {
    const known = this.#stores.get(storeId)
    if (known && known.address === store.address) {
      // The same store through a new connection, which starts counting at zero.
      const before = known.cost.spent()
      known.cost.spent = () => addNumbers(before, store.spent())
      return known
    }
    this.forget(storeId)
    const { dataFolder, keepMs } = this.options
    const taken = [...this.#stores.values()].some(each => each.file && each.address === store.address)
    const file = attends && !taken ? new HistoryFile(dataFolder, store.address, keepMs) : null
    const cost = { spent: () => store.spent() }
    const history = new StoreHistory({
      // A command that keeps no history on disk remembers an hour.
      keepMs: keepMs || HOUR_MS,
      keep: line => entry.file?.append(line),
      ended: heldMs => {
        for (const subscriber of this.#subscribers) subscriber.onTenureEnd?.(entry, heldMs)
      },
      spent: () => cost.spent(),
    })
    const recalled = this.#recall(history, store.address)
    const entry: Entry = {
      storeId,
      address: store.address,
      kind: store.kind,
      history,
      file,
      recalled,
      cost,
      locks: NOTHING,
    }
    this.#stores.set(storeId, entry)
    return entry
  }

  async #recall(history: StoreHistory, address: string): Promise<void> {
    const { dataFolder, keepMs } = this.options
    if (keepMs === 0) return
    try {
      for await (const line of readHistory(dataFolder, address, Date.now() - keepMs)) history.recall(line)
      history.recalled()
    } catch {
      // An unreadable history counts as empty.
    }
  }

  #subscriberOf(entry: Entry): WatchSubscriber {
    const { history } = entry
    const inOrder = after(entry.recalled)
    const notify = (work: (subscriber: HistorySubscriber) => void) => this.#subscribers.forEach(work)
    /** Passes that are older are of another time of watching. */
    let stops = 0
    let isRecalled = false
    void entry.recalled.then(() => {
      isRecalled = true
    })
    return {
      onEvents: events =>
        inOrder(() => {
          history.onEvents(events)
          notify(subscriber => subscriber.onEvents?.(entry, events))
        }),
      onPass: async pass => {
        const before = stops
        // The watcher changes its own map during the next pass.
        const locks = new Map<string, WatchedLock>()
        const counts = { ...NO_COUNTS }
        await eachYielding(pass.locks, ([id, lock]) => {
          locks.set(id, lock)
          counts[countedAs(lock, pass.serverTime)]++
        })
        const ended: string[] = []
        // Before that, the tenures of earlier processes are not known.
        const mayEnd = isRecalled && history.isAfterGap(pass)
        if (mayEnd)
          await eachYielding(history.tenures.open.keys(), id => {
            if (hasEnded(locks, id)) ended.push(id)
          })
        const copy = { ...pass, locks }
        const working: unknown[] = []
        inOrder(() => {
          if (stops > before) return
          history.onPass(copy, mayEnd ? { counts, ended } : { counts })
          entry.locks = locks
          notify(subscriber => working.push(subscriber.onPass?.(entry, copy)))
        })
        await Promise.all(working)
      },
      onFailure: (why, failure) =>
        inOrder(() => {
          history.onFailure(why, failure)
          notify(subscriber => subscriber.onFailure?.(entry, why, failure))
        }),
      onStop: () => {
        stops++
        inOrder(() => {
          history.onStop()
          entry.locks = NOTHING
          notify(subscriber => subscriber.onStop?.(entry))
        })
      },
    }
  }
}

/** Runs work at once, or in order once `first` has resolved. */
function after(first: Promise<void>): (work: () => void) => void {
  let waiting: (() => void)[] | null = []
  void first.then(() => {
    const all = waiting ?? []
    waiting = null
    for (const work of all) work()
  })
  return work => (waiting ? waiting.push(work) : work())
}
