import type { GroupBy } from '../../../../shared/stats.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import { keyParts } from './figures.ts'
import type { StoreTenure } from './tenure-book.ts'

/** Steps of the same length. The state of a step is that of its last moment. */
export type Steps = { readonly from: number; readonly stepMs: number; readonly count: number }

const NAME_OF: Record<GroupBy, (tenure: StoreTenure) => string> = {
  holder: tenure => tenure.group,
  format: tenure => tenure.format,
  prefix: tenure => keyParts(tenure.key).prefix,
  name: tenure => keyParts(tenure.key).name,
}

/**
 * How many locks of each group were held at the end of each step: the groups that held most for longest by name, the others
 * together. The tenures are read twice, to weigh the groups and to count, because a store can have as many names as locks.
 */
export async function groupsOverTime(
  by: GroupBy,
  steps: Steps,
  most: number,
  tenures: () => Iterable<StoreTenure>,
): Promise<{ groups: { name: string; counts: number[] }[]; others: number[] }> {
  const nameOf = NAME_OF[by]
  const empty = () => Array.from({ length: steps.count + 1 }, () => 0)
  const weights = new Map<string, number>()
  await eachYielding(tenures(), tenure => {
    const { first, after } = stepsHeld(tenure, steps)
    const name = nameOf(tenure)
    if (first < after) weights.set(name, (weights.get(name) ?? 0) + after - first)
  })
  const order = [...weights].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  const largest = new Map(order.slice(0, most).map(([name]) => [name, empty()]))
  const others = empty()
  await eachYielding(tenures(), tenure => {
    const { first, after } = stepsHeld(tenure, steps)
    if (first >= after) return
    // Ups and downs, summed once at the end: a lock that is held all day is two changes, not thousands.
    const changes = largest.get(nameOf(tenure)) ?? others
    changes[first] = (changes[first] ?? 0) + 1
    changes[after] = (changes[after] ?? 0) - 1
  })
  const summed = (changes: readonly number[]) => {
    let held = 0
    return changes.slice(0, steps.count).map(change => {
      held += change
      return held
    })
  }
  const groups = [...largest].map(([name, changes]) => ({ name, counts: summed(changes) }))
  return { groups, others: summed(others) }
}

/** The first step at whose end the lock was held, and the first after it at whose end it was not. */
function stepsHeld(tenure: StoreTenure, { from, stepMs, count }: Steps): { first: number; after: number } {
  const first = Math.max(0, Math.ceil((tenure.from - from) / stepMs) - 1)
  const after = tenure.until === null ? count : Math.ceil((tenure.until - from) / stepMs) - 1
  return { first, after: Math.min(after, count) }
}
