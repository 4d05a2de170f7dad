import {
  groupOf,
  type PlanEntry,
  type PlanEvent,
  type PlanResult,
  type PlanSummary,
  type Strike,
} from '../../shared/plans.ts'
import type { Failure } from '../../shared/result.ts'

/** However many events come, the screen is told this often. */
const TELL_MS = 150

const GROUPS = ['store', 'holder', 'format', 'state'] as const
export type GroupBy = (typeof GROUPS)[number]

export type Group = {
  readonly value: string
  readonly all: number
  /** Those that no strike takes out. */
  readonly kept: number
  /** Struck as a whole. */
  readonly struck: boolean
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
  #struck = new Map<Strike['by'], Set<string>>()
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
    const before = this.plan?.strikes
    this.plan = plan
    if (before === undefined || before.length > 0 || plan.strikes.length > 0) this.#index(plan.strikes)
    this.#tell(true)
  }

  get loaded(): boolean {
    return this.plan !== null && this.entries.length >= this.plan.count
  }

  isStruck(entry: PlanEntry): boolean {
    if (this.#struck.size === 0) return false
    this.#mask ??= Uint8Array.from(this.entries, each => (each && this.struckBy(each) !== null ? 1 : 0))
    return this.#mask[entry.n] === 1
  }

  /** What takes a lock out of the plan: a group before itself, because a group has to be taken back in first. */
  struckBy(entry: PlanEntry): Strike['by'] | null {
    if (this.#struck.size === 0) return null
    for (const by of GROUPS) if (this.#struck.get(by)?.has(groupOf(entry, by))) return by
    return this.#struck.get('lock')?.has(String(entry.n)) ? 'lock' : null
  }

  /** The locks that are to be acted on. */
  *kept(): Iterable<PlanEntry> {
    for (const entry of this.entries) if (entry && !this.isStruck(entry)) yield entry
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
      if (!this.isStruck(entry)) group.kept++
    }
    const whole = this.#struck.get(by)
    return [...found]
      .map(([value, counts]) => ({ value, ...counts, struck: whole?.has(value) === true }))
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

  #index(strikes: readonly Strike[]): void {
    this.#struck = new Map()
    this.#mask = null
    for (const { by, value } of strikes) {
      let values = this.#struck.get(by)
      if (!values) {
        values = new Set()
        this.#struck.set(by, values)
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
