import { groupOf, isUncertain, type PlanChange, type PlanEntry, type ResultName } from '../../shared/plans.ts'
import type { GroupBy, PlanBook } from './plan-book.ts'

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
