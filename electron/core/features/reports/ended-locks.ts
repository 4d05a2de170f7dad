import { type Filter, matches } from '../../../../shared/filter.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { AttentionLock } from '../../../../shared/report-document.ts'
import type { HoldBook, KeptHold } from '../stats/tenure-book.ts'
import { nameOf } from './attention.ts'
import { iso } from './iso.ts'
import { type EndedHold, sayEnded, storyIn, whyEnded } from './lock-history.ts'
import type { AskedStore, ReportSources, Window } from './sources.ts'

const MOST_ENDED = 100

/** What else is known about locks, by what `nameOf` calls them. */
export type KnownOfLocks = {
  readonly alerted: ReadonlySet<string>
  /** When somebody released them. */
  readonly released: ReadonlyMap<string, readonly number[]>
}

type Group = { readonly hold: EndedHold; readonly why: AttentionLock['why'] }[]

/**
 * What ended in the window and not as it should, what somebody released in it, and what there were alerts about: each lock once,
 * however often it was held.
 */
export function endedLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, AskedStore>,
  known: KnownOfLocks,
  { from, to }: Pick<Window, 'from' | 'to'>,
  filter: Filter,
  /** Locks that are told already. */
  isTold: (name: string) => boolean,
): {
  readonly locks: AttentionLock[]
  readonly more: number
  readonly told: ReadonlyMap<string, AttentionLock['why']>
} {
  const told = new Map<string, AttentionLock['why']>()
  const found: { asked: AskedStore; group: Group; why: AttentionLock['why'] }[] = []
  for (const [storeId, asked] of byId) {
    const book = sources.observatory.get(storeId)?.observation.holds
    if (!book) continue
    for (const holds of byLock(storeId, book, from, to)) {
      const group = needyOf(holds, book, known).filter(({ hold }) => fitsEnded(filter, asked, hold))
      if (group.length === 0) continue
      const why = [...new Set(group.flatMap(each => each.why))]
      const name = nameOf(storeId, group[0]?.hold.id ?? '')
      if (isTold(name)) told.set(name, why)
      else found.push({ asked, group, why })
    }
  }
  // What there was trouble with first, then what was held longest.
  found.sort((a, b) => urgency(a.why) - urgency(b.why) || longest(b.group) - longest(a.group))
  const shown = found.slice(0, MOST_ENDED)
  return {
    locks: shown.map(({ asked, group, why }) => entryOf(sources, asked, group, why, { from, to })),
    more: found.length - shown.length,
    told,
  }
}

function entryOf(
  sources: ReportSources,
  { name }: AskedStore,
  group: Group,
  why: AttentionLock['why'],
  { from, to }: Pick<Window, 'from' | 'to'>,
): AttentionLock {
  // The last one is told; the story has those before it.
  const { hold, why: whyLast } = group.at(-1) as Group[number]
  const times =
    group.length === 1 ? '' : ` It is the last of ${group.length} holds in the window that needed attention.`
  return {
    store: name,
    ...{ key: hold.key, format: hold.format, state: 'released' },
    ...{ holder: hold.holder, ownerHash: hold.ownerHash },
    ...{ since: iso(hold.from), sinceExact: hold.begin === 'stored', expiresAt: null, notes: [] },
    ...{ ended: true, why, says: sayEnded(hold, whyLast) + times },
    ...storyIn(sources, hold.storeId, hold.id, from, to),
  }
}

/** Holds that ended in the window, by their lock, each in the order in which they ended. */
function byLock(storeId: string, book: HoldBook, from: number, to: number): Iterable<EndedHold[]> {
  const locks = new Map<string, EndedHold[]>()
  for (const ended of book.ended(from, to)) {
    const before = locks.get(ended.id)
    if (before) before.push({ storeId, ...ended })
    else locks.set(ended.id, [{ storeId, ...ended }])
  }
  return locks.values()
}

function needyOf(holds: readonly EndedHold[], book: HoldBook, { alerted, released }: KnownOfLocks): Group {
  const [first] = holds
  if (!first) return []
  const name = nameOf(first.storeId, first.id)
  const open = book.open.get(first.id)
  const ofUs = releasedAmong(open ? [...holds, open] : holds, released.get(name) ?? [])
  return holds.flatMap(hold => {
    const why = whyEnded(hold, { isAlerted: alerted.has(name), isReleased: ofUs.has(hold) })
    return why.length === 0 ? [] : { hold, why }
  })
}

/** Who was released is who had it last before. */
function releasedAmong(holds: readonly KeptHold[], times: readonly number[]): ReadonlySet<KeptHold> {
  return new Set(times.flatMap(time => holds.findLast(({ from }) => from <= time) ?? []))
}

function urgency(why: AttentionLock['why']): number {
  return why.includes('alert') || why.includes('released-here') ? 0 : 1
}

function longest(group: Group): number {
  return group.reduce((ms, { hold }) => Math.max(ms, hold.until - hold.from), 0)
}

/** A hold that is over as the filter sees it: free, and as old as it became. */
function fitsEnded(filter: Filter, { open, name }: AskedStore, hold: EndedHold): boolean {
  const lock: Lock = {
    ...{ id: hold.id, key: hold.key, name: hold.key, format: hold.format, owner: hold.holder, holder: null },
    ...{ acquiredAt: hold.from, acquiredAtSource: 'stored', lease: { kind: 'released' }, deadlines: [] },
    ...{ state: 'released', fence: '', fields: {}, notes: [], observedAt: hold.until },
  }
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, hold.until)
}
