import type { Split } from '../../../../shared/switch.ts'
import { heldNames, isOneHolder } from '../alerts/held-names.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { SideFacts } from './side-facts.ts'

/** Kept for one switch: a system in which every name is held twice has one problem, not ten thousand. */
const MOST_SPLITS = 500

type HeldTwice = Omit<Split, 'since' | 'until'>

/** Names with two holders at once, one in each store. Both stores must be live. */
export function heldTwice(from: SideFacts, to: SideFacts, at: number): HeldTwice[] {
  const there = heldNames(to.locks.values(), at + (to.offsetMs ?? 0))
  if (there.size === 0) return []
  return [...heldNames(from.locks.values(), at + (from.offsetMs ?? 0))].flatMap(([name, lock]) => {
    const other = there.get(name)
    if (!other || isOneHolder(lock, other)) return []
    return [
      {
        name,
        fromKey: lock.key,
        fromHolder: namedHolder(lock).holder,
        toKey: other.key,
        toHolder: namedHolder(other).holder,
      },
    ]
  })
}

/** Adds the names held twice now, and ends splits that are over. The same array if nothing changed. */
export function withSplits(known: readonly Split[], now: readonly HeldTwice[], at: number): readonly Split[] {
  const names = new Set(now.map(({ name }) => name))
  const open = new Set(known.filter(({ until }) => until === null).map(({ name }) => name))
  const added = now
    .filter(({ name }) => !open.has(name))
    .slice(0, Math.max(0, MOST_SPLITS - open.size))
    .map(split => ({ ...split, since: at, until: null }))
  const hasEnded = [...open].some(name => !names.has(name))
  if (added.length === 0 && !hasEnded) return known
  const all = known.map(each =>
    each.until === null && !names.has(each.name) ? { ...each, until: at } : each,
  )
  // The oldest ended splits make room for current ones.
  const tooMany = new Set(all.filter(({ until }) => until !== null).slice(0, excess(all, added)))
  return [...all.filter(each => !tooMany.has(each)), ...added]
}

function excess(known: readonly Split[], added: readonly Split[]): number {
  return Math.max(0, known.length + added.length - MOST_SPLITS)
}
