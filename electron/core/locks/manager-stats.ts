import type { LockObserver, LockStats } from './types.ts'

/** Counts what a manager does, and calls the observer. */
export class ManagerStats {
  readonly #observer: LockObserver
  readonly #warn: (message: string) => void
  #acquired = 0
  #released = 0
  #failed = 0
  #lost = 0
  #totalWaitTimeMs = 0
  #hasWarned = false

  constructor(observer: LockObserver | undefined, warn: (message: string) => void) {
    this.#observer = observer ?? {}
    this.#warn = warn
  }

  acquired(key: string, waitedMs: number): void {
    this.#acquired++
    this.#totalWaitTimeMs += waitedMs
    this.#tell(() => this.#observer.acquired?.(key, waitedMs))
  }

  refused(key: string, waitedMs: number): void {
    this.#failed++
    this.#tell(() => this.#observer.refused?.(key, waitedMs))
  }

  failed(key: string, error: unknown): void {
    this.#failed++
    this.#tell(() => this.#observer.failed?.(key, error))
  }

  released(key: string, heldMs: number | null): void {
    this.#released++
    this.#tell(() => this.#observer.released?.(key, heldMs))
  }

  lost(key: string, heldMs: number): void {
    this.#lost++
    this.#tell(() => this.#observer.lost?.(key, heldMs))
  }

  counts(): Omit<LockStats, 'provider' | 'active'> {
    return {
      acquired: this.#acquired,
      released: this.#released,
      failed: this.#failed,
      lost: this.#lost,
      totalWaitTimeMs: this.#totalWaitTimeMs,
      avgWaitTimeMs: this.#acquired === 0 ? 0 : this.#totalWaitTimeMs / this.#acquired,
    }
  }

  /** A faulty observer must not break a lock. */
  #tell(tell: () => unknown): void {
    const ignore = () => {
      if (!this.#hasWarned) this.#warn('The observer of a lock manager threw an error, which was ignored')
      this.#hasWarned = true
    }
    try {
      // An asynchronous observer is not awaited; its unhandled rejection would end the process.
      Promise.resolve(tell()).catch(ignore)
    } catch {
      ignore()
    }
  }
}
