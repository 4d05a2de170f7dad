import {
  type Exclusion,
  groupOf,
  type PlanEntry,
  type PlanEvent,
  type PlanResult,
  type PlanSummary,
} from '../../shared/plans.ts'
import type { Failure } from '../../shared/result.ts'

/** However many events come, the screen is told this often. */
const TELL_MS = 150

const GROUPS = ['store', 'holder', 'format', 'state'] as const
export type GroupBy = (typeof GROUPS)[number]

export type Group = {
  readonly value: string
  readonly all: number
  /** Not excluded. */
  readonly kept: number
  /** Excluded as a whole. */
  readonly excluded: boolean
}

/** One plan as its stream tells it. Outside React: fifty thousand locks are not component state. */
export class PlanBook {
  readonly planId: string
  plan: PlanSummary | null = null
  /** By their place in the plan. */
  readonly entries: PlanEntry[] = []
  readonly results = new Map<number, PlanResult>()
  readonly returned = new Set<number>()
  /** Why nothing more is heard of it. */
  ended: Failure | null = null
  /** Goes up with everything that changes, and `shape` only with what is in the plan. */
  revision = 0
  shape = 0
  #excluded = new Map<Exclusion['by'], Set<string>>()
  /** One byte a lock, made when it is first asked for after a change: it is asked for very often. */
  #mask: Uint8Array | null = null
  #texts: string[] = []
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(planId: string) {
    this.planId = planId
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** A stream begins anew and tells everything again. */
  begin(): void {
    this.ended = null
    this.results.clear()
    this.returned.clear()
  }

  end(error: Failure): void {
    this.ended = error
    this.#tell(true)
  }

  apply(event: PlanEvent): void {
    switch (event.type) {
      case 'plan':
        this.take(event.plan)
        return
      case 'entries':
        for (const entry of event.entries) this.entries[entry.n] = entry
        this.#mask = null
        this.shape++
        break
      case 'results':
        for (const { n, result } of event.results)
          if (result === null) this.results.delete(n)
          else this.results.set(n, result)
        break
      case 'returned':
        for (const n of event.places) this.returned.add(n)
        break
      case 'progress':
        if (this.plan) this.plan = { ...this.plan, progress: event.progress }
    }
    this.#tell(false)
  }

  /** What core says of the plan, by the stream or as an answer. */
  take(plan: PlanSummary): void {
    const before = this.plan?.exclusions
    this.plan = plan
    if (before === undefined || before.length > 0 || plan.exclusions.length > 0) this.#index(plan.exclusions)
    this.#tell(true)
  }

  get loaded(): boolean {
    return this.plan !== null && this.entries.length >= this.plan.count
  }

  isExcluded(entry: PlanEntry): boolean {
    if (this.#excluded.size === 0) return false
    this.#mask ??= Uint8Array.from(this.entries, each => (each && this.excludedBy(each) !== null ? 1 : 0))
    return this.#mask[entry.n] === 1
  }

  /** What takes a lock out of the plan: a group before itself, because a group has to be taken back in first. */
  excludedBy(entry: PlanEntry): Exclusion['by'] | null {
    if (this.#excluded.size === 0) return null
    for (const by of GROUPS) if (this.#excluded.get(by)?.has(groupOf(entry, by))) return by
    return this.#excluded.get('lock')?.has(String(entry.n)) ? 'lock' : null
  }

  /** The locks that are to be acted on. */
  *kept(): Iterable<PlanEntry> {
    for (const entry of this.entries) if (entry && !this.isExcluded(entry)) yield entry
  }

  groups(by: GroupBy): Group[] {
    const found = new Map<string, { all: number; kept: number }>()
    for (const entry of this.entries) {
      if (!entry) continue
      const value = groupOf(entry, by)
      let group = found.get(value)
      if (!group) {
        group = { all: 0, kept: 0 }
        found.set(value, group)
      }
      group.all++
      if (!this.isExcluded(entry)) group.kept++
    }
    const whole = this.#excluded.get(by)
    return [...found]
      .map(([value, counts]) => ({ value, ...counts, excluded: whole?.has(value) === true }))
      .sort((a, b) => b.all - a.all || (a.value < b.value ? -1 : 1))
  }

  /** What a search looks through. */
  textOf(entry: PlanEntry): string {
    this.#texts[entry.n] ??= [
      entry.key,
      entry.owner ?? '',
      entry.holder ?? '',
      this.plan?.stores[entry.store]?.name ?? '',
    ]
      .join('\n')
      .toLowerCase()
    return this.#texts[entry.n] ?? ''
  }

  #index(exclusions: readonly Exclusion[]): void {
    this.#excluded = new Map()
    this.#mask = null
    for (const { by, value } of exclusions) {
      let values = this.#excluded.get(by)
      if (!values) {
        values = new Set()
        this.#excluded.set(by, values)
      }
      values.add(value)
    }
    this.shape++
  }

  #tell(atOnce: boolean): void {
    if (atOnce) {
      this.#now()
      return
    }
    this.#timer ??= setTimeout(() => this.#now(), TELL_MS)
  }

  #now(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.revision++
    for (const listener of this.#listeners) listener()
  }
}
