import { attentionRank, heldSinceOf, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import { ATTENTION, type AttentionLock, type ReportHead } from '../../../../shared/report-document.ts'
import { endedLocks, LONG_MS, type LockEvents, tenuresIn } from './ended-locks.ts'
import { lockFacts, publicJudgement } from './report-lock.ts'
import { nameOf, type ReportScope } from './sources.ts'

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

/** Locks that needed attention: stored locks, then ended ones. Each is one entry, with all its reasons. */
export function attentionOf(
  scope: ReportScope,
  candidates: ReturnType<AttentionList['result']>,
  events: LockEvents,
): ReportHead['attention'] {
  const { stores, request } = scope
  const stored = new Map<string, AttentionLock>()
  for (const { storeId, lock, now, why } of candidates.locks) {
    const store = stores.get(storeId)
    const since = heldSinceOf(lock)
    const offsetMs = now - scope.now
    // A lock that was acquired after the window is not part of the report.
    if (!store || (since?.exact && since.at - offsetMs > scope.to)) continue
    stored.set(nameOf(storeId, lock.id), {
      ...lockFacts(store.name, lock, now, request.withTokens === true),
      ended: false,
      why,
      says: publicJudgement(lock, store.open.watcher.storyOf(lock.id), now),
      ...tenuresIn(scope, storeId, lock.id),
    })
  }
  const ended = endedLocks(scope, events, name => stored.has(name))
  const locks = [...stored].map(([name, lock]) => ({
    ...lock,
    why: [...new Set([...lock.why, ...(ended.merged.get(name) ?? [])])],
  }))
  return { locks: [...locks, ...ended.locks], more: candidates.more + ended.more }
}
