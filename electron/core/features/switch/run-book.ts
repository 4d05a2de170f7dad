import type { Failure } from '../../../../shared/result.ts'
import type { Side, SwitchNow, SwitchRun } from '../../../../shared/switch.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { RunWatch } from './run-watch.ts'
import type { SwitchStores } from './side.ts'
import { type KeptRun, SwitchFile } from './switch-file.ts'

const TICK_MS = 500

/** An observation that is not in the file yet. `isTried`: the file could not be written. */
type Learned = { readonly how: (run: KeptRun) => KeptRun; isTried: boolean }

type Entry = {
  /** The switch in the file. */
  kept: KeptRun
  learned: Learned[]
  watch: RunWatch | null
  readonly feed: ChangeFeed
  watchers: number
  told: string
}

export type RunBookOptions = {
  readonly dataFolder: string
  readonly stores: SwitchStores
  readonly nameOf: (storeId: string, address: string) => string
  /** Whether an open switch is watched while no screen follows it. */
  readonly attends: boolean
}

/**
 * All switches, kept in `switches.json`, and the watches of those that are open or followed. A side is bound to the open store
 * with its address, so a switch continues in the next console at its step.
 */
export class RunBook implements HistorySubscriber {
  readonly ready: Promise<void>
  readonly #o: RunBookOptions
  readonly #file: SwitchFile
  readonly #entries = new Map<string, Entry>()
  readonly #timer: NodeJS.Timeout
  readonly #fileQueue = new WorkQueue()
  #isTicking = false
  #isClosed = false

  constructor(options: RunBookOptions) {
    this.#o = options
    this.#file = new SwitchFile(options.dataFolder)
    this.ready = this.#fileQueue.run(() => this.#read())
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref()
  }

  /** Why switches may be missing here, as a sentence. */
  get notice(): string | null {
    return this.#file.notice
  }

