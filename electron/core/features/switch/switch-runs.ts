import { z } from 'zod'
import type { Failure } from '../../../../shared/result.ts'
import { type Side, type SwitchNow, type SwitchRun, switchRunSchema } from '../../../../shared/switch.ts'
import { SharedFile } from '../../files/shared-file.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { type Observation, RunWatch } from './run-watch.ts'
import type { SwitchStores } from './side.ts'

const fileSchema = z.object({ version: z.literal(1), runs: z.array(switchRunSchema) })

const TICK_MS = 500
/** Beyond this, the oldest ended switches are dropped. */
const MOST_RUNS = 200

type Entry = {
  /** The switch in the file. */
  run: SwitchRun
  /** Observations that are not in the file yet. */
  pending: readonly Observation[]
  watch: RunWatch | null
  readonly feed: ChangeFeed
  watchers: number
  /** The last state that followers were notified of. */
  lastState: string
}

export type SwitchRunsOptions = SwitchStores & {
  readonly dataFolder: string
  /** Whether an open switch is watched while no screen follows it. */
  readonly attends: boolean
}

/**
 * All switches, kept in `switches.json`, and the watches of those that are open or followed. A side is bound to the open store
 * with its address, so a switch continues in the next console at its step.
 */
export class SwitchRuns implements HistorySubscriber {
  readonly ready: Promise<void>
  readonly #o: SwitchRunsOptions
  readonly #file: SharedFile<z.infer<typeof fileSchema>>
  readonly #entries = new Map<string, Entry>()
  readonly #timer: NodeJS.Timeout
  readonly #fileQueue = new WorkQueue()
  /** Whether the last attempt to write observations failed. */
  #isUnwritable = false
  #isTicking = false
  #isClosed = false

