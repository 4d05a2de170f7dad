import { CONTENTION_MS } from '../../../../shared/alerts.ts'
import { holdersLookAlike } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { hashToken } from '../audit/audited.ts'
import { isToken } from '../stats/named-holder.ts'
import type { LockEvent } from '../stores/subscriber.ts'
import { type Subject, subjectOf } from './subject.ts'

/** Changes are counted in steps: a key that changes hands a thousand times a minute takes no more room than any other. */
const STEP_MS = 10_000
const STEPS = CONTENTION_MS / STEP_MS
/** Of one store. Beyond it, those that have been quiet for longest are forgotten. */
const MOST_KEYS = 20_000
const MOST_CHARS = 8_000_000

type Changes = {
  /** As it was last taken. */
  subject: Subject
  /** Stands for who took it last; null when nothing tells one from another. */
  owner: string | null
  isNamed: boolean
  takenStep: number
  lastStep: number
  readonly counts: Uint16Array
}

/** What is found of a key. Not `isNamed`: who took it is not told by a name, so that it may have been the same one each time. */
export type Contended = { readonly subject: Subject; readonly times: number; readonly isNamed: boolean }

/** How often each key of a store changed its holder in the last minutes. */
export class Contention {
  /** In the order in which they were taken last. */
  readonly #keys = new Map<string, Changes>()
  #chars = 0

  onEvents(all: readonly LockEvent[], at: number): void {
    const step = Math.floor(at / STEP_MS)
    for (const { what, lock } of all)
      if (what === 'taken' || what === 'passed-on') this.#taken(lock, what === 'passed-on', step)
  }

  /** Tells of each key that changed at least so often. */
  over(limit: number, at: number, found: (contended: Contended) => void): void {
    const step = Math.floor(at / STEP_MS)
    for (const [id, changes] of this.#keys) {
      clearUntil(changes, step)
      const { subject, isNamed } = changes
      let times = 0
      for (const count of changes.counts) times += count
      if (Math.abs(step - changes.takenStep) >= STEPS) this.#forget(id)
      else if (times >= limit) found({ subject, times, isNamed })
    }
  }

  get size(): number {
    return this.#keys.size
  }

  #taken(lock: WatchedLock, isPassedOn: boolean, step: number): void {
    const owner = holdersLookAlike(lock) ? null : hashToken(lock.owner)
    const before = this.#keys.get(lock.id)
    this.#forget(lock.id)
    const changes: Changes = {
      ...{ subject: subjectOf(lock), owner, isNamed: owner !== null && !isToken(lock) },
      ...{ takenStep: step, lastStep: before?.lastStep ?? step },
      counts: before?.counts ?? new Uint16Array(STEPS),
    }
    clearUntil(changes, step)
    const place = step % STEPS
    // Whoever takes a lock again that it had itself contends with nobody.
    if (isPassedOn || (before && (owner === null || owner !== before.owner)))
      changes.counts[place] = Math.min(65_535, (changes.counts[place] ?? 0) + 1)
    this.#keys.set(lock.id, changes)
    this.#chars += lock.id.length
    for (const id of this.#keys.keys()) {
      if (this.#keys.size <= MOST_KEYS && this.#chars <= MOST_CHARS) break
      this.#forget(id)
    }
  }

  #forget(id: string): void {
    if (this.#keys.delete(id)) this.#chars -= id.length
  }
}

/** What was counted a whole window ago is in the places that come next. */
function clearUntil(changes: Changes, step: number): void {
  // A clock that was set back would otherwise keep old counts for ever.
  if (step < changes.lastStep || step - changes.lastStep >= STEPS) changes.counts.fill(0)
  else for (let each = changes.lastStep + 1; each <= step; each++) changes.counts[each % STEPS] = 0
  changes.lastStep = step
}
