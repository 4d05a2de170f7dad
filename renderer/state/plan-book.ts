import { createStore } from 'zustand/vanilla'
import { groupBy } from '../../shared/group-by.ts'
import { PlanState } from '../../shared/plan-state.ts'
import {
  type Exclusion,
  groupOf,
  isUncertain,
  type PlanChange,
  type PlanEntry,
  type PlanEvent,
  type PlanSummary,
  type ResultName,
} from '../../shared/plans.ts'
import type { Failure } from '../../shared/result.ts'

/** The screen is notified this often at most. */
const NOTIFY_MS = 150

export type GroupBy = Exclude<Exclusion['by'], 'lock'>

/** `kept` counts the locks that are not excluded; `excluded` means excluded as a whole. */
export type Group = {
  readonly value: string
  readonly all: number
  readonly kept: number
  readonly excluded: boolean
}

/** One plan outside React: fifty thousand locks are not component state. */
export class PlanBook extends PlanState {
  /** Why the stream ended. */
  ended: Failure | null = null
  /** Increases with every change, `shape` only with a change of which locks are in the plan. */
  readonly changes = createStore(() => 0)
  shape = 0
  #texts: string[] = []
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(readonly planId: string) {
    super()
  }

  get revision(): number {
    return this.changes.getState()
  }

  /** A new stream repeats everything. */
  begin(): void {
    this.ended = null
    this.results.clear()
    this.returned.clear()
  }

  end(error: Failure): void {
    this.ended = error
    this.#notify()
  }

  override apply(event: PlanEvent): void {
    super.apply(event)
    if (event.type === 'plan') return
    if (event.type === 'entries' || event.type === 'exclusions') this.shape++
    this.#timer ??= setTimeout(() => this.#notify(), NOTIFY_MS)
  }

  override take(plan: PlanSummary): void {
    const before = this.plan?.exclusions
    super.take(plan)
    if (before === undefined || before.length > 0 || plan.exclusions.length > 0) this.shape++
    this.#notify()
  }

  /** Null if the plan includes the lock. */
  excludedBy(entry: PlanEntry): Exclusion['by'] | null {
    return this.exclusions.coveredBy(entry)
  }

  groups(by: GroupBy): Group[] {
    return [...groupBy(this.entries, entry => groupOf(entry, by))]
      .map(([value, entries]) => {
        const kept = entries.filter(entry => !this.isExcluded(entry)).length
        return { value, all: entries.length, kept, excluded: this.exclusions.has({ by, value }) }
      })
      .sort((a, b) => b.all - a.all || (a.value < b.value ? -1 : 1))
  }

  /** The text that a search examines. */
  textOf({ n, key, owner, holder, store }: PlanEntry): string {
    this.#texts[n] ??= [key, owner, holder, this.plan?.stores[store]?.name].join('\n').toLowerCase()
    return this.#texts[n] ?? ''
  }

  #notify(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.changes.setState(revision => revision + 1)
  }
}

/** How a lock compares with the store: `same`, or its change. */
export type Now = PlanChange['now'] | 'same'

/** A selection of the plan's locks. */
export type Show =
  | { readonly by: 'all' | 'excluded' | 'returned' | 'uncertain' }
  | { readonly by: 'group'; readonly group: GroupBy; readonly value: string }
  | { readonly by: 'result'; readonly is: ResultName }
  | { readonly by: 'now'; readonly now: Now }

export const SHOW_ALL: Show = { by: 'all' }

/** The places of the shown locks, in the order of the plan. In an applied plan, excluded locks are hidden. */
export function planOrder(
  book: PlanBook,
  show: Show,
  search: string,
  changes: ReadonlyMap<number, PlanChange> | null,
): number[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const applied = book.plan !== null && book.plan.progress.state !== 'ready'
  const order: number[] = []
  for (const entry of book.entries) {
    if (!entry) continue
    if (applied && show.by !== 'excluded' && book.isExcluded(entry)) continue
    if (!fits(book, entry, show, changes)) continue
    if (words.length > 0) {
      const text = book.textOf(entry)
      if (!words.every(word => text.includes(word))) continue
    }
    order.push(entry.n)
  }
  return order
}

function fits(
  book: PlanBook,
  entry: PlanEntry,
  show: Show,
  changes: ReadonlyMap<number, PlanChange> | null,
): boolean {
  switch (show.by) {
    case 'all':
      return true
    case 'excluded':
      return book.isExcluded(entry)
    case 'returned':
      return book.returned.has(entry.n)
    case 'uncertain':
      return isUncertain(book.results.get(entry.n))
    case 'group':
      return groupOf(entry, show.group) === show.value
    case 'result':
      return (book.results.get(entry.n)?.is ?? 'pending') === show.is
    case 'now':
      // Excluded locks are not compared.
      return !book.isExcluded(entry) && (changes?.get(entry.n)?.now ?? 'same') === show.now
  }
}

export function sameShow(a: Show, b: Show): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
