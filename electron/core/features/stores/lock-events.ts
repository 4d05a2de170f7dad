import { expiresAtOf } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { HolderChange } from './lock-history.ts'
import type { LockEvent, Pass, WatchSubscriber } from './subscriber.ts'

/** Turns what a watcher reads into lock events for its subscriber. */
export class LockEvents {
  #events: LockEvent[] = []
  /** The last pass was complete, and polling has not stopped since. */
  #unbroken = false

  constructor(readonly subscriber: WatchSubscriber | null) {}

  /** A lock that is new or has changed. */
  read(change: HolderChange, before: WatchedLock | undefined, now: WatchedLock): void {
    const what = this.#eventOf(change, before, now)
    if (what !== null) this.#events.push({ what, lock: now })
  }

  gone(locks: readonly WatchedLock[], serverTime: number): void {
    for (const lock of locks) {
      // The kept record of a free lock had no holder.
      if (lock.state !== 'released') this.#events.push({ what: howItEnded(lock, serverTime), lock })
    }
  }

  /** Sends the events so far, even if the rest of the pass fails. */
  flush(): void {
    const events = this.#events
    this.#events = []
    if (events.length > 0) this.subscriber?.onEvents(events)
  }

  async onPass(pass: Omit<Pass, 'unbroken'>): Promise<void> {
    this.flush()
    const unbroken = this.#unbroken
    // Polling may fail or stop during the wait.
    this.#unbroken = true
    await this.subscriber?.onPass({ ...pass, unbroken })
  }

  onFailure(why: 'down' | 'partial', failure: Failure): void {
    this.flush()
    this.#unbroken = false
    this.subscriber?.onFailure(why, failure)
  }

  onStop(): void {
    this.#events = []
    this.#unbroken = false
    this.subscriber?.onStop()
  }

  #eventOf(
    change: HolderChange,
    before: WatchedLock | undefined,
    now: WatchedLock,
  ): LockEvent['what'] | null {
    // Unless the pass before was complete, a lock that is seen for the first time may be old.
    if (!before && !this.#unbroken) return now.state === 'released' ? null : 'found'
    switch (change) {
      case 'same':
        return null
      case 'begun':
        return this.#unbroken ? 'taken' : 'found'
      case 'freed':
        return howItEnded(before, now.observedAt)
      default:
        return change
    }
  }
}

/** By the last known expiry: a lock that disappears before it was released. */
function howItEnded(before: WatchedLock | undefined, at: number): 'freed' | 'lapsed' {
  const expiresAt = before === undefined ? null : expiresAtOf(before.lease)
  return expiresAt !== null && expiresAt <= at ? 'lapsed' : 'freed'
}
