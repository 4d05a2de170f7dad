import { StoreError } from '../lib/errors.ts'
import { later } from '../lib/timers.ts'
import { LockLostError } from './errors.ts'
import type { LockHandle } from './lock-handle.ts'
import type { CurrentHolder, Guarded } from './types.ts'

type Work<T> = (guarded: Guarded) => Promise<T> | T

/** A renewal that failed is tried again that often before the lock would end, but not faster than this. */
const TRIES = 20
const QUICKEST_MS = 50

/**
 * Work under a lock that was just taken. It is told as soon as the lock is lost or nobody can say any more that it is not,
 * and it does not succeed if that was so at any time before it was done.
 */
export async function underLock<T>(
  lock: LockHandle,
  work: Work<T>,
  { renew, warn }: { readonly renew: boolean; readonly warn: (message: string) => void },
): Promise<T> {
  const guard = new AbortController()
  let isDone = false
  const lose = (holder: CurrentHolder | null, options: ErrorOptions = {}) => {
    if (!guard.signal.aborted) guard.abort(new LockLostError(lock.key, holder, options))
  }
  const renewal = new Renewal(lock)
  const isKept = lock.onLost(holder => {
    // What is lost while it is being let go was ours until the work was done; the release says if it was not.
    if (!isDone) lose(holder, renewal.failure())
  })
  if (!isKept) lose(null)
  if (renew) renewal.start()
  const done = await settled(work, { signal: guard.signal, lock })
  renewal.stop()
  if (lock.over === null && lock.validMs() <= 0) lose(null, renewal.failure())
  isDone = true
  try {
    const answer = await lock.release()
    if (answer.outcome === 'lost') lose(answer.holder)
  } catch (error) {
    const why = error instanceof StoreError ? `: ${error.message}` : ''
    // A renewal that was still under way may have found it gone before the work was done.
    if (lock.wasFoundGone) lose(null, { cause: error })
    if (!guard.signal.aborted)
      lock.releaseLater(() =>
        warn(
          `The lock ${JSON.stringify(lock.key)} could not be released after its work was done, and ends by itself${why}`,
        ),
      )
  }
  if (guard.signal.aborted) throw lostDuring(guard.signal.reason as LockLostError, done)
  if (done.ok) return done.value
  throw done.error
}

type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown }

async function settled<T>(work: Work<T>, guarded: Guarded): Promise<Done<T>> {
  try {
    return { ok: true, value: await work(guarded) }
  } catch (error) {
    return { ok: false, error }
  }
}

function lostDuring(lost: LockLostError, done: Done<unknown>): LockLostError {
  if (done.ok || done.error === lost) return lost
  return new LockLostError(lost.key, lost.holder, { cause: done.error })
}

/** Renews a lock whenever a third of its time is over. Its timers keep no process alive that has nothing else to do. */
class Renewal {
  readonly #lock: LockHandle
  #isStopped = false
  #error: unknown = null
  #stopTimer: () => void = () => {}

  constructor(lock: LockHandle) {
    this.#lock = lock
  }

  start(): void {
    this.#lock.onTimeChanged(() => this.#next())
    this.#next()
  }

  #next(): void {
    this.#after(this.#lock.validMs() - (this.#lock.ttlMs * 2) / 3)
  }

  stop(): void {
    this.#isStopped = true
    this.#stopTimer()
  }

  /** Why it could not be renewed lately, where that is known. */
  failure(): ErrorOptions {
    return this.#error === null ? {} : { cause: this.#error }
  }

  #after(ms: number): void {
    this.#stopTimer()
    if (!this.#isStopped) this.#stopTimer = later(Math.max(ms, 0), () => void this.#renew(), { unref: true })
  }

  async #renew(): Promise<void> {
    try {
      await this.#lock.renew()
      this.#error = null
    } catch (error) {
      this.#error = error
      // Until the time is over, of which the lock itself tells.
      this.#after(Math.max(Math.min(this.#lock.ttlMs, this.#lock.validMs()) / TRIES, QUICKEST_MS))
    }
  }
}
