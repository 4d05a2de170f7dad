import { HOUR_MS, sayDuration } from '../../../../shared/duration.ts'
import { groupBy } from '../../../../shared/group-by.ts'
import { isoTime } from '../../../../shared/lease.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { sayTimes } from '../../../../shared/numbers.ts'
import type { AttentionLock, ReportHold } from '../../../../shared/report-document.ts'
import { type EndedTenure, lengthOf, type StoreTenure } from '../stats/tenure-book.ts'
import { fits } from './report-lock.ts'
import { nameOf, type ReportedStore, type ReportScope } from './sources.ts'
import { iso } from './words.ts'

/** Tenures listed for one lock. */
const MOST_TENURES = 6
/** Long for any lock, whatever it protects. */
export const LONG_MS = 2 * HOUR_MS

export type LockEvents = {
  /** Locks with alerts, by the ids of their stores. */
  readonly alerted: ReadonlySet<string>
  /** Releases by operators, by the addresses of the stores: the log has no ids. */
  readonly released: ReadonlyMap<string, readonly { readonly at: number }[]>
}

type Why = AttentionLock['why']

type EndedLock = ReturnType<typeof endedIn>[number]

/**
 * Locks whose tenure ended badly in the window, that an operator released in it, or that an alert was about: each lock once,
 * however often it was held. Locks with alerts or releases come first, then the longest tenures.
 */
export function endedLocks(scope: ReportScope, events: LockEvents): EndedLock[] {
  return [...scope.stores]
    .flatMap(([storeId, store]) => endedIn(storeId, store, scope, events))
    .sort((a, b) => urgency(a) - urgency(b) || longestMs(b) - longestMs(a))
}

/** `bad` has the tenures that needed attention, in the order in which they ended. */
function endedIn(
  storeId: string,
  store: ReportedStore,
  scope: ReportScope,
  { alerted, released }: LockEvents,
) {
  const book = scope.sources.histories.get(storeId)?.history.tenures
  return [...groupBy(book?.ended(scope.from, scope.to) ?? [], ({ id }) => id)].flatMap(([id, tenures]) => {
    const open = book?.open.get(id)
    const releases = released.get(nameOf(store.open.store.address, id)) ?? []
    const releasedHere = releasedAmong(open ? [...tenures, open] : tenures, releases)
    const isAlerted = alerted.has(nameOf(storeId, id))
    const bad = tenures
      .map(tenure => ({ tenure, why: whyOf(tenure, releasedHere.has(tenure), isAlerted) }))
      .filter(({ tenure, why }) => why.length > 0 && fitsEnded(scope, store, tenure))
    const why = [...new Set(bad.flatMap(each => each.why))]
    return bad.length === 0 ? [] : [{ storeId, store, id, why, bad }]
  })
}

/** The last tenure of a lock; those before it are in its history. */
export function describeEnded(
  scope: ReportScope,
  { storeId, store, id, bad, why }: EndedLock,
): AttentionLock {
  const { tenure, why: whyLast } = bad.at(-1) as EndedLock['bad'][number]
  const { key, format, holder, ownerHash, from, begin } = tenure
  const last =
    bad.length === 1 ? '' : ` It is the last of ${bad.length} tenures in the window that needed attention.`
  return {
    ...{ store: store.name, key, format, state: 'released', holder, ownerHash },
    ...{ since: iso(from), sinceExact: begin === 'stored', expiresAt: null, notes: [] },
    ...{ ended: true, why, says: sayEnded(tenure, whyLast) + last },
    ...tenuresIn(scope, storeId, id),
  }
}

/** Who held a lock in the window: the last few tenures, oldest first. */
export function tenuresIn(
  { sources, from, to }: ReportScope,
  storeId: string,
  id: string,
): Pick<AttentionLock, 'holds' | 'earlierHolds'> {
  const tenures = [...(sources.histories.get(storeId)?.history.tenures.within(from, to, id) ?? [])]
  tenures.sort((a, b) => a.from - b.from)
  const holds = tenures
    .slice(-MOST_TENURES)
    .map(({ holder, ownerHash, from, begin, until, end, renewals }) => {
      return { holder, ownerHash, from: iso(from), begin, until: isoTime(until), end, renewals }
    })
  return { holds, earlierHolds: tenures.length - holds.length }
}

/** Why an ended tenure needed attention; empty if it did not. */
function whyOf(tenure: EndedTenure, isReleased: boolean, isAlerted: boolean): Why {
  const why: Why = []
  if ((lengthOf(tenure) ?? 0) >= LONG_MS) why.push('held-long')
  if (isAlerted) why.push('alert')
  // A lock that an operator released after its end did not run out by itself.
  if (tenure.end === 'lapsed' && !isReleased) why.push('lapsed')
  if (isReleased) why.push('released-here')
  return why
}

/** A release ended the last tenure that began before it. */
function releasedAmong(
  tenures: readonly StoreTenure[],
  releases: readonly { readonly at: number }[],
): ReadonlySet<StoreTenure> {
  return new Set(releases.flatMap(({ at }) => tenures.findLast(({ from }) => from <= at) ?? []))
}

function urgency({ why }: EndedLock): number {
  return why.includes('alert') || why.includes('released-here') ? 0 : 1
}

function longestMs({ bad }: EndedLock): number {
  return bad.reduce((ms, { tenure }) => Math.max(ms, tenure.until - tenure.from), 0)
}

/** To the filter, the lock of an ended tenure is free, and as old as it became. */
function fitsEnded({ filter }: ReportScope, store: ReportedStore, tenure: EndedTenure): boolean {
  const { id, key, format, holder, from, until } = tenure
  const lock: Lock = {
    ...{ id, key, name: key, format, owner: holder, holder: null, acquiredAt: from },
    ...{ acquiredAtSource: 'stored', lease: { kind: 'released' }, deadlines: [], state: 'released' },
    ...{ fence: '', fields: {}, notes: [], observedAt: until },
  }
  return fits(filter, store, lock, until)
}

const ENDS: Record<ReportHold['end'], string> = {
  held: 'It is still held',
  freed: 'It was released before its lease ended',
  lapsed: 'It was not released: its lease ran out',
  'passed-on': 'Then its holder changed',
  unseen: 'Its end was not observed',
}

function sayEnded({ from, until, holder, begin, end, renewals }: EndedTenure, why: Why): string {
  const who = holder === null ? '' : ` by ${holder}`
  const least = begin === 'before' || end === 'unseen' ? 'at least ' : ''
  const renewed = renewals === 0 ? '' : `; renewed ${sayTimes(renewals)}`
  const ended = why.includes('released-here') ? 'It was released with Lockkeeper' : ENDS[end]
  return `Was held${who} for ${least}${sayDuration(until - from, { coarse: true })}${renewed}. ${ended}.`
}
