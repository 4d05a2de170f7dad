import { HOUR_MS, sayDuration } from '../../../../shared/duration.ts'
import { type Filter, matches } from '../../../../shared/filter.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { sayTimes } from '../../../../shared/numbers.ts'
import type { AttentionLock, ReportHold } from '../../../../shared/report-document.ts'
import { lengthOf, type StoreTenure, type TenureBook } from '../stats/tenure-book.ts'
import { nameOf, type ReportedStore, type ReportSources, type Window } from './sources.ts'
import { iso } from './words.ts'

const MOST_ENDED = 100
/** Tenures listed for one lock. */
const MOST_TENURES = 6
/** Long for any lock, whatever it protects. */
export const LONG_MS = 2 * HOUR_MS

/** What the alerts and the audit log say of locks, by their `nameOf`. */
export type LockEvents = {
  readonly alerted: ReadonlySet<string>
  /** When an operator released them. */
  readonly released: ReadonlyMap<string, readonly number[]>
}

type EndedTenure = StoreTenure & { readonly storeId: string; readonly until: number }
type Why = AttentionLock['why']
type Group = readonly { readonly tenure: EndedTenure; readonly why: Why }[]
type Span = Pick<Window, 'from' | 'to'>

/**
 * Locks whose tenure ended badly in the window, that an operator released in it, or that an alert was about: each lock once,
 * however often it was held. A lock for which `isListed` is true is not listed again; its reasons are `merged`.
 */
export function endedLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, ReportedStore>,
  events: LockEvents,
  span: Span,
  filter: Filter,
  isListed: (name: string) => boolean,
): { readonly locks: AttentionLock[]; readonly more: number; readonly merged: ReadonlyMap<string, Why> } {
  const merged = new Map<string, Why>()
  const found: { store: ReportedStore; group: Group; why: Why }[] = []
  for (const [storeId, store] of byId) {
    const book = sources.histories.get(storeId)?.history.tenures
    if (!book) continue
    for (const tenures of tenuresByLock(storeId, book, span)) {
      const group = badTenures(tenures, book, events).filter(({ tenure }) => fitsEnded(filter, store, tenure))
      if (group.length === 0) continue
      const why = [...new Set(group.flatMap(each => each.why))]
      const name = nameOf(storeId, group[0]?.tenure.id ?? '')
      if (isListed(name)) merged.set(name, why)
      else found.push({ store, group, why })
    }
  }
  // Locks with alerts or releases first, then the longest tenures.
  found.sort((a, b) => urgency(a.why) - urgency(b.why) || longestMs(b.group) - longestMs(a.group))
  const shown = found.slice(0, MOST_ENDED)
  return {
    locks: shown.map(({ store, group, why }) => endedLock(sources, store, group, why, span)),
    more: found.length - shown.length,
    merged,
  }
}

/** The last tenure of a lock; those before it are in its history. */
function endedLock(
  sources: ReportSources,
  { name }: ReportedStore,
  group: Group,
  why: Why,
  span: Span,
): AttentionLock {
  const { tenure, why: whyLast } = group.at(-1) as Group[number]
  const last =
    group.length === 1
      ? ''
      : ` It is the last of ${group.length} tenures in the window that needed attention.`
  return {
    store: name,
    ...{ key: tenure.key, format: tenure.format, state: 'released' },
    ...{ holder: tenure.holder, ownerHash: tenure.ownerHash },
    ...{ since: iso(tenure.from), sinceExact: tenure.begin === 'stored', expiresAt: null, notes: [] },
    ...{ ended: true, why, says: sayEnded(tenure, whyLast) + last },
    ...tenuresIn(sources, tenure.storeId, tenure.id, span),
  }
}

