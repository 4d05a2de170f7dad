import { attentionRank, heldSinceOf, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import { ATTENTION, type AttentionLock, type ReportHead } from '../../../../shared/report-document.ts'
import type { TopList } from '../../lib/top-list.ts'
import { describeEnded, endedLocks, LONG_MS, type LockEvents, tenuresIn } from './ended-locks.ts'
import { lockFacts, publicJudgement } from './report-lock.ts'
import { nameOf, type ReportScope } from './sources.ts'

/** A stored lock that needs attention; `now` is its store's time. */
type Candidate = {
  readonly storeId: string
  readonly lock: Lock | WatchedLock
  readonly now: number
  readonly why: AttentionLock['why']
}

const MOST_ENDED = 100
const BY_RANK = ['expired', 'endless', 'expiring'] as const

/** Why a stored lock needs attention; empty if it does not. */
export function whyNeedy(lock: Lock | WatchedLock, now: number, isAlerted: boolean): AttentionLock['why'] {
  const rank = attentionRank(lock, now)
  const first = BY_RANK[rank]
  const since = heldSinceOf(lock)
  const why: AttentionLock['why'] = first === undefined ? [] : [first]
  if (rank < 5 && since !== null && now - since.at >= LONG_MS) why.push('held-long')
  if (isAlerted) why.push('alert')
  return why
}

/** By the first reason, then what ends first, then what is held longest. */
export function byUrgency(a: Candidate, b: Candidate): number {
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
  candidates: TopList<Candidate>,
  events: LockEvents,
): ReportHead['attention'] {
  const { stores, request } = scope
  const stored = new Map<string, AttentionLock>()
  for (const { storeId, lock, now, why } of candidates.items) {
    const store = stores.get(storeId)
    const since = heldSinceOf(lock)
    const offsetMs = now - scope.now
    // A lock that was acquired after the window is not part of the report.
    if (!store || (since?.exact && since.at - offsetMs > scope.to)) continue
    stored.set(nameOf(storeId, lock.id), {
      ...lockFacts(store.name, lock, now, request.withTokens === true),
      ended: false,
      why: [...why],
      says: publicJudgement(lock, store.open.watcher.storyOf(lock.id), now),
      ...tenuresIn(scope, storeId, lock.id),
    })
  }
  const ended: AttentionLock[] = []
  let more = candidates.count - candidates.items.length
  for (const each of endedLocks(scope, events)) {
    const listed = stored.get(nameOf(each.storeId, each.id))
    if (listed) listed.why = [...new Set([...listed.why, ...each.why])]
    else if (ended.length < MOST_ENDED) ended.push(describeEnded(scope, each))
    else more++
  }
  return { locks: [...stored.values(), ...ended], more }
}
