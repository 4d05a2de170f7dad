import {
  type Exclusion,
  groupOf,
  isOpen,
  noResults,
  type PlanEntry,
  type PlanHeader,
  type PlanProgress,
  type PlanResult,
  type PlanSummary,
  type ResultCounts,
} from '../../../../shared/plans.ts'
import type { Journalled } from './plan-file.ts'

/** How a run stands, for as long as it lasts. */
export type Running = Pick<PlanProgress, 'perSecond' | 'rate' | 'leftMs' | 'troubles'> & {
  readonly state: 'running' | 'paused' | 'stopping' | 'checking'
}

/** A plan and all that is known of it. What happens to it is a journal, read back in the same way as it is written. */
export class Plan {
  results: (PlanResult | null)[] = []
  readonly returned = new Set<number>()
  readonly #exclusions = new Map<string, Exclusion>()
  /** Found out when it is first asked for: a journal can have many exclusions. */
  #excluded: boolean[] | null = null
  #startedAt: number | null = null
  #endedAt: number | null = null
  #reason: string | null = null
  #rate: number | null = null
  #looked = false
  #troubles: PlanProgress['troubles'] = []

  constructor(
    readonly header: PlanHeader,
    readonly entries: readonly PlanEntry[],
    journal: readonly Journalled[] = [],
  ) {
    this.replay(journal)
  }

  /** All that has happened to it, from the beginning. */
  replay(journal: readonly Journalled[]): void {
    this.results = this.entries.map(() => null)
    this.returned.clear()
    this.#exclusions.clear()
    this.#excluded = null
    this.#startedAt = null
    this.#looked = false
    for (const line of journal) this.note(line)
  }

  get wasApplied(): boolean {
    return this.#startedAt !== null
  }

  note(line: Journalled): void {
    switch (line.is) {
      case 'exclude':
        // What was applied stays as it was confirmed.
        if (this.wasApplied) return
        for (const exclusion of line.exclusions) {
          if (line.excluded) this.#exclusions.set(nameOf(exclusion), exclusion)
          else this.#exclusions.delete(nameOf(exclusion))
        }
        this.#excluded = null
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
        this.#looked = true
        for (const n of line.places) this.returned.add(n)
        return
      case 'end':
        this.#endedAt = line.at
        this.#troubles = line.troubles.map(each => ({ ...each, retryInMs: null }))
        return
    }
  }

  isExcluded(n: number): boolean {
    this.#excluded ??= this.#computeExcluded()
    return this.#excluded[n] === true
  }

  /** What applying it would still try, in the order of the plan. */
  openIn(store: number): PlanEntry[] {
    return this.entries.filter(
      entry => entry.store === store && !this.isExcluded(entry.n) && isOpen(this.results[entry.n] ?? null),
    )
  }

  /** Locks that are not excluded, by store. */
  countsByStore(): number[] {
    const counts = this.header.stores.map(() => 0)
    for (const { n, store } of this.entries) if (!this.isExcluded(n)) counts[store] = (counts[store] ?? 0) + 1
    return counts
  }

  progress(running: Running | null): PlanProgress {
    const counts: ResultCounts = noResults()
    let total = 0
    let open = 0
    for (const { n } of this.entries) {
      if (this.isExcluded(n)) continue
      const result = this.results[n] ?? null
      total++
      counts[result?.is ?? 'pending']++
      if (isOpen(result)) open++
    }
    const idle = this.#startedAt === null ? 'ready' : open > 0 ? 'stopped' : 'done'
    return {
      state: running?.state ?? idle,
      total,
      counts,
      returned: this.#looked ? this.returned.size : null,
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
      exclusions: [...this.#exclusions.values()],
      progress: this.progress(running),
      undoUntil,
    }
  }

  /** One look at each lock, however many exclusions there are. */
  #computeExcluded(): boolean[] {
    if (this.#exclusions.size === 0) return this.entries.map(() => false)
    const kinds = [...new Set([...this.#exclusions.values()].map(({ by }) => by))]
    return this.entries.map(entry =>
      kinds.some(by => this.#exclusions.has(nameOf({ by, value: groupOf(entry, by) }))),
    )
  }
}

function nameOf({ by, value }: Exclusion): string {
  return `${by}:${value}`
}