/** Who held a lock in the window: the last few tenures, oldest first. */
export function tenuresIn(
  { histories }: ReportSources,
  storeId: string,
  id: string,
  { from, to }: Span,
): Pick<AttentionLock, 'holds' | 'earlierHolds'> {
  const tenures = [...(histories.get(storeId)?.history.tenures.within(from, to, id) ?? [])]
  tenures.sort((a, b) => a.from - b.from)
  const shown = tenures.slice(-MOST_TENURES).map(({ holder, ownerHash, begin, end, renewals, ...tenure }) => {
    const until = tenure.until === null ? null : iso(tenure.until)
    return { holder, ownerHash, from: iso(tenure.from), begin, until, end, renewals }
  })
  return { holds: shown, earlierHolds: tenures.length - shown.length }
}

/** Tenures that ended in the window, by lock, each in the order in which they ended. */
function tenuresByLock(storeId: string, book: TenureBook, { from, to }: Span): Iterable<EndedTenure[]> {
  const locks = new Map<string, EndedTenure[]>()
  for (const ended of book.ended(from, to)) {
    const tenure = { storeId, ...ended }
    const before = locks.get(ended.id)
    if (before) before.push(tenure)
    else locks.set(ended.id, [tenure])
  }
  return locks.values()
}

function badTenures(
  tenures: readonly EndedTenure[],
  book: TenureBook,
  { alerted, released }: LockEvents,
): Group {
  const [first] = tenures
  if (!first) return []
  const name = nameOf(first.storeId, first.id)
  const open = book.open.get(first.id)
  const releasedHere = releasedAmong(open ? [...tenures, open] : tenures, released.get(name) ?? [])
  return tenures.flatMap(tenure => {
    const isReleased = releasedHere.has(tenure)
    const why: Why = []
    if ((lengthOf(tenure) ?? 0) >= LONG_MS) why.push('held-long')
    if (alerted.has(name)) why.push('alert')
    // A lock that an operator released after its end did not run out by itself.
    if (tenure.end === 'lapsed' && !isReleased) why.push('lapsed')
    if (isReleased) why.push('released-here')
    return why.length === 0 ? [] : { tenure, why }
  })
}

/** A release ended the last tenure that began before it. */
function releasedAmong(
  tenures: readonly StoreTenure[],
  releases: readonly number[],
): ReadonlySet<StoreTenure> {
  return new Set(releases.flatMap(time => tenures.findLast(({ from }) => from <= time) ?? []))
}

function urgency(why: Why): number {
  return why.includes('alert') || why.includes('released-here') ? 0 : 1
}

function longestMs(group: Group): number {
  return group.reduce((ms, { tenure }) => Math.max(ms, tenure.until - tenure.from), 0)
}

/** To the filter, the lock of an ended tenure is free, and as old as it became. */
function fitsEnded(filter: Filter, { open, name }: ReportedStore, tenure: EndedTenure): boolean {
  const { id, key, format, holder, from, until } = tenure
  const lock: Lock = {
    ...{ id, key, name: key, format, owner: holder, holder: null, acquiredAt: from },
    ...{ acquiredAtSource: 'stored', lease: { kind: 'released' }, deadlines: [], state: 'released' },
    ...{ fence: '', fields: {}, notes: [], observedAt: until },
  }
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, until)
}

const ENDS: Record<ReportHold['end'], string> = {
  held: 'It is held still',
  freed: 'It was released before its end',
  lapsed: 'It was not released: its lease ran out',
  'passed-on': 'Then its holder changed',
  unseen: 'When it ended was not seen',
}

function sayEnded({ from, until, holder, begin, end, renewals }: EndedTenure, why: Why): string {
  const who = holder === null ? '' : ` by ${holder}`
  const least = begin === 'before' || end === 'unseen' ? 'at least ' : ''
  const renewed = renewals === 0 ? '' : `; renewed ${sayTimes(renewals)}`
  const ended = why.includes('released-here') ? 'It was released with Lockkeeper' : ENDS[end]
  return `Was held${who} for ${least}${sayDuration(until - from, { coarse: true })}${renewed}. ${ended}.`
}
