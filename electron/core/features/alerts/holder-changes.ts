import { CHANGES_WINDOW_MS, type StoreFacts } from '../../../../shared/alert-rule.ts'
import { holdersLookAlike } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { hashToken } from '../audit/audited.ts'
import { isToken } from '../stats/named-holder.ts'
import type { LockEvent } from '../stores/subscriber.ts'
import { type LockSummary, summaryOf } from './condition.ts'

/** Changes are counted in steps: a key that changes hands a thousand times a minute takes no more room than any other. */
const STEP_MS = 10_000
const STEPS = CHANGES_WINDOW_MS / STEP_MS
/** Keys of one store. Beyond it, those that have been quiet for longest are evicted. */
const MOST_KEYS = 20_000
const MOST_CHARS = 8_000_000

type KeyChanges = {
  /** As it was last acquired. */
  readonly lock: LockSummary
  /** A hash of the last holder; null when records do not tell holders apart. */
  readonly owner: string | null
  readonly isNamed: boolean
  readonly acquiredStep: number
  lastStep: number
  readonly counts: Uint16Array
}

/** How often each key of a store changed its holder in the last minutes. */
export class HolderChanges {
  /** In the order in which they were last acquired. */
  readonly #keys = new Map<string, KeyChanges>()
  #chars = 0

  onEvents(events: readonly LockEvent[], at: number): void {
    const step = Math.floor(at / STEP_MS)
    for (const { what, lock } of events)
      if (what === 'taken' || what === 'passed-on') this.#acquired(lock, what === 'passed-on', step)
  }

  *within(at: number): StoreFacts<LockSummary>['holderChanges'] {
    const step = Math.floor(at / STEP_MS)
    for (const [id, changes] of this.#keys) {
      clearUntil(changes, step)
      const { lock, isNamed, counts, acquiredStep } = changes
      if (Math.abs(step - acquiredStep) >= STEPS) this.#forget(id)
      else yield { lock, times: counts.reduce((sum, count) => sum + count), isNamed }
    }
  }

  #acquired(lock: WatchedLock, isPassedOn: boolean, step: number): void {
    const owner = holdersLookAlike(lock) ? null : hashToken(lock.owner)
    const before = this.#keys.get(lock.id)
    this.#forget(lock.id)
    const changes: KeyChanges = {
      lock: summaryOf(lock),
      owner,
      isNamed: owner !== null && !isToken(lock),
      acquiredStep: step,
      lastStep: before?.lastStep ?? step,
      counts: before?.counts ?? new Uint16Array(STEPS),
    }
    clearUntil(changes, step)
    const place = step % STEPS
    // A holder that takes its own lock again contends with no other.
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

/** Clears the counts of a whole window ago, whose places come next. */
function clearUntil(changes: KeyChanges, step: number): void {
  // After the clock was set back, old counts would stay forever.
  if (step < changes.lastStep || step - changes.lastStep >= STEPS) changes.counts.fill(0)
  else for (let each = changes.lastStep + 1; each <= step; each++) changes.counts[each % STEPS] = 0
  changes.lastStep = step
}
