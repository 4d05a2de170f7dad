import type { Filter } from '../../../../shared/filter.ts'
import { attentionRank, heldSinceOf, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import { ATTENTION, type AttentionLock, type ReportHead } from '../../../../shared/report-document.ts'
import type { ReportRequest } from '../../../../shared/reports.ts'
import { endedLocks, LONG_MS, type LockEvents, tenuresIn } from './ended-locks.ts'
import { lockFacts, publicJudgement } from './report-lock.ts'
import { nameOf, type ReportedStore, type ReportSources, type Window } from './sources.ts'

/** A stored lock that needs attention; `now` is its store's time. */
type Candidate = {
  readonly storeId: string
  readonly lock: Lock | WatchedLock
  readonly now: number
  readonly why: AttentionLock['why']
}

const BY_RANK = ['expired', 'endless', 'expiring'] as const

/** Keeps the locks that need attention most, of any number of locks, and counts the others. */
export class AttentionList {
  readonly #most: number
  readonly #alerted: ReadonlySet<string>
  #kept: Candidate[] = []
  #count = 0

  /** `alerted` are locks by their `nameOf`. */
  constructor(most: number, alerted: ReadonlySet<string>) {
    this.#most = most
    this.#alerted = alerted
  }

  add(storeId: string, lock: Lock | WatchedLock, now: number): void {
    const why = this.#whyOf(storeId, lock, now)
    if (why.length === 0) return
    this.#count++
    this.#kept.push({ storeId, lock, now, why })
    // Sorting at every lock would cost more than keeping a few too many.
    if (this.#kept.length >= 4 * this.#most) this.#cut()
  }

  result(): { locks: readonly Candidate[]; more: number } {
    this.#cut()
    return { locks: this.#kept, more: this.#count - this.#kept.length }
  }

  #cut(): void {
    this.#kept = this.#kept.sort(byUrgency).slice(0, this.#most)
  }

  #whyOf(storeId: string, lock: Lock | WatchedLock, now: number): AttentionLock['why'] {
    const rank = attentionRank(lock, now)
    const first = BY_RANK[rank]
    const since = heldSinceOf(lock)
    const why: AttentionLock['why'] = first === undefined ? [] : [first]
    if (rank < 5 && since !== null && now - since.at >= LONG_MS) why.push('held-long')
    if (this.#alerted.has(nameOf(storeId, lock.id))) why.push('alert')
    return why
  }
}

/** By the first reason, then what ends first, then what is held longest. */
function byUrgency(a: Candidate, b: Candidate): number {
  return (
    weight(a) - weight(b) ||
    compare(remainingMs(a.lock, a.now) ?? Infinity, remainingMs(b.lock, b.now) ?? Infinity) ||
    compare(heldSinceOf(a.lock)?.at ?? Infinity, heldSinceOf(b.lock)?.at ?? Infinity) ||
    compare(a.lock.key, b.lock.key)
  )
}

function weight({ why: [first] }: Candidate): number {
  return first === undefined ? ATTENTION.length : ATTENTION.indexOf(first)
}

function compare<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Locks that needed attention: those that are stored, then those that ended. Each is one entry, with all its reasons. */
export function attentionOf(
  sources: ReportSources,
  byId: ReadonlyMap<string, ReportedStore>,
  candidates: ReturnType<AttentionList['result']>,
  events: LockEvents,
  window: Window,
  { filter, request }: { readonly filter: Filter; readonly request: ReportRequest },
): ReportHead['attention'] {
  const stored = new Map<string, AttentionLock>()
  for (const { storeId, lock, now, why } of candidates.locks) {
    const store = byId.get(storeId)
    const since = heldSinceOf(lock)
    const offsetMs = now - window.now
    // A lock that was acquired after the window is not part of the report.
    if (!store || (since?.exact && since.at - offsetMs > window.to)) continue
    stored.set(nameOf(storeId, lock.id), {
      ...lockFacts(store.name, lock, now, request.withTokens === true),
      ended: false,
      why: [...why],
      says: publicJudgement(lock, store.open.watcher.storyOf(lock.id), now),
      ...tenuresIn(sources, storeId, lock.id, window),
    })
  }
  const ended = endedLocks(sources, byId, events, window, filter, name => stored.has(name))
  const locks = [...stored].map(([name, lock]) => ({
    ...lock,
    why: [...new Set([...lock.why, ...(ended.merged.get(name) ?? [])])],
  }))
  return { locks: [...locks, ...ended.locks], more: candidates.more + ended.more }
}
