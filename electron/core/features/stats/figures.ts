import { countedAs, heldSinceOf, isPlausibleBeginning, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import {
  addCounts,
  addFlows,
  COUNTED,
  type Counts,
  type Figures,
  type Flows,
  type Groups,
  type Histogram,
  type LockBrief,
  TIME_EDGES,
} from '../../../../shared/stats.ts'
import { holderGroup, namedHolder } from './named-holder.ts'

/** Per kind of group; a screen shows fewer. */
const MOST_GROUPS = 20

export const NO_COUNTS: Counts = { held: 0, expiring: 0, expired: 0, endless: 0, unknown: 0, released: 0 }
export const NO_FLOWS: Flows = { taken: 0, passedOn: 0, renewed: 0, freed: 0, lapsed: 0 }

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
  const place = histogram.edges.findIndex(edge => ms < edge)
  const at = place < 0 ? histogram.edges.length : place
  histogram.counts[at] = (histogram.counts[at] ?? 0) + 1
}

export function addHistograms(a: Histogram, b: Histogram): Histogram {
  const counts = a.counts.map((count, i) => count + (b.counts[i] ?? 0))
  return { edges: a.edges, counts, unknown: a.unknown + b.unknown }
}

const NO_PREFIX = '(no prefix)'

/** Keys are joined with colons and slashes; a dot may belong to a host name. */
export function keyParts(key: string): { prefix: string; name: string } {
  const at = Math.max(key.lastIndexOf(':'), key.lastIndexOf('/'))
  // A key that ends with a separator has no name, and one that begins with it has no prefix.
  if (at < 1 || at === key.length - 1) return { prefix: NO_PREFIX, name: key }
  return { prefix: key.slice(0, at), name: key.slice(at + 1) }
}

export type FiguresOfNow = Pick<
  Figures,
  'counts' | 'active' | 'total' | 'byHolder' | 'byFormat' | 'byPrefix' | 'byName' | 'oldest' | 'remaining'
>

