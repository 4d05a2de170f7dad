import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'

/**
 * Something that was seen to happen to a lock. `found`: it was there when watching began, or after a time in which nobody could
 * look; when it was taken is then not known. `lock` is as it is now, and for what is gone, as it was last.
 */
export type LockEvent =
  | { readonly what: 'found' | 'taken' | 'renewed'; readonly lock: WatchedLock }
  | { readonly what: 'passed-on'; readonly lock: WatchedLock }
  | { readonly what: 'freed' | 'lapsed'; readonly lock: WatchedLock }

/** A look at everything in a store, that saw everything. */
export type Pass = {
  /** All that is there. It is the watcher's own: to be read at once, and not kept. */
  readonly locks: ReadonlyMap<string, WatchedLock>
  readonly serverTime: number
  readonly offsetMs: number | null
  /** How far the offset may be wrong. */
  readonly errorMs: number
  readonly scanned: number
  readonly tookMs: number
  /** Nothing was missed since the pass before it. */
  readonly unbroken: boolean
}

/** Told by a watcher what it sees. It must not throw, and it is in the way of the next reading. */
export interface WatchSubscriber {
  onEvents(all: readonly LockEvent[]): void
  /** After what happened in it. */
  onPass(pass: Pass): void
  /** A pass that failed, or that could not see a part. */
  onFailure(why: 'down' | 'partial', failure: Failure): void
  /** Nobody looks any more. */
  onStop(): void
}
