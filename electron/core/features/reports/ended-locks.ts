import { type Filter, matches } from '../../../../shared/filter.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { AttentionLock } from '../../../../shared/report-document.ts'
import type { StoreTenure, TenureBook } from '../stats/tenure-book.ts'
import { nameOf } from './attention.ts'
import { iso } from './iso.ts'
import { type EndedTenure, sayEnded, storyIn, whyEnded } from './lock-history.ts'
import type { AskedStore, ReportSources, Window } from './sources.ts'

const MOST_ENDED = 100

/** What else is known about locks, by what `nameOf` calls them. */
export type KnownOfLocks = {
  readonly alerted: ReadonlySet<string>
  /** When somebody released them. */
  readonly released: ReadonlyMap<string, readonly number[]>
}

type Group = { readonly tenure: EndedTenure; readonly why: AttentionLock['why'] }[]

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
    const book = sources.histories.get(storeId)?.history.tenures
    if (!book) continue
    for (const tenures of byLock(storeId, book, from, to)) {
      const group = needyOf(tenures, book, known).filter(({ tenure }) => fitsEnded(filter, asked, tenure))
      if (group.length === 0) continue
      const why = [...new Set(group.flatMap(each => each.why))]
      const name = nameOf(storeId, group[0]?.tenure.id ?? '')
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
  const { tenure, why: whyLast } = group.at(-1) as Group[number]
  const times =
    group.length === 1
      ? ''
      : ` It is the last of ${group.length} tenures in the window that needed attention.`
  return {
    store: name,
    ...{ key: tenure.key, format: tenure.format, state: 'released' },
    ...{ holder: tenure.holder, ownerHash: tenure.ownerHash },
    ...{ since: iso(tenure.from), sinceExact: tenure.begin === 'stored', expiresAt: null, notes: [] },
    ...{ ended: true, why, says: sayEnded(tenure, whyLast) + times },
    ...storyIn(sources, tenure.storeId, tenure.id, from, to),
  }
}

/** Tenures that ended in the window, by their lock, each in the order in which they ended. */
function byLock(storeId: string, book: TenureBook, from: number, to: number): Iterable<EndedTenure[]> {
  const locks = new Map<string, EndedTenure[]>()
  for (const ended of book.ended(from, to)) {
    const before = locks.get(ended.id)
    if (before) before.push({ storeId, ...ended })
    else locks.set(ended.id, [{ storeId, ...ended }])
  }
  return locks.values()
}

function needyOf(
  tenures: readonly EndedTenure[],
  book: TenureBook,
  { alerted, released }: KnownOfLocks,
): Group {
  const [first] = tenures
  if (!first) return []
  const name = nameOf(first.storeId, first.id)
  const open = book.open.get(first.id)
  const ofUs = releasedAmong(open ? [...tenures, open] : tenures, released.get(name) ?? [])
  return tenures.flatMap(tenure => {
    const why = whyEnded(tenure, { isAlerted: alerted.has(name), isReleased: ofUs.has(tenure) })
    return why.length === 0 ? [] : { tenure, why }
  })
}

/** Who was released is who had it last before. */
function releasedAmong(tenures: readonly StoreTenure[], times: readonly number[]): ReadonlySet<StoreTenure> {
  return new Set(times.flatMap(time => tenures.findLast(({ from }) => from <= time) ?? []))
}

function urgency(why: AttentionLock['why']): number {
  return why.includes('alert') || why.includes('released-here') ? 0 : 1
}

function longest(group: Group): number {
  return group.reduce((ms, { tenure }) => Math.max(ms, tenure.until - tenure.from), 0)
}

/** A tenure that is over as the filter sees it: free, and as old as it became. */
function fitsEnded(filter: Filter, { open, name }: AskedStore, tenure: EndedTenure): boolean {
  const lock: Lock = {
    ...{
      id: tenure.id,
      key: tenure.key,
      name: tenure.key,
      format: tenure.format,
      owner: tenure.holder,
      holder: null,
    },
    ...{ acquiredAt: tenure.from, acquiredAtSource: 'stored', lease: { kind: 'released' }, deadlines: [] },
    ...{ state: 'released', fence: '', fields: {}, notes: [], observedAt: tenure.until },
  }
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, tenure.until)
}
