import { ExclusionIndex } from '../../../../shared/plan-state.ts'
import {
  attemptsLeft,
  isOpen,
  noResults,
  type PlanEntry,
  type PlanEvent,
  type PlanProgress,
  type PlanResult,
  type PlanSummary,
} from '../../../../shared/plans.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { firstPage, pagesOf } from '../../lib/json-size.ts'
import { sleep } from '../../lib/timers.ts'
import { codeOf } from './plan-code.ts'
import type { PlanFile } from './plan-file.ts'
import { lockPlan } from './plan-lock.ts'
import type { JournalLine, PlanContents, PlanText } from './plan-text.ts'
import type { UndoCopies } from './undo-copies.ts'

/** Between two events about the progress. */
const REST_MS = 200

export type RunStatus = Pick<PlanProgress, 'perSecond' | 'rate' | 'leftMs' | 'troubles'> & {
  readonly state: 'running' | 'paused' | 'stopping' | 'checking'
}

/** The run of a plan, as its operator sees and steers it. */
export interface Run {
  status(): RunStatus
  pause(): void
  resume(): void
  /** Waits for requests in flight and attempts no further lock. */
  stop(): void
  setRate(rate: number): void
}

/** How a plan was applied, by its journal. */
type Applied = Pick<PlanProgress, 'startedAt' | 'endedAt' | 'reason' | 'rate' | 'troubles'>
const NEVER_APPLIED: Applied = { startedAt: null, endedAt: null, reason: null, rate: null, troubles: [] }

/** A plan in use by this process: its file, its state by the journal of the file, and its run. */
export class Plan {
  readonly header: PlanContents['header']
  readonly entries: readonly PlanEntry[]
  readonly maker: string | null
  readonly #digests: readonly number[]
  results: (PlanResult | null)[] = []
  /** Released locks that their previous holder re-acquired; null before the check. */
  #returned: Set<number> | null = null
  readonly changes = new ChangeFeed(0)
  /** Changes by the screens of this process, one at a time. */
  readonly queue = new WorkQueue()
  run: Run | null = null
  /** Resolves when the run has unlocked the plan. */
  ending: Promise<void> = Promise.resolve()
  #exclusions = new ExclusionIndex()
  #code: string | null = null
  #applied = NEVER_APPLIED
  /** Until when its releases can be restored. */
  #undoUntil: number | null = null
  readonly #removed = new AbortController()

  constructor(
    readonly file: PlanFile,
    { header, entries, digests, journal, maker }: PlanContents,
  ) {
    this.header = header
    this.entries = entries
    this.maker = maker
    this.#digests = digests
    this.replay(journal)
  }

  get planId(): string {
    return this.header.planId
  }

  get wasApplied(): boolean {
    return this.#applied.startedAt !== null
  }

  /** Starts over with the whole journal. */
  replay(journal: readonly JournalLine[]): void {
    this.results = this.entries.map(() => null)
    this.#returned = null
    this.#exclusions = new ExclusionIndex()
    this.#code = null
    this.#applied = NEVER_APPLIED
    for (const line of journal) this.note(line)
    this.changes.changed()
  }

  /** Writes a line to the journal and notes it. */
  async record(line: JournalLine): Promise<void> {
    await this.file.append([line])
    this.note(line)
  }

