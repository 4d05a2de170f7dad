import { countedAs, heldSinceOf, isPlausibleBeginning, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import {
  addNumbers,
  COUNTED,
  type Counts,
  type Figures,
  type Flows,
  GROUP_BY,
  type Groups,
  type Histogram,
  type LockBrief,
  type Spent,
  TIME_EDGES,
} from '../../../../shared/stats.ts'
import { shortKey } from '../../lib/json-size.ts'
import { TopList } from '../../lib/top-list.ts'
import { holderGroup, namedHolder, UNKNOWN_HOLDER } from './named-holder.ts'

/** Per kind of group; a screen shows fewer. */
const MOST_GROUPS = 20

export const NO_COUNTS: Counts = { held: 0, expiring: 0, expired: 0, endless: 0, unknown: 0, released: 0 }
export const NO_FLOWS: Flows = { taken: 0, passedOn: 0, renewed: 0, freed: 0, lapsed: 0 }
export const NO_SPENT: Spent = { requests: 0, units: null }

export function countLocks(locks: Iterable<Lock>, now: number): Counts {
  const counts = { ...NO_COUNTS }
  for (const lock of locks) counts[countedAs(lock, now)]++
  return counts
}

export function emptyHistogram(): Histogram {
  return { edges: [...TIME_EDGES], counts: TIME_EDGES.map(() => 0).concat(0), unknown: 0 }
}

/** Null counts as unknown. */
export function measure(histogram: Histogram, ms: number | null): void {
  if (ms === null || Number.isNaN(ms)) {
    histogram.unknown++
    return
  }
  const place = histogram.edges.filter(edge => edge <= ms).length
  histogram.counts[place] = (histogram.counts[place] ?? 0) + 1
}

/** Null counts as an empty histogram. */
export function addHistograms<T extends Histogram | null>(a: T, b: T): T {
  if (a === null || b === null) return a ?? b
  const counts = a.counts.map((count, i) => count + (b.counts[i] ?? 0))
  return { ...a, counts, unknown: a.unknown + b.unknown }
}

const NO_PREFIX = '(no prefix)'

/** Keys are joined with colons and slashes; a dot may belong to a host name. */
export function keyParts(key: string): { prefix: string; name: string } {
  const at = Math.max(key.lastIndexOf(':'), key.lastIndexOf('/'))
  // A key that ends with a separator has no name, and one that starts with its only separator has no prefix.
  if (at < 1 || at === key.length - 1) return { prefix: NO_PREFIX, name: shortKey(key) }
  return { prefix: shortKey(key.slice(0, at)), name: shortKey(key.slice(at + 1)) }
}

/** Adds up locks one by one and keeps none of them, so a store may have any size. */
export class FigureBuilder {
  readonly #counts = { ...NO_COUNTS }
  readonly #groups = {
    /** By the raw holder, tokens included: the public name is worked out for the largest groups only. */
    holder: new Map<string, number>(),
    format: new Map<string, number>(),
    prefix: new Map<string, number>(),
    name: new Map<string, number>(),
  }
  /** A lock of each holder. */
  readonly #examples = new Map<string, Lock>()
  #oldest: { lock: Lock; at: number; exact: boolean } | null = null
  readonly #remaining = emptyHistogram()

  constructor(readonly storeId: string) {}

  /** `now` is the store's time. */
  add(lock: Lock | WatchedLock, now: number): void {
    const counted = countedAs(lock, now)
    this.#counts[counted]++
    // The kept record of a free lock has no holder.
    if (counted === 'released') return
    const holder = lock.holder?.label ?? lock.owner ?? ''
    const names = { ...keyParts(lock.key), holder, format: lock.format }
    for (const by of GROUP_BY) bump(this.#groups[by], names[by])
    if (!this.#examples.has(holder)) this.#examples.set(holder, lock)
    if (counted !== 'expired') measure(this.#remaining, remainingMs(lock, now))
    const since = heldSinceOf(lock)
    if (since !== null && isPlausibleBeginning(since.at, now) && since.at < (this.#oldest?.at ?? Infinity))
      this.#oldest = { lock, ...since }
  }

  /** `offsetMs` is the store's clock minus ours. */
  figures(offsetMs: number) {
    const counts = { ...this.#counts }
    const { held, expiring, endless, unknown } = counts
    const { format, prefix, name } = this.#groups
    return {
      counts,
      active: held + expiring + endless + unknown,
      total: COUNTED.reduce((sum, name) => sum + counts[name], 0),
      byHolder: this.#byHolder(),
      byFormat: largest(format),
      byPrefix: largest(prefix),
      byName: largest(name),
      oldest: this.#briefOfOldest(offsetMs),
      remaining: this.#remaining,
    }
  }

  #byHolder(): Groups {
    const { top, others } = largest(this.#groups.holder)
    // Different holders can have the same public name.
    const names = new Map<string, number>()
    for (const { name, count } of top) {
      const lock = this.#examples.get(name)
      if (lock) bump(names, holderGroup(lock), count)
    }
    return { top: [...names].map(([name, count]) => ({ name, count })), others }
  }

  #briefOfOldest(offsetMs: number): Figures['oldest'] {
    if (!this.#oldest) return null
    const { lock, at, exact } = this.#oldest
    const holder = namedHolder(lock).holder ?? UNKNOWN_HOLDER
    return { storeId: this.storeId, ...briefName(lock), holder, since: at - offsetMs, exact }
  }
}

/** Ids as long as this are not sent with every answer. */
const LONGEST_ID = 8192

export function briefName({ id, key }: Pick<Lock, 'id' | 'key'>): Pick<LockBrief, 'id' | 'key'> {
  return { id: id.length > LONGEST_ID ? null : id, key: shortKey(key) }
}

function bump(groups: Map<string, number>, name: string, by = 1): void {
  groups.set(name, (groups.get(name) ?? 0) + by)
}

function largest(groups: ReadonlyMap<string, number>): Groups {
  const order = ([a, m]: [string, number], [b, n]: [string, number]) => n - m || (a < b ? -1 : 1)
  const largest = new TopList(MOST_GROUPS, order)
  let count = 0
  for (const group of groups) {
    count += group[1]
    largest.add(group)
  }
  const top = largest.items.map(([name, count]) => ({ name, count }))
  for (const each of top) count -= each.count
  return { top, others: { names: groups.size - top.length, count } }
}

/** All stores together. Groups beyond the largest of each store stay counted as others. */
export function addFigures(all: readonly Figures[]): Figures {
  const sum = (numberOf: (each: Figures) => number) => all.reduce((n, each) => n + numberOf(each), 0)
  const lengthOf = ({ since, until }: NonNullable<Figures['longest']>) => until - since
  const [oldest = null] = all.flatMap(each => each.oldest ?? []).sort((a, b) => a.since - b.since)
  const [longest = null] = all.flatMap(each => each.longest ?? []).sort((a, b) => lengthOf(b) - lengthOf(a))
  return {
    counts: all.map(each => each.counts).reduce(addNumbers, NO_COUNTS),
    active: sum(each => each.active),
    total: sum(each => each.total),
    byHolder: addGroups(all.map(each => each.byHolder)),
    byFormat: addGroups(all.map(each => each.byFormat)),
    byPrefix: addGroups(all.map(each => each.byPrefix)),
    byName: addGroups(all.map(each => each.byName)),
    oldest,
    longest,
    flows: all.map(each => each.flows).reduce(addNumbers, NO_FLOWS),
    observedMs: Math.max(0, ...all.map(each => each.observedMs)),
    tenureTimes: all.map(each => each.tenureTimes).reduce(addHistograms, emptyHistogram()),
    remaining: all.map(each => each.remaining).reduce(addHistograms, emptyHistogram()),
  }
}

function addGroups(all: readonly Groups[]): Groups {
  const sums = new Map<string, number>()
  for (const { name, count } of all.flatMap(({ top }) => top)) bump(sums, name, count)
  const { top, others } = largest(sums)
  for (const each of all) {
    others.names += each.others.names
    others.count += each.others.count
  }
  return { top, others }
}
