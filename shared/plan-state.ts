import { type Client, firstInStream } from './client.ts'
import {
  type Exclusion,
  groupOf,
  type PlanEntry,
  type PlanEvent,
  type PlanResult,
  type PlanSummary,
} from './plans.ts'
import type { Result } from './result.ts'

/** Groups before single locks: a lock in an excluded group can only be included with its group. */
const EXCLUDED_BY: readonly Exclusion['by'][] = ['store', 'holder', 'format', 'state', 'lock']

/** The exclusions of one plan, indexed: every lock of a large plan asks for them often. */
export class ExclusionIndex {
  readonly #values = new Map<Exclusion['by'], Set<string>>()
  /** What was answered since the last change, by the place of the lock. */
  #answers: boolean[] = []

  constructor(exclusions: Iterable<Exclusion> = []) {
    for (const exclusion of exclusions) this.set(exclusion, true)
  }

  set({ by, value }: Exclusion, isExcluded: boolean): void {
    const values = this.#values.get(by) ?? new Set()
    this.#values.set(by, values)
    if (isExcluded) values.add(value)
    else values.delete(value)
    this.#answers = []
  }

  list(): Exclusion[] {
    return [...this.#values].flatMap(([by, values]) => [...values].map(value => ({ by, value })))
  }

  has({ by, value }: Exclusion): boolean {
    return this.#values.get(by)?.has(value) === true
  }

  /** What excludes the lock; null when it is in the plan. */
  coveredBy(entry: PlanEntry): Exclusion['by'] | null {
    return EXCLUDED_BY.find(by => this.#values.get(by)?.has(groupOf(entry, by))) ?? null
  }

  covers(entry: PlanEntry): boolean {
    this.#answers[entry.n] ??= this.coveredBy(entry) !== null
    return this.#answers[entry.n] === true
  }
}

/** One plan, built from the events of its stream. Updated in place: a plan can have a hundred thousand locks. */
export class PlanState {
  plan: PlanSummary | null = null
  /** By their place in the plan, like all the results. */
  readonly entries: PlanEntry[] = []
  readonly results = new Map<number, PlanResult>()
  /** Released locks that their previous holder has re-acquired. */
  readonly returned = new Set<number>()
  protected exclusions = new ExclusionIndex()

  apply(event: PlanEvent): void {
    switch (event.type) {
      case 'plan':
        this.take(event.plan)
        return
      case 'progress':
        if (this.plan) this.plan = { ...this.plan, progress: event.progress }
        return
      case 'entries':
        for (const entry of event.entries) this.entries[entry.n] = entry
        return
      case 'results':
        for (const { n, result } of event.results)
          if (result === null) this.results.delete(n)
          else this.results.set(n, result)
        return
      case 'returned':
        for (const n of event.places) this.returned.add(n)
    }
  }

  /** The plan as its stream or an answer describes it. */
  take(plan: PlanSummary): void {
    this.plan = plan
    this.exclusions = new ExclusionIndex(plan.exclusions)
  }

  isExcluded(entry: PlanEntry): boolean {
    return this.exclusions.covers(entry)
  }

  /** The locks to act on. */
  kept(): PlanEntry[] {
    return this.entries.filter(entry => !this.isExcluded(entry))
  }

  /** How many of them each store has, in the order of the plan's stores. */
  countsByStore(): number[] {
    const counts = (this.plan?.stores ?? []).map(() => 0)
    for (const { store } of this.kept()) counts[store] = (counts[store] ?? 0) + 1
    return counts
  }

  get loaded(): boolean {
    return this.plan !== null && this.entries.length >= this.plan.count
  }

  /** Whether the run has ended and all of its results have arrived. */
  get isOver(): boolean {
    if (!this.plan) return false
    const { state, counts, returned, total } = this.plan.progress
    if (state !== 'done' && state !== 'stopped') return false
    return this.results.size >= total - counts.pending && this.returned.size >= (returned ?? 0)
  }
}

export type LoadedPlan = PlanState & { plan: PlanSummary }

/** Follows a plan until `isDone`, checked after every event once all locks are known. */
export function followPlan(
  client: Client,
  planId: string,
  isDone: (state: LoadedPlan) => boolean = () => true,
  onEvent: (state: PlanState) => void = () => {},
): Promise<Result<LoadedPlan>> {
  const state = new PlanState()
  return firstInStream(client, 'plans.watch', { planId }, event => {
    state.apply(event)
    onEvent(state)
    return isLoaded(state) && isDone(state) ? state : undefined
  })
}

function isLoaded(state: PlanState): state is LoadedPlan {
  return state.loaded
}
