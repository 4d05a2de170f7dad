import { ExclusionIndex } from '../../../../shared/plan-state.ts'
import {
  attemptsLeft,
  isOpen,
  noResults,
  type PlanEntry,
  type PlanHeader,
  type PlanProgress,
  type PlanResult,
  type PlanSummary,
  type ResultCounts,
} from '../../../../shared/plans.ts'
import type { JournalLine } from './plan-file.ts'

/** The status of a run in progress. */
export type Running = Pick<PlanProgress, 'perSecond' | 'rate' | 'leftMs' | 'troubles'> & {
  readonly state: 'running' | 'paused' | 'stopping' | 'checking'
}

/** A plan with the state that its journal gives it. A line is noted the same way when it is written and when it is read. */
export class Plan {
  results: (PlanResult | null)[] = []
  readonly returned = new Set<number>()
  #exclusions = new ExclusionIndex()
  #startedAt: number | null = null
  #endedAt: number | null = null
  #reason: string | null = null
  #rate: number | null = null
  #isChecked = false
  #troubles: PlanProgress['troubles'] = []

  constructor(
    readonly header: PlanHeader,
    readonly entries: readonly PlanEntry[],
    journal: readonly JournalLine[] = [],
  ) {
    this.replay(journal)
  }

  /** Starts over with the whole journal. */
  replay(journal: readonly JournalLine[]): void {
    this.results = this.entries.map(() => null)
    this.returned.clear()
    this.#exclusions = new ExclusionIndex()
    this.#startedAt = null
    this.#isChecked = false
    for (const line of journal) this.note(line)
  }

  get wasApplied(): boolean {
    return this.#startedAt !== null
  }

  note(line: JournalLine): void {
    switch (line.is) {
      case 'exclude':
        // An applied plan stays as it was confirmed.
        if (this.wasApplied) return
        for (const exclusion of line.exclusions) this.#exclusions.set(exclusion, line.excluded)
        return
      case 'apply':
        this.#startedAt ??= line.at
        this.#endedAt = null
        this.#troubles = []
        this.#reason = line.reason
        this.#rate = line.rate
        return
      case 'try':
        for (const n of line.places)
          if (n < this.results.length) this.results[n] = { is: 'tried', at: line.at }
        return
      case 'results':
        for (const { n, result } of line.results) if (n < this.results.length) this.results[n] = result
        return
      case 'returned':
        this.#isChecked = true
        for (const n of line.places) this.returned.add(n)
        return
      case 'end':
        this.#endedAt = line.at
        this.#troubles = line.troubles.map(each => ({ ...each, retryInMs: null }))
        return
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

  /** Locks that are not excluded, per store. */
  countsByStore(): number[] {
    const counts = this.header.stores.map(() => 0)
    for (const entry of this.entries)
      if (!this.isExcluded(entry)) counts[entry.store] = (counts[entry.store] ?? 0) + 1
    return counts
  }

  progress(running: Running | null): PlanProgress {
    const counts: ResultCounts = noResults()
    let total = 0
    for (const entry of this.entries) {
      if (this.isExcluded(entry)) continue
      total++
      counts[this.results[entry.n]?.is ?? 'pending']++
    }
    const idle = this.#startedAt === null ? 'ready' : attemptsLeft({ counts }) > 0 ? 'stopped' : 'done'
    return {
      state: running?.state ?? idle,
      total,
      counts,
      returned: this.#isChecked ? this.returned.size : null,
      perSecond: running?.perSecond ?? null,
      rate: running?.rate ?? this.#rate,
      leftMs: running?.leftMs ?? null,
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      reason: this.#reason,
      troubles: running?.troubles ?? this.#troubles,
    }
  }

  summary(file: string, running: Running | null, undoUntil: number | null): PlanSummary {
    return {
      ...this.header,
      file,
      exclusions: this.#exclusions.list(),
      progress: this.progress(running),
      undoUntil,
    }
  }
}
