import { z } from 'zod'
import { type Side, type SwitchNow, type SwitchRun, switchRunSchema } from '../../../../shared/switch.ts'
import { SharedFile } from '../../files/shared-file.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { lastPage, PAGE_BYTES } from '../../lib/json-size.ts'
import type { Histories } from '../stats/histories.ts'
import { type Observation, RunWatch } from './run-watch.ts'
import type { SwitchStores } from './side.ts'

const fileSchema = z.object({ version: z.literal(1), runs: z.array(switchRunSchema) })

const TICK_MS = 500
/** Beyond this, the oldest ended switches are dropped. */
const MOST_RUNS = 200

/** An observation that is not in the file yet. */
type Pending = { readonly switchId: string; readonly observation: Observation }

/** The watch of a switch that is open or followed. */
type Entry = {
  readonly watch: RunWatch
  readonly feed: ChangeFeed
  followers: number
  /** The last state that followers were notified of. */
  lastState: string
}

export type SwitchRunsOptions = SwitchStores & {
  readonly histories: Pick<Histories, 'subscribe' | 'unsubscribe'>
  readonly dataFolder: string
  /** Whether an open switch is watched while no screen follows it. */
  readonly attends: boolean
}

/**
 * All switches, kept in `switches.json`, and the watches of those that are open or followed. A side is bound to the open store
 * with its address, so a switch continues in the next console at its step.
 */
export class SwitchRuns {
  readonly ready: Promise<void>
  readonly #file: SharedFile<z.infer<typeof fileSchema>>
  /** The switches in the file. */
  #kept: readonly SwitchRun[] = []
  #pending: readonly Pending[] = []
  readonly #entries = new Map<string, Entry>()
  readonly #timer: NodeJS.Timeout
  readonly #fileQueue = new WorkQueue()
  /** Whether the last attempt to write observations failed. */
  #isUnwritable = false
  #isTicking = false
  #isClosed = false

  constructor(readonly options: SwitchRunsOptions) {
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

  /**
   * Oldest first, as operators see them: an observation is shown once it is kept, so it is still there if this console is killed.
   * Only while the file cannot be written is it shown before.
   */
  get all(): readonly SwitchRun[] {
    return this.#isUnwritable ? this.#observed : this.#kept
  }

  get #observed(): readonly SwitchRun[] {
    return this.#pending.reduce(withObservation, this.#kept)
  }

  find(switchId: string): SwitchRun {
    return findIn(this.all, switchId)
  }

  /** Whether a switch is open between two stores, in either direction. */
  isUnderWay(address: string, other: string): boolean {
    return this.all.some(({ ended, from, to }) => {
      const sides = [from.address, to.address]
      return ended === null && sides.includes(address) && sides.includes(other)
    })
  }

  /** The switch with the ids and names of the stores that are open here. */
  bound(run: SwitchRun): SwitchRun {
    const bind = (side: Side): Side => {
      const [open] = this.options.stores.at(side.address)
      return open ? { ...side, storeId: open.storeId, storeName: open.name } : side
    }
    return { ...run, from: bind(run.from), to: bind(run.to) }
  }

  /** The switch for a screen, with the newest of what was observed if all of it is too much. */
  shown(run: SwitchRun, bytes = PAGE_BYTES / 2): SwitchRun {
    const strays = lastPage(run.strays, bytes)
    const splits = lastPage(run.splits, bytes)
    const unlisted = {
      strays: run.strays.length - strays.length,
      splits: run.splits.length - splits.length,
    }
    return { ...this.bound(run), strays, splits, unlisted }
  }

  async now(switchId: string): Promise<SwitchNow> {
    const { watch } = this.#entryOf(switchId)
    await watch.readEnv()
    return watch.now()
  }

