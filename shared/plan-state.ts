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
    this.add(exclusions)
  }

  /** From a `list`. */
  add(exclusions: Iterable<Exclusion>): void {
    for (const { by, value } of exclusions)
      for (const each of by === 'lock' ? placesIn(value) : [value]) this.set({ by, value: each }, true)
  }

  set({ by, value }: Exclusion, isExcluded: boolean): void {
    const values = this.#values.get(by) ?? new Set()
    this.#values.set(by, values)
    if (isExcluded) values.add(value)
    else values.delete(value)
    this.#answers = []
  }

  /** Single locks together: a hundred thousand can be excluded. */
  list(): Exclusion[] {
    return [...this.#values].flatMap(([by, values]): Exclusion[] => {
      if (by !== 'lock') return [...values].map(value => ({ by, value }))
      return rangesOf(values).map(value => ({ by, value }))
    })
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

const RANGES_AT_ONCE = 5000

/** Places as `0,2,5-9`, in texts of a moderate length. */
function rangesOf(places: Iterable<string>): string[] {
  const ranges: [number, number][] = []
  const known = [...places].filter(place => /^(0|[1-9]\d*)$/.test(place)).map(Number)
  for (const n of known.sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && n === last[1] + 1) last[1] = n
    else ranges.push([n, n])
  }
  const texts = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
  return Array.from({ length: Math.ceil(texts.length / RANGES_AT_ONCE) }, (_, i) =>
    texts.slice(i * RANGES_AT_ONCE, (i + 1) * RANGES_AT_ONCE).join(),
  )
}

function placesIn(ranges: string): string[] {
  return ranges.split(',').flatMap(range => {
    const [from = 0, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => String(from + i))
  })
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
  /** Exclusions that its stream is about to send. */
  #missing = 0

  apply(event: PlanEvent): void {
    switch (event.type) {
      case 'plan':
        this.exclusions = new ExclusionIndex(event.plan.exclusions)
        this.#missing = event.plan.exclusionsLeft
        this.take(event.plan)
        return
      case 'exclusions':
        this.exclusions.add(event.exclusions)
        this.#missing -= event.exclusions.length
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
    // The known ones stay until the stream sends all of the new ones.
    if (plan.exclusionsLeft > 0) return
    this.exclusions = new ExclusionIndex(plan.exclusions)
    this.#missing = 0
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
    return this.plan !== null && this.#missing <= 0 && this.entries.length >= this.plan.count
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