  constructor(options: SwitchRunsOptions) {
    this.#o = options
    this.#file = new SharedFile({
      folder: options.dataFolder,
      name: 'switches',
      what: 'The list of provider switches',
      schema: fileSchema,
      empty: { version: 1, runs: [] },
    })
    this.ready = this.#fileQueue.run(() => this.#read())
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref()
  }

  /** Why switches may be missing here, as a sentence. */
  get notice(): string | null {
    return this.#file.notice
  }

  /** Oldest first. */
  get all(): readonly SwitchRun[] {
    return [...this.#entries.values()].map(entry => this.#shown(entry))
  }

  find(switchId: string): SwitchRun {
    return this.#shown(this.#entryOf(switchId))
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

  /** The switch with the ids and names of the stores that are open here. */
  bound(run: SwitchRun): SwitchRun {
    const bind = (side: Side): Side => {
      const [open] = this.#o.stores.at(side.address)
      return open ? { ...side, storeId: open.storeId, storeName: open.name } : side
    }
    return { ...run, from: bind(run.from), to: bind(run.to) }
  }

  async now(switchId: string): Promise<SwitchNow> {
    const watch = this.#watchOf(this.#entryOf(switchId))
    await watch.readEnv()
    return watch.now()
  }

  /** Changes the file, and writes pending observations with it. Fails without any change if the file cannot be written. */
  edit(change: (runs: readonly SwitchRun[]) => readonly SwitchRun[]): Promise<void> {
    return this.#fileQueue.run(async () => {
      const pending = new Map([...this.#entries].map(([switchId, { pending }]) => [switchId, pending]))
      const { runs } = await this.#file.update(file => {
        const observed = file.runs.map(run => withAll(run, pending.get(run.switchId) ?? []))
        const isSame = observed.every((run, i) => run === file.runs[i])
        const runs = withoutOldest(change(isSame ? file.runs : observed))
        return runs === file.runs ? file : { ...file, runs: [...runs] }
      })
      this.#isUnwritable = false
      for (const [switchId, entry] of this.#entries)
        entry.pending = entry.pending.filter(each => !pending.get(switchId)?.includes(each))
      this.#take(runs)
    })
  }

  /** The switch, unless it has ended. */
  async underWay(switchId: string): Promise<SwitchRun> {
    await this.ready
    const run = this.find(switchId)
    checkUnderWay(run)
    return run
  }

  /** Changes one switch, unless it has ended: another console may have been quicker. */
  async editRun(switchId: string, change: (run: SwitchRun) => SwitchRun): Promise<SwitchRun> {
    await this.edit(runs =>
      runs.map(run => {
        if (run.switchId !== switchId) return run
        checkUnderWay(run)
        return change(run)
      }),
    )
    return this.bound(this.find(switchId))
  }

  async *watch(switchId: string, signal: AbortSignal): AsyncIterable<{ run: SwitchRun; now: SwitchNow }> {
    await this.ready
    const entry = this.#entryOf(switchId)
    entry.watchers++
    try {
      const watch = this.#watchOf(entry)
      this.#tend(entry)
      await watch.readEnv()
      const event = () => ({ run: this.bound(this.#shown(entry)), now: this.#watchOf(entry).now() })
      yield* entry.feed.events(event, signal)
    } finally {
      entry.watchers--
      this.#tend(entry)
    }
  }

  onEvents(store: WatchedStore, events: readonly LockEvent[]): void {
    for (const watch of this.#watches) watch.onEvents(store, events)
  }

  onPass(store: WatchedStore, pass: Pass): void {
    for (const watch of this.#watches) watch.onPass(store, pass)
  }

  onFailure(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void {
    for (const watch of this.#watches) watch.onFailure(store, why, failure)
  }

  onStop(store: WatchedStore): void {
    for (const watch of this.#watches) watch.onStop(store)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const watch of this.#watches) watch.tend('not')
    await this.#keep()
    await this.#fileQueue.run(() => {})
  }

  get #watches(): readonly RunWatch[] {
    return [...this.#entries.values()].flatMap(({ watch }) => watch ?? [])
  }

  #entryOf(switchId: string): Entry {
    const entry = this.#entries.get(switchId)
    if (!entry) throw new StoreError('NOT_FOUND', 'There is no such switch')
    return entry
  }

  #watchOf(entry: Entry): RunWatch {
    const run = () => withAll(entry.run, entry.pending)
    entry.watch ??= new RunWatch({
      ...this.#o,
      run,
      observed: add => {
        const before = run()
        if (add(before) !== before) entry.pending = [...entry.pending, add]
      },
      now: Date.now,
    })
    return entry.watch
  }

  #tend(entry: Entry): void {
    if (this.#isClosed) return
    const isUnderWay = entry.run.ended === null && this.#o.attends
    entry.watch?.tend(entry.watchers > 0 ? 'closely' : isUnderWay ? 'slowly' : 'not')
  }

  /** Polls what sends no events: the files, and stores that were opened or closed. */
  async #tick(): Promise<void> {
    if (this.#isTicking || this.#isClosed) return
    this.#isTicking = true
    try {
      await this.#fileQueue.run(() => this.#read())
      for (const entry of this.#entries.values()) {
        if (entry.watchers === 0 && (entry.run.ended !== null || !this.#o.attends)) {
          entry.watch?.tend('not')
          entry.watch = null
          continue
        }
        const watch = this.#watchOf(entry)
        this.#tend(entry)
        await watch.readEnv()
      }
      await this.#keep()
      this.#notify()
    } catch {
      // The next tick tries again to write.
    } finally {
      this.#isTicking = false
    }
  }

  /** Notifies followers of a change; the time alone is no change. */
  #notify(): void {
    for (const entry of this.#entries.values()) {
      if (entry.watchers === 0 || !entry.watch) continue
      const { at: _, ...now } = entry.watch.now()
      const state = JSON.stringify([this.#shown(entry), now])
      if (state === entry.lastState) entry.feed.moved()
      else entry.feed.changed()
      entry.lastState = state
    }
  }

  /** Writes observations to the file; if that fails, the next tick tries again. */
  async #keep(): Promise<void> {
    if ([...this.#entries.values()].every(({ pending }) => pending.length === 0)) return
    await this.edit(runs => runs).catch(() => {
      this.#isUnwritable = true
    })
  }

  /**
   * The switch that operators see: an observation is shown once it is kept, so it is still there if this console is killed. Only
   * while the file cannot be written is it shown before.
   */
  #shown({ run, pending }: Entry): SwitchRun {
    return this.#isUnwritable ? withAll(run, pending) : run
  }

  async #read(): Promise<void> {
    if (await this.#file.read()) this.#take(this.#file.value.runs)
  }

  #take(runs: readonly SwitchRun[]): void {
    const kept = new Set(runs.map(({ switchId }) => switchId))
    for (const [switchId, { watch }] of this.#entries) {
      if (kept.has(switchId)) continue
      watch?.tend('not')
      this.#entries.delete(switchId)
    }
    for (const run of runs) {
      const entry = this.#entries.get(run.switchId)
      if (entry) entry.run = run
      else this.#entries.set(run.switchId, newEntry(run))
    }
  }
}

function checkUnderWay({ ended }: SwitchRun): void {
  if (ended !== null) throw new StoreError('REFUSED', `This switch was ${ended.how} already`)
}

function newEntry(run: SwitchRun): Entry {
  return { run, pending: [], watch: null, feed: new ChangeFeed(), watchers: 0, lastState: '' }
}

function withAll(run: SwitchRun, observations: readonly Observation[]): SwitchRun {
  return observations.reduce((each, add) => add(each), run)
}

function withoutOldest(runs: readonly SwitchRun[]): readonly SwitchRun[] {
  if (runs.length <= MOST_RUNS) return runs
  const old = new Set(runs.filter(({ ended }) => ended !== null).slice(0, runs.length - MOST_RUNS))
  return runs.filter(run => !old.has(run))
}