  /** Changes the file, and writes pending observations with it. Fails without any change if the file cannot be written. */
  edit(change: (runs: readonly SwitchRun[]) => readonly SwitchRun[]): Promise<void> {
    return this.#fileQueue.run(async () => {
      const pending = this.#pending
      const { runs } = await this.#file.update(file => {
        const runs = withoutOldest(change(pending.reduce(withObservation, file.runs)))
        return runs === file.runs ? file : { ...file, runs: [...runs] }
      })
      this.#isUnwritable = false
      this.#pending = this.#pending.slice(pending.length)
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
    return this.shown(this.find(switchId))
  }

  async *watch(switchId: string, signal: AbortSignal): AsyncIterable<{ run: SwitchRun; now: SwitchNow }> {
    await this.ready
    const entry = this.#entryOf(switchId)
    entry.followers++
    try {
      this.#tend(switchId, entry)
      await entry.watch.readEnv()
      const event = () => ({ run: this.shown(this.find(switchId)), now: entry.watch.now() })
      yield* entry.feed.events(event, signal)
    } finally {
      entry.followers--
      this.#tend(switchId, entry)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const { watch } of this.#entries.values()) watch.tend('not')
    await this.#keep()
    await this.#fileQueue.run(() => {})
  }

  #entryOf(switchId: string): Entry {
    const known = this.#entries.get(switchId)
    if (known) return known
    const run = () => findIn(this.#observed, switchId)
    const watch = this.options.histories.subscribe(
      new RunWatch({
        ...this.options,
        run,
        observed: observation => {
          const before = run()
          if (observation(before) !== before) this.#pending = [...this.#pending, { switchId, observation }]
        },
        now: Date.now,
      }),
    )
    const entry = { watch, feed: new ChangeFeed(), followers: 0, lastState: '' }
    this.#entries.set(switchId, entry)
    return entry
  }

  /** Polls the stores as often as the switch needs; false if it is not watched any longer. */
  #tend(switchId: string, { watch, followers }: Entry): boolean {
    if (this.#isClosed) return false
    const isOpen = this.#kept.some(run => run.switchId === switchId && run.ended === null)
    const isAttended = isOpen && this.options.attends
    watch.tend(followers > 0 ? 'closely' : isAttended ? 'slowly' : 'not')
    return followers > 0 || isAttended
  }

  /** Polls what sends no events: the files, and stores that were opened or closed. */
  async #tick(): Promise<void> {
    if (this.#isTicking || this.#isClosed) return
    this.#isTicking = true
    try {
      await this.#fileQueue.run(() => this.#read())
      if (this.options.attends)
        for (const { switchId, ended } of this.#kept) if (ended === null) this.#entryOf(switchId)
      for (const [switchId, entry] of this.#entries)
        if (this.#tend(switchId, entry)) await entry.watch.readEnv()
        else this.#drop(switchId, entry)
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
    for (const [switchId, entry] of this.#entries) {
      if (entry.followers === 0) continue
      const { at: _, ...now } = entry.watch.now()
      const state = JSON.stringify([this.find(switchId), now])
      if (state === entry.lastState) entry.feed.moved()
      else entry.feed.changed()
      entry.lastState = state
    }
  }

  /** Writes observations to the file; if that fails, the next tick tries again. */
  async #keep(): Promise<void> {
    if (this.#pending.length === 0) return
    await this.edit(runs => runs).catch(() => {
      this.#isUnwritable = true
    })
  }

  async #read(): Promise<void> {
    if (await this.#file.read()) this.#take(this.#file.value.runs)
  }

  #take(runs: readonly SwitchRun[]): void {
    this.#kept = runs
    for (const [switchId, entry] of this.#entries)
      if (!runs.some(run => run.switchId === switchId)) this.#drop(switchId, entry)
  }

  #drop(switchId: string, { watch, feed }: Entry): void {
    this.#entries.delete(switchId)
    this.options.histories.unsubscribe(watch)
    watch.tend('not')
    // Followers of a switch that is gone learn of it.
    feed.changed()
  }
}

function findIn(runs: readonly SwitchRun[], switchId: string): SwitchRun {
  const run = runs.find(each => each.switchId === switchId)
  if (!run) throw new StoreError('NOT_FOUND', 'There is no such switch')
  return run
}

function checkUnderWay({ ended }: SwitchRun): void {
  if (ended !== null) throw new StoreError('REFUSED', `This switch was ${ended.how} already`)
}

/** The same switches if the observation is not new. */
function withObservation(
  runs: readonly SwitchRun[],
  { switchId, observation }: Pending,
): readonly SwitchRun[] {
  return runs.some(run => run.switchId === switchId && observation(run) !== run)
    ? runs.map(run => (run.switchId === switchId ? observation(run) : run))
    : runs
}

function withoutOldest(runs: readonly SwitchRun[]): readonly SwitchRun[] {
  if (runs.length <= MOST_RUNS) return runs
  const old = new Set(runs.filter(({ ended }) => ended !== null).slice(0, runs.length - MOST_RUNS))
  return runs.filter(run => !old.has(run))
}