  /** Oldest first. */
  get all(): readonly KeptRun[] {
    return [...this.#entries.values()].map(told)
  }

  find(switchId: string): KeptRun {
    return told(this.#entryOf(switchId))
  }

  /** Whether a switch is open between two stores, in either direction. */
  isUnderWay(address: string, other: string): boolean {
    return this.all.some(
      ({ ended, from, to }) =>
        ended === null &&
        ((from.address === address && to.address === other) ||
          (from.address === other && to.address === address)),
    )
  }

  /** The switch for a client: with the ids and names of the stores that are open here. */
  shown({ firstArrivalInNewAt: _, ...run }: KeptRun): SwitchRun {
    return { ...run, from: this.#bound(run.from), to: this.#bound(run.to) }
  }

  async now(switchId: string): Promise<SwitchNow> {
    const watch = this.#watchOf(this.#entryOf(switchId))
    await watch.lookAtEnv()
    return watch.now()
  }

  /** Changes the file, and writes pending observations with it. Fails without any change if the file cannot be written. */
  edit(how: (runs: readonly KeptRun[]) => readonly KeptRun[]): Promise<void> {
    return this.#fileQueue.run(async () => {
      const pending = new Map([...this.#entries].map(([switchId, { learned }]) => [switchId, [...learned]]))
      const runs = await this.#file.edit(before => how(withLearned(before, pending)))
      for (const [switchId, entry] of this.#entries)
        entry.learned = entry.learned.filter(each => !pending.get(switchId)?.includes(each))
      this.#take(runs)
    })
  }

  async *watch(switchId: string, signal: AbortSignal): AsyncIterable<{ run: SwitchRun; now: SwitchNow }> {
    await this.ready
    const entry = this.#entryOf(switchId)
    entry.watchers++
    try {
      const watch = this.#watchOf(entry)
      this.#tend(entry)
      await watch.lookAtEnv()
      yield* entry.feed.events(
        () => ({ run: this.shown(told(entry)), now: this.#watchOf(entry).now() }),
        signal,
      )
    } finally {
      entry.watchers--
      this.#tend(entry)
    }
  }

  onEvents(store: WatchedStore, all: readonly LockEvent[]): void {
    for (const { watch } of this.#entries.values()) watch?.onEvents(store, all)
  }

  onPass(store: WatchedStore, pass: Pass): void {
    for (const { watch } of this.#entries.values()) watch?.onPass(store, pass)
  }

  onFailure(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void {
    for (const { watch } of this.#entries.values()) watch?.onFailure(store, why, failure)
  }

  onStop(store: WatchedStore): void {
    for (const { watch } of this.#entries.values()) watch?.onStop(store)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const { watch } of this.#entries.values()) watch?.close()
    await this.#keep()
    await this.#fileQueue.run(() => {})
  }

  #entryOf(switchId: string): Entry {
    const entry = this.#entries.get(switchId)
    if (!entry) throw new StoreError('NOT_FOUND', 'There is no such switch')
    return entry
  }

  #watchOf(entry: Entry): RunWatch {
    entry.watch ??= new RunWatch({
      stores: this.#o.stores,
      run: () => known(entry),
      learned: how => {
        const before = known(entry)
        if (how(before) !== before) entry.learned.push({ how, isTried: false })
      },
      now: Date.now,
    })
    return entry.watch
  }

  #bound(side: Side): Side {
    const storeId = this.#o.stores.at(side.address)?.storeId ?? null
    return storeId === null ? side : { ...side, storeId, storeName: this.#o.nameOf(storeId, side.address) }
  }

  #tend(entry: Entry): void {
    if (this.#isClosed) return
    const isUnderWay = entry.kept.ended === null && this.#o.attends
    entry.watch?.tend(entry.watchers > 0 ? 'closely' : isUnderWay ? 'slowly' : 'not')
  }

  /** Polls what sends no events: the files, and stores that were opened or closed. */
  async #tick(): Promise<void> {
    if (this.#isTicking || this.#isClosed) return
    this.#isTicking = true
    try {
      await this.#fileQueue.run(() => this.#read())
      for (const entry of this.#entries.values()) {
        if (entry.watchers === 0 && (entry.kept.ended !== null || !this.#o.attends)) {
          entry.watch?.close()
          entry.watch = null
          continue
        }
        const watch = this.#watchOf(entry)
        this.#tend(entry)
        await watch.lookAtEnv()
      }
      await this.#keep()
      this.#tell()
    } catch {
      // The next tick tries again to write.
    } finally {
      this.#isTicking = false
    }
  }

  /** Notifies followers of a change; the time alone is no change. */
  #tell(): void {
    for (const entry of this.#entries.values()) {
      if (entry.watchers === 0 || !entry.watch) continue
      const { at: _, ...now } = entry.watch.now()
      const text = JSON.stringify([told(entry), now])
      if (text === entry.told) entry.feed.moved()
      else entry.feed.changed()
      entry.told = text
    }
  }

  /** Writes observations to the file. If that fails they are shown without being kept, and the write is tried again. */
  async #keep(): Promise<void> {
    const pending = [...this.#entries.values()].flatMap(({ learned }) => learned)
    if (pending.length === 0) return
    await this.edit(runs => runs).catch(() => {
      for (const each of pending) each.isTried = true
    })
  }

  async #read(): Promise<void> {
    const runs = await this.#file.read()
    if (runs !== null) this.#take(runs)
  }

  #take(runs: readonly KeptRun[]): void {
    const known = new Set(runs.map(({ switchId }) => switchId))
    for (const [switchId, { watch }] of this.#entries) {
      if (known.has(switchId)) continue
      watch?.close()
      this.#entries.delete(switchId)
    }
    for (const kept of runs) {
      const entry = this.#entries.get(kept.switchId)
      if (entry) entry.kept = kept
      else
        this.#entries.set(kept.switchId, {
          ...{ kept, learned: [], watch: null, feed: new ChangeFeed(), watchers: 0, told: '' },
        })
    }
  }
}

/** The switch with every observation. */
function known({ kept, learned }: Entry): KeptRun {
  return learned.reduce((run, { how }) => how(run), kept)
}

/**
 * The switch that operators see: an observation is shown once it is kept, so it is still there if this console is killed. Only an
 * observation that cannot be written is shown before.
 */
function told({ kept, learned }: Entry): KeptRun {
  return learned.filter(({ isTried }) => isTried).reduce((run, { how }) => how(run), kept)
}

function withLearned(
  runs: readonly KeptRun[],
  pending: ReadonlyMap<string, readonly Learned[]>,
): readonly KeptRun[] {
  const after = runs.map(run => (pending.get(run.switchId) ?? []).reduce((each, { how }) => how(each), run))
  return after.every((run, i) => run === runs[i]) ? runs : after
}
