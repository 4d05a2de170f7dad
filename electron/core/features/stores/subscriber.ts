import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'

/**
 * A change of a lock that a watcher saw. `found`: the lock was there when watching began or after a gap, so its acquisition time is
 * unknown. `lock` is the last reading.
 */
export type LockEvent = {
  readonly what: 'found' | 'taken' | 'renewed' | 'passed-on' | 'freed' | 'lapsed'
  readonly lock: WatchedLock
}

/** A complete reading of a store. */
export type Pass = {
  /** The watcher's own map: copy it to keep it. */
  readonly locks: ReadonlyMap<string, WatchedLock>
  readonly serverTime: number
  readonly offsetMs: number | null
  /** How far the offset may be wrong. */
  readonly errorMs: number
  readonly scanned: number
  readonly tookMs: number
  /** Nothing was missed since the pass before. */
  readonly unbroken: boolean
}

/**
 * Notified by the watcher of one store. It must not throw. The watcher waits for the end of a pass before the next reading: work on
 * all locks of a large store lets others have their turn in between.
 */
export interface WatchSubscriber {
  onEvents(events: readonly LockEvent[]): void
  /** After the events of the pass. */
  onPass(pass: Pass): void | Promise<void>
  /** A pass failed, or could not read a part. */
  onFailure(why: 'down' | 'partial', failure: Failure): void
  /** The store is no longer polled. */
  onStop(): void
}
