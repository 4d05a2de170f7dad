import { StoreError } from '../lib/errors.ts'
import { later } from '../lib/timers.ts'
import { LockLostError } from './errors.ts'
import type { LockHandle } from './lock-handle.ts'
import type { CurrentHolder, Guarded } from './types.ts'

type Work<T> = (guarded: Guarded) => Promise<T> | T

/** How often a failed renewal is retried before the lease ends, at this pace at most. */
const TRIES = 20
const QUICKEST_MS = 50

/** Runs work under a lock. Its signal fires once the lock may be lost; a loss before the work was done is a LockLostError. */
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
    // A loss during the release came after the work; the release itself tells if it came before.
    if (!isDone) lose(holder, renewal.failure())
  })
  if (!isKept) lose(null)
  if (renew) renewal.start()
  const [done] = await Promise.allSettled([runWork(work, { signal: guard.signal, lock })])
  renewal.stop()
  if (lock.over === null && lock.validMs() <= 0) lose(null, renewal.failure())
  isDone = true
  try {
    const answer = await lock.release()
    if (answer.outcome === 'lost') lose(answer.holder)
  } catch (error) {
    const why = error instanceof StoreError ? `: ${error.message}` : ''
    // A renewal in flight may have found the lock gone before the work was done.
    if (lock.wasFoundGone) lose(null, { cause: error })
    if (!guard.signal.aborted)
      lock.releaseLater(() =>
        warn(
          `The lock ${JSON.stringify(lock.key)} could not be released after its work was done, and ends by itself${why}`,
        ),
      )
  }
  if (guard.signal.aborted) throw lostDuring(guard.signal.reason as LockLostError, done)
  if (done.status === 'fulfilled') return done.value
  throw done.reason
}

/** Rejects where the work throws before it returns a promise. */
async function runWork<T>(work: Work<T>, guarded: Guarded): Promise<T> {
  return work(guarded)
}

function lostDuring(lost: LockLostError, done: PromiseSettledResult<unknown>): LockLostError {
  if (done.status === 'fulfilled' || done.reason === lost) return lost
  return new LockLostError(lost.key, lost.holder, { cause: done.reason })
}

/** Renews a lock after each third of its lease. Its timers keep no process alive. */
class Renewal {
  #isStopped = false
  #error: unknown = null
  #stopTimer: () => void = () => {}

  constructor(readonly lock: LockHandle) {}

  start(): void {
    this.lock.onTimeChanged(() => this.#next())
    this.#next()
  }

  #next(): void {
    this.#after(this.lock.validMs() - (this.lock.ttlMs * 2) / 3)
  }

  stop(): void {
    this.#isStopped = true
    this.#stopTimer()
  }

  /** Why the last renewal failed, if it did. */
  failure(): ErrorOptions {
    return this.#error === null ? {} : { cause: this.#error }
  }

  #after(ms: number): void {
    this.#stopTimer()
    if (!this.#isStopped) this.#stopTimer = later(Math.max(ms, 0), () => void this.#renew(), { unref: true })
  }

  async #renew(): Promise<void> {
    try {
      await this.lock.renew()
      this.#error = null
    } catch (error) {
      this.#error = error
      // Retries until the lease ends, which the handle itself reports.
      this.#after(Math.max(Math.min(this.lock.ttlMs, this.lock.validMs()) / TRIES, QUICKEST_MS))
    }
  }
}
