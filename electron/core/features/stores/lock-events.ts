import { expiresAtOf } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Turn } from './lock-history.ts'
import type { LockEvent, Pass, WatchSubscriber } from './subscriber.ts'

/** Turns what a watcher reads into what happened, for whoever observes it. */
export class LockEvents {
  readonly #subscriber: WatchSubscriber | null
  #happened: LockEvent[] = []
  /** The last pass saw everything, and nobody stopped looking since. */
  #unbroken = false

  constructor(subscriber: WatchSubscriber | null) {
    this.#subscriber = subscriber
  }

  /** A lock that is new or no longer what it was. */
  saw(turn: Turn, before: WatchedLock | undefined, now: WatchedLock): void {
    const what = this.#whatHappened(turn, before, now)
    if (what !== null) this.#happened.push({ what, lock: now })
  }

  gone(locks: readonly WatchedLock[], serverTime: number): void {
    for (const lock of locks) {
      // A record that was kept of a free lock was held by nobody.
      if (lock.state !== 'released') this.#happened.push({ what: howItEnded(lock, serverTime), lock })
    }
  }

  /** What was seen so far is told, whatever becomes of the rest of the pass. */
  tell(): void {
    const all = this.#happened
    this.#happened = []
    if (all.length > 0) this.#subscriber?.onEvents(all)
  }

  onPass(pass: Omit<Pass, 'unbroken'>): void {
    this.tell()
    this.#subscriber?.onPass({ ...pass, unbroken: this.#unbroken })
    this.#unbroken = true
  }

  missed(why: 'down' | 'partial', failure: Failure): void {
    this.tell()
    this.#unbroken = false
    this.#subscriber?.onFailure(why, failure)
  }

  onStop(): void {
    this.#happened = []
    this.#unbroken = false
    this.#subscriber?.onStop()
  }

  #whatHappened(turn: Turn, before: WatchedLock | undefined, now: WatchedLock): LockEvent['what'] | null {
    // What is met for the first time was there before, unless all was seen a moment ago.
    if (!before && !this.#unbroken) return now.state === 'released' ? null : 'found'
    switch (turn) {
      case 'same':
        return null
      case 'begun':
        return this.#unbroken ? 'taken' : 'found'
      case 'freed':
        return howItEnded(before, now.observedAt)
      default:
        return turn
    }
  }
}

/** By the end that was known of it: a lock that goes before its end was given back. */
function howItEnded(before: WatchedLock | undefined, at: number): 'freed' | 'lapsed' {
  const expiresAt = before === undefined ? null : expiresAtOf(before.lease)
  return expiresAt !== null && expiresAt <= at ? 'lapsed' : 'freed'
}
