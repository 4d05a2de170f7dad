import { HOUR_MS } from '../../../../shared/duration.ts'
import type { StoreKind, WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { LockStore } from '../../stores/types.ts'
import type { Observe } from '../stores/connections.ts'
import type { LockEvent, Pass, WatchSubscriber } from '../stores/subscriber.ts'
import { HistoryFile, readHistory, removeOldHistories } from './history-file.ts'
import { addSpent } from './samples.ts'
import { StoreHistory } from './store-history.ts'

/**
 * How long to rest between two readings of a store that nobody looks at. A screen asks for more; whoever pays for the capacity
 * of DynamoDB would not want more without one.
 */
export const ATTEND_MS: Record<StoreKind, number> = {
  memory: 2000,
  redis: 5000,
  mysql: 5000,
  dynamodb: 30_000,
}

/** A store that is observed, as those see it who want to know what happens in it. */
export type WatchedStore = {
  readonly storeId: string
  readonly address: string
  readonly kind: StoreKind
  readonly history: StoreHistory
  /** What is there now, as far as it was read. Empty when nobody looks. */
  readonly locks: ReadonlyMap<string, WatchedLock>
}

/** Whoever wants to be told what is seen, in every store. It must not throw. */
export interface HistorySubscriber {
  onEvents?(store: WatchedStore, all: readonly LockEvent[]): void
  /** A lock was held for so long; only where both ends were seen. */
  onTenureEnd?(store: WatchedStore, heldMs: number): void
  onPass?(store: WatchedStore, pass: Pass): void
  onFailure?(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void
  /** Nobody looks at it any more: it was closed. */
  onStop?(store: WatchedStore): void
}

export type HistoriesOptions = {
  readonly dataFolder: string
  /** For how long what was seen is kept. */
  readonly keepMs: number
  /** A connection that is merely being tested is none to observe. */
  readonly observes: (storeId: string) => boolean
  /** Whether stores are read all the time, and what is seen of them is kept on disk. */
  readonly attends: boolean
}

type Entry = WatchedStore & {
  /** One of two stores with the same address keeps what both see. */
  file: HistoryFile | null
  readonly recalled: Promise<void>
  /** What was spent on it, through whatever connections. */
  readonly purse: { spent: () => Spent }
  locks: ReadonlyMap<string, WatchedLock>
}

const NOTHING: ReadonlyMap<string, WatchedLock> = new Map()

/** Observes every store that is opened, and remembers what was seen of those that are attended to. */
export class Histories {
  readonly #options: HistoriesOptions
  readonly #stores = new Map<string, Entry>()
  readonly #subscribers: HistorySubscriber[] = []

  constructor(options: HistoriesOptions) {
    this.#options = options
    // Whoever only asks a question removes nothing.
    if (options.attends && options.keepMs > 0) void removeOldHistories(options.dataFolder, options.keepMs)
  }

  /** Is told what is seen from now on. */
  subscribe(subscriber: HistorySubscriber): void {
    this.#subscribers.push(subscriber)
  }

  readonly observe: Observe = (storeId, store) => {
    if (!this.#options.observes(storeId)) return null
    const attends = this.#options.keepMs > 0 && this.#options.attends
    const entry = this.#entryOf(storeId, store, attends)
    return { subscriber: this.#subscriberOf(entry), attendMs: attends ? ATTEND_MS[store.kind] : null }
  }

  get(storeId: string): WatchedStore | null {
    return this.#stores.get(storeId) ?? null
  }

  get all(): readonly WatchedStore[] {
    return [...this.#stores.values()]
  }

  /** Resolves when what earlier processes saw of it is known. */
  async recalled(storeId: string): Promise<void> {
    await this.#stores.get(storeId)?.recalled
  }

  /** Why what is seen is not kept on disk at present; null when it is. */
  get problem(): string | null {
    for (const { file } of this.#stores.values()) if (file?.problem) return file.problem
    return null
  }

  /** The store is closed, or is another one from now on. */
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
      // The same store through a new connection, which has spent nothing yet.
      const before = known.purse.spent()
      known.purse.spent = () => addSpent(before, store.spent())
      return known
    }
    this.forget(storeId)
    const { dataFolder, keepMs } = this.#options
    const taken = [...this.#stores.values()].some(each => each.file && each.address === store.address)
    const file = attends && !taken ? new HistoryFile(dataFolder, store.address, keepMs) : null
    const purse = { spent: () => store.spent() }
    const history = new StoreHistory({
      keepMs: keepMs || SHORTEST_MS,
      keep: line => entry.file?.append(line),
      ended: heldMs => {
        for (const subscriber of this.#subscribers) subscriber.onTenureEnd?.(entry, heldMs)
      },
      spent: () => purse.spent(),
    })
    const recalled = this.#recall(history, store.address)
    const entry: Entry = {
      ...{ storeId, address: store.address, kind: store.kind, history, file, recalled, purse },
      locks: NOTHING,
    }
    this.#stores.set(storeId, entry)
    return entry
  }

  async #recall(history: StoreHistory, address: string): Promise<void> {
    const { dataFolder, keepMs } = this.#options
    if (keepMs === 0) return
    try {
      for await (const line of readHistory(dataFolder, address, Date.now() - keepMs)) history.recall(line)
      history.recalled()
    } catch {
      // A history that cannot be read is none; what is seen from now on is.
    }
  }

  #subscriberOf(entry: Entry): WatchSubscriber {
    const { history } = entry
    const subscribers = this.#subscribers
    const inOrder = afterwards(entry.recalled)
    return {
      onEvents: all =>
        inOrder(() => {
          history.onEvents(all)
          for (const subscriber of subscribers) subscriber.onEvents?.(entry, all)
        }),
      onPass: pass => {
        // The watcher goes on with its own: in the middle of its next pass, that is neither what was there nor what is.
        const seen = { ...pass, locks: new Map(pass.locks) }
        inOrder(() => {
          history.onPass(seen)
          entry.locks = seen.locks
          for (const subscriber of subscribers) subscriber.onPass?.(entry, seen)
        })
      },
      onFailure: (why, failure) =>
        inOrder(() => {
          history.onFailure(why, failure)
          for (const subscriber of subscribers) subscriber.onFailure?.(entry, why, failure)
        }),
      onStop: () =>
        inOrder(() => {
          history.onStop()
          entry.locks = NOTHING
          for (const subscriber of subscribers) subscriber.onStop?.(entry)
        }),
    }
  }
}

/** Runs at once what is asked for, or in its order once something has happened that has to come first. */
function afterwards(first: Promise<void>): (work: () => void) => void {
  let waiting: (() => void)[] | null = []
  void first.then(() => {
    const all = waiting ?? []
    waiting = null
    for (const work of all) work()
  })
  return work => (waiting ? waiting.push(work) : work())
}

/** Where nothing is kept on disk, what a command sees while it runs is remembered all the same. */
const SHORTEST_MS = HOUR_MS