  /** Brings the state up to date with a line of the journal, just written or read. */
  note(line: JournalLine): void {
    switch (line.is) {
      case 'exclude':
        // An applied plan stays as it was confirmed.
        if (this.wasApplied) return
        for (const exclusion of line.exclusions) this.#exclusions.set(exclusion, line.excluded)
        this.#code = null
        return
      case 'apply': {
        const { at, reason, rate } = line
        const startedAt = this.#applied.startedAt ?? at
        this.#applied = { startedAt, endedAt: null, reason, rate, troubles: [] }
        return
      }
      case 'try':
        for (const n of line.places)
          if (n < this.results.length) this.results[n] = { is: 'tried', at: line.at }
        return
      case 'results':
        for (const { n, result } of line.results) if (n < this.results.length) this.results[n] = result
        return
      case 'returned':
        this.#returned = new Set([...(this.#returned ?? []), ...line.places])
        return
      case 'end':
        this.#applied = {
          ...this.#applied,
          endedAt: line.at,
          troubles: line.troubles.map(each => ({ ...each, retryInMs: null })),
        }
        return
    }
  }

  /** Continues with the journal of another file of this plan, if that is longer. */
  async catchUpWith(other: PlanText): Promise<void> {
    if (!(await this.file.isShorterThan(other))) return
    await this.alone(async () => {
      await this.file.catchUpWith(other)
      this.replay(other.contents.journal)
    })
  }

  /** Runs the work while no other screen or process changes the plan. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      const unlock = await this.lock()
      try {
        return await work()
      } finally {
        await unlock()
      }
    })
  }

  /** Locks the plan among processes, and reads what others have changed. */
  async lock(): Promise<() => Promise<void>> {
    if (this.run) throw new StoreError('REFUSED', 'This plan is already being applied: stop it first')
    const unlock = await lockPlan(this.file.path)
    try {
      const contents = await this.file.changed()
      if (contents) this.replay(contents.journal)
      return unlock
    } catch (error) {
      await unlock()
      throw error
    }
  }

  isExcluded(entry: PlanEntry): boolean {
    return this.#exclusions.covers(entry)
  }

  /** The locks that applying the plan would attempt, in its order. */
  openIn(store: number): PlanEntry[] {
    return this.entries.filter(
      entry => entry.store === store && !this.isExcluded(entry) && isOpen(this.results[entry.n] ?? null),
    )
  }

  /** Identifies the locks that are not excluded. An applied plan keeps its code. */
  get code(): string {
    const kept = () => this.#digests.filter((_, n) => !this.isExcluded(this.entries[n] as PlanEntry))
    this.#code ??= codeOf(this.header.kind, kept())
    return this.#code
  }

  async findUndo(copies: UndoCopies): Promise<void> {
    if (this.header.kind !== 'release' || !this.wasApplied) return
    const { restorable } = await copies.undoable(this.planId)
    this.#undoUntil = restorable.length > 0 ? await copies.until(this.planId) : null
  }

  progress(running: RunStatus | null = this.run?.status() ?? null): PlanProgress {
    const counts = noResults()
    let total = 0
    for (const entry of this.entries) {
      if (this.isExcluded(entry)) continue
      total++
      counts[this.results[entry.n]?.is ?? 'pending']++
    }
    const ended = attemptsLeft({ counts }) > 0 ? 'stopped' : 'done'
    return {
      total,
      counts,
      state: this.wasApplied ? ended : 'ready',
      returned: this.#returned?.size ?? null,
      perSecond: null,
      leftMs: null,
      ...this.#applied,
      ...running,
    }
  }

  /** Its stream: all of it once, then its changes, coalesced. `summary` is the plan as this console shows it. */
  async *events(summary: () => PlanSummary, aborted: AbortSignal): AsyncIterable<PlanEvent> {
    const signal = AbortSignal.any([aborted, this.#removed.signal])
    const { entries } = this
    yield* this.#summaryEvents(summary())
    for (const page of pagesOf(entries)) yield { type: 'entries', entries: page }
    const sent: (PlanResult | null)[] = entries.map(() => null)
    let sentReturned = 0
    let lastState: string | null = null
    for await (const plan of this.changes.events(summary, signal)) {
      const changed = entries.filter(({ n }) => this.results[n] !== sent[n])
      for (const { n } of changed) sent[n] = this.results[n] ?? null
      for (const results of pagesOf(changed.map(({ n }) => ({ n, result: sent[n] ?? null }))))
        yield { type: 'results', results }
      const returned = this.#returned ?? new Set()
      if (returned.size > sentReturned) {
        sentReturned = returned.size
        for (const places of pagesOf([...returned])) yield { type: 'returned', places }
      }
      const { state } = plan.progress
      // Exclusions can be many, and a running plan has no new ones.
      const isRunning = state === lastState && state === 'running'
      lastState = state
      if (isRunning) yield { type: 'progress', progress: plan.progress }
      else yield* this.#summaryEvents(plan)
      await sleep(REST_MS, signal)
    }
  }

  *#summaryEvents(plan: PlanSummary): Iterable<PlanEvent> {
    const further = plan.exclusionsLeft > 0 ? this.#exclusions.list().slice(plan.exclusions.length) : []
    yield { type: 'plan', plan: { ...plan, exclusionsLeft: further.length } }
    for (const exclusions of pagesOf(further)) yield { type: 'exclusions', exclusions }
  }

  /** Ends its streams. */
  remove(): void {
    this.#removed.abort()
  }

  /** With the store names of its file. */
  summary(): PlanSummary {
    const all = this.#exclusions.list()
    const exclusions = firstPage(all)
    return {
      ...this.header,
      file: this.file.path,
      maker: this.maker,
      code: this.code,
      exclusions,
      exclusionsLeft: all.length - exclusions.length,
      progress: this.progress(),
      undoUntil: this.#undoUntil,
    }
  }
}
