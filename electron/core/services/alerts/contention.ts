import { CONTENTION_MS } from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/lock.ts'
import type { Happening } from '../observe/observer.ts'

/** Changes are counted in steps: a key that changes hands a thousand times a minute takes no more room than any other. */
const STEP_MS = 10_000
const STEPS = CONTENTION_MS / STEP_MS
/** Of one store. Beyond it, those that have been quiet for longest are forgotten. */
const MOST_KEYS = 20_000

type Changes = { lock: WatchedLock; lastStep: number; readonly counts: Uint16Array }

/** How often each key of a store changed its holder in the last minutes. */
export class Contention {
  /** In the order in which they changed last. */
  readonly #keys = new Map<string, Changes>()

  happened(all: readonly Happening[], at: number): void {
    const step = Math.floor(at / STEP_MS)
    for (const { what, lock } of all) {
      if (what !== 'taken' && what !== 'passed-on') continue
      const changes = this.#keys.get(lock.id) ?? { lock, lastStep: step, counts: new Uint16Array(STEPS) }
      clearUntil(changes, step)
      changes.lock = lock
      const place = step % STEPS
      changes.counts[place] = Math.min(65_535, (changes.counts[place] ?? 0) + 1)
      this.#keys.delete(lock.id)
      this.#keys.set(lock.id, changes)
      const [quietest] = this.#keys.keys()
      if (this.#keys.size > MOST_KEYS && quietest !== undefined) this.#keys.delete(quietest)
    }
  }

  /** Tells of each key that changed at least so often. */
  over(limit: number, at: number, found: (lock: WatchedLock, times: number) => void): void {
    const step = Math.floor(at / STEP_MS)
    for (const [id, changes] of this.#keys) {
      clearUntil(changes, step)
      let times = 0
      for (const count of changes.counts) times += count
      if (times === 0) this.#keys.delete(id)
      else if (times >= limit) found(changes.lock, times)
    }
  }

  get size(): number {
    return this.#keys.size
  }
}

/** What was counted a whole window ago is in the places that come next. */
function clearUntil(changes: Changes, step: number): void {
  // A clock that was set back would otherwise keep old counts for ever.
  if (step < changes.lastStep || step - changes.lastStep >= STEPS) changes.counts.fill(0)
  else for (let each = changes.lastStep + 1; each <= step; each++) changes.counts[each % STEPS] = 0
  changes.lastStep = step
}
