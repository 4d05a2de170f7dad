import type { StoreKind, WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { LockStore } from '../../stores/types.ts'
import type { Observe } from '../stores/connections.ts'
import type { Happening, Pass, WatchObserver } from '../stores/subscriber.ts'
import { HistoryFile, readHistory, removeOldHistories } from './history-file.ts'
import { addSpent } from './samples.ts'
import { Observation } from './store-history.ts'

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
export type Observed = {
  readonly storeId: string
  readonly address: string
  readonly kind: StoreKind
  readonly observation: Observation
  /** What is there now, as far as it was read. Empty when nobody looks. */
  readonly locks: ReadonlyMap<string, WatchedLock>
}

/** Whoever wants to be told what is seen, in every store. It must not throw. */
export interface Lookout {
  happened?(store: Observed, all: readonly Happening[]): void
  /** A lock was held for so long; only where both ends were seen. */
  ended?(store: Observed, heldMs: number): void
  passed?(store: Observed, pass: Pass): void
  failed?(store: Observed, why: 'down' | 'partial', failure: Failure): void
  /** Nobody looks at it any more: it was closed. */
  rested?(store: Observed): void
}

export type ObservatoryOptions = {
  readonly dataFolder: string
  /** For how long what was seen is kept. */
  readonly keepMs: number
  /** A connection that is merely being tested is none to observe. */
  readonly observes: (storeId: string) => boolean
  /** Whether stores are read all the time, and what is seen of them is kept on disk. */
  readonly attends: boolean
  readonly lookouts: readonly Lookout[]
}

type Entry = Observed & {
  /** One of two stores with the same address keeps what both see. */
  file: HistoryFile | null
  readonly recalled: Promise<void>
  /** What was spent on it, through whatever connections. */
  readonly purse: { spent: () => Spent }
  locks: ReadonlyMap<string, WatchedLock>
}

const NOTHING: ReadonlyMap<string, WatchedLock> = new Map()

/** Observes every store that is opened, and remembers what was seen of those that are attended to. */
export class Observatory {
  readonly #options: ObservatoryOptions
  readonly #stores = new Map<string, Entry>()

  constructor(options: ObservatoryOptions) {
    this.#options = options
    // Whoever only asks a question removes nothing.
    if (options.attends && options.keepMs > 0) void removeOldHistories(options.dataFolder, options.keepMs)
  }

  readonly observe: Observe = (storeId, store) => {
    if (!this.#options.observes(storeId)) return null
    const attends = this.#options.keepMs > 0 && this.#options.attends
    const entry = this.#entryOf(storeId, store, attends)
    return { observer: this.#observerOf(entry), attendMs: attends ? ATTEND_MS[store.kind] : null }
  }

  get(storeId: string): Observed | null {
    return this.#stores.get(storeId) ?? null
  }

  get all(): readonly Observed[] {
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
    entry.observation.close()
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
    const observation = new Observation({
      keepMs: keepMs || SHORTEST_MS,
      keep: line => entry.file?.append(line),
      ended: heldMs => {
        for (const lookout of this.#options.lookouts) lookout.ended?.(entry, heldMs)
      },
      spent: () => purse.spent(),
    })
    const recalled = this.#recall(observation, store.address)
    const entry: Entry = {
      ...{ storeId, address: store.address, kind: store.kind, observation, file, recalled, purse },
      locks: NOTHING,
    }
    this.#stores.set(storeId, entry)
    return entry
  }

  async #recall(observation: Observation, address: string): Promise<void> {
    const { dataFolder, keepMs } = this.#options
    if (keepMs === 0) return
    try {
      for await (const line of readHistory(dataFolder, address, Date.now() - keepMs)) observation.recall(line)
      observation.recalled()
    } catch {
      // A history that cannot be read is none; what is seen from now on is.
    }
  }

  #observerOf(entry: Entry): WatchObserver {
    const { observation } = entry
    const { lookouts } = this.#options
    const inOrder = afterwards(entry.recalled)
    return {
      happened: all =>
        inOrder(() => {
          observation.happened(all)
          for (const lookout of lookouts) lookout.happened?.(entry, all)
        }),
      passed: pass => {
        // The watcher goes on with its own: in the middle of its next pass, that is neither what was there nor what is.
        const seen = { ...pass, locks: new Map(pass.locks) }
        inOrder(() => {
          observation.passed(seen)
          entry.locks = seen.locks
          for (const lookout of lookouts) lookout.passed?.(entry, seen)
        })
      },
      failed: (why, failure) =>
        inOrder(() => {
          observation.failed(why, failure)
          for (const lookout of lookouts) lookout.failed?.(entry, why, failure)
        }),
      rested: () =>
        inOrder(() => {
          observation.rested()
          entry.locks = NOTHING
          for (const lookout of lookouts) lookout.rested?.(entry)
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
const SHORTEST_MS = 3_600_000
