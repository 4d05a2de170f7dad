import type { GroupBy } from '../../../../shared/stats.ts'
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
 * How many locks of each group were held at the end of each step. Tenures go through it twice, to weigh the groups and to count the
 * chosen ones: a store can have as many names as locks.
 */
export class GroupsOverTime {
  readonly #steps: Steps
  readonly #nameOf: (tenure: StoreTenure) => string
  readonly #weights = new Map<string, number>()
  readonly #chosen = new Map<string, number[]>()
  readonly #others: number[]

  constructor(by: GroupBy, steps: Steps) {
    this.#steps = steps
    this.#nameOf = NAME_OF[by]
    this.#others = this.#empty()
  }

  weigh(tenure: StoreTenure): void {
    const { first, after } = this.#span(tenure)
    if (first >= after) return
    const name = this.#nameOf(tenure)
    this.#weights.set(name, (this.#weights.get(name) ?? 0) + after - first)
  }

  /** Chooses the groups that held most for longest; the rest is counted together. */
  choose(most: number): void {
    const order = [...this.#weights].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    for (const [name] of order.slice(0, most)) this.#chosen.set(name, this.#empty())
    this.#weights.clear()
  }

  count(tenure: StoreTenure): void {
    const { first, after } = this.#span(tenure)
    if (first >= after) return
    // Ups and downs, summed once at the end: a lock that is held all day is two changes, not thousands.
    const changes = this.#chosen.get(this.#nameOf(tenure)) ?? this.#others
    changes[first] = (changes[first] ?? 0) + 1
    changes[after] = (changes[after] ?? 0) - 1
  }

  get counts(): { groups: { name: string; counts: number[] }[]; others: number[] } {
    const summed = (changes: readonly number[]) => {
      let held = 0
      return changes.slice(0, this.#steps.count).map(change => {
        held += change
        return held
      })
    }
    const groups = [...this.#chosen].map(([name, changes]) => ({ name, counts: summed(changes) }))
    return { groups, others: summed(this.#others) }
  }

  #span(tenure: StoreTenure): { first: number; after: number } {
    const { from, stepMs, count } = this.#steps
    const first = Math.max(0, Math.ceil((tenure.from - from) / stepMs) - 1)
    const after = tenure.until === null ? count : Math.ceil((tenure.until - from) / stepMs) - 1
    return { first, after: Math.min(after, count) }
  }

  #empty(): number[] {
    return Array.from({ length: this.#steps.count + 1 }, () => 0)
  }
}