/** Adds up locks one by one and keeps none of them, so a store may have any size. */
export class FigureBuilder {
  readonly #storeId: string
  readonly #counts = { ...NO_COUNTS }
  /** By the raw holder, tokens included. What may be shown is worked out for the largest groups only. */
  readonly #holders = new Map<string, { count: number; readonly lock: Lock }>()
  readonly #groups = {
    byFormat: new Map<string, number>(),
    byPrefix: new Map<string, number>(),
    byName: new Map<string, number>(),
  }
  #oldest: { lock: Lock; at: number; exact: boolean } | null = null
  readonly #remaining = emptyHistogram()

  constructor(storeId: string) {
    this.#storeId = storeId
  }

  /** `now` is the store's time. */
  add(lock: Lock | WatchedLock, now: number): void {
    const counted = countedAs(lock, now)
    this.#counts[counted]++
    // The kept row of a free lock has no holder.
    if (counted === 'released') return
    const { prefix, name } = keyParts(lock.key)
    this.#addHolder(lock)
    bump(this.#groups.byFormat, lock.format)
    bump(this.#groups.byPrefix, prefix)
    bump(this.#groups.byName, name)
    if (counted !== 'expired') measure(this.#remaining, remainingMs(lock, now))
    const since = heldSinceOf(lock)
    if (since !== null && isPlausibleBeginning(since.at, now) && since.at < (this.#oldest?.at ?? Infinity))
      this.#oldest = { lock, ...since }
  }

  #addHolder(lock: Lock): void {
    const raw = lock.holder?.label ?? lock.owner ?? ''
    const known = this.#holders.get(raw)
    if (known) known.count++
    else this.#holders.set(raw, { count: 1, lock })
  }

  #byHolder(): Groups {
    const { top, others } = largest(this.#holders, ({ count }) => count)
    // Holders that may only be shown alike are one group.
    const names = new Map<string, number>()
    for (const [, { count, lock }] of top) {
      const name = holderGroup(lock)
      names.set(name, (names.get(name) ?? 0) + count)
    }
    return { top: [...names].map(([name, count]) => ({ name, count })), others }
  }

  /** `offsetMs` is the store's clock minus ours. */
  figures(offsetMs: number): FiguresOfNow {
    const counts = { ...this.#counts }
    const total = COUNTED.reduce((sum, name) => sum + counts[name], 0)
    return {
      counts,
      active: activeOf(counts),
      total,
      byHolder: this.#byHolder(),
      byFormat: groupsOf(this.#groups.byFormat),
      byPrefix: groupsOf(this.#groups.byPrefix),
      byName: groupsOf(this.#groups.byName),
      oldest: this.#oldest && briefOf(this.#storeId, this.#oldest, offsetMs),
      remaining: this.#remaining,
    }
  }
}

export function activeOf(counts: Counts): number {
  return counts.held + counts.expiring + counts.endless + counts.unknown
}

function briefOf(
  storeId: string,
  { lock, at, exact }: { lock: Lock; at: number; exact: boolean },
  offsetMs: number,
): LockBrief {
  const holder = namedHolder(lock).holder ?? 'not recorded'
  return { storeId, id: lock.id, key: lock.key, holder, since: at - offsetMs, exact }
}

function bump(groups: Map<string, number>, name: string): void {
  groups.set(name, (groups.get(name) ?? 0) + 1)
}

function groupsOf(groups: ReadonlyMap<string, number>): Groups {
  const { top, others } = largest(groups, count => count)
  return { top: top.map(([name, count]) => ({ name, count })), others }
}

/** Does not sort all groups: a store can have as many names as locks. */
function largest<T>(groups: ReadonlyMap<string, T>, countOf: (group: T) => number) {
  const order = ([a, m]: [string, T], [b, n]: [string, T]) => countOf(n) - countOf(m) || (a < b ? -1 : 1)
  let top: [string, T][] = []
  let all = 0
  for (const group of groups) {
    all += countOf(group[1])
    const last = top[MOST_GROUPS - 1]
    if (last && order(group, last) > 0) continue
    top.push(group)
    if (top.length >= MOST_GROUPS * 4 || top.length === MOST_GROUPS)
      top = top.sort(order).slice(0, MOST_GROUPS)
  }
  top = top.sort(order).slice(0, MOST_GROUPS)
  const shown = top.reduce((sum, [, group]) => sum + countOf(group), 0)
  return { top, others: { names: groups.size - top.length, count: all - shown } }
}

/** All stores together. Groups beyond the largest of each store stay counted as others. */
export function addFigures(all: readonly Figures[]): Figures {
  return all.reduce<Figures>(
    (a, b) => ({
      counts: addCounts(a.counts, b.counts),
      active: a.active + b.active,
      total: a.total + b.total,
      byHolder: addGroups(a.byHolder, b.byHolder),
      byFormat: addGroups(a.byFormat, b.byFormat),
      byPrefix: addGroups(a.byPrefix, b.byPrefix),
      byName: addGroups(a.byName, b.byName),
      oldest: (a.oldest?.since ?? Infinity) <= (b.oldest?.since ?? Infinity) ? a.oldest : b.oldest,
      longest: lengthOf(a.longest) >= lengthOf(b.longest) ? a.longest : b.longest,
      flows: addFlows(a.flows, b.flows),
      observedMs: Math.max(a.observedMs, b.observedMs),
      tenureTimes: addHistograms(a.tenureTimes, b.tenureTimes),
      remaining: addHistograms(a.remaining, b.remaining),
    }),
    NO_FIGURES,
  )
}

function addGroups(a: Groups, b: Groups): Groups {
  const sums = new Map(a.top.map(({ name, count }) => [name, count]))
  for (const { name, count } of b.top) sums.set(name, (sums.get(name) ?? 0) + count)
  const { top, others } = groupsOf(sums)
  return {
    top,
    others: {
      names: others.names + a.others.names + b.others.names,
      count: others.count + a.others.count + b.others.count,
    },
  }
}

function lengthOf(longest: Figures['longest']): number {
  return longest === null ? -1 : longest.until - longest.since
}

const NO_GROUPS: Groups = { top: [], others: { names: 0, count: 0 } }

const NO_FIGURES: Figures = {
  counts: NO_COUNTS,
  active: 0,
  total: 0,
  byHolder: NO_GROUPS,
  byFormat: NO_GROUPS,
  byPrefix: NO_GROUPS,
  byName: NO_GROUPS,
  oldest: null,
  longest: null,
  flows: NO_FLOWS,
  observedMs: 0,
  tenureTimes: emptyHistogram(),
  remaining: emptyHistogram(),
}
