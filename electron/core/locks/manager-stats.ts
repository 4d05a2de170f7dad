import type { LockObserver, LockStats } from './types.ts'

/** Counts what a manager does, and calls the observer. */
export class ManagerStats {
  readonly #counts = { acquired: 0, released: 0, failed: 0, lost: 0, totalWaitTimeMs: 0 }
  #hasWarned = false

  constructor(
    readonly observer: LockObserver = {},
    readonly warn: (message: string) => void,
  ) {}

  acquired(key: string, waitedMs: number): void {
    this.#counts.acquired++
    this.#counts.totalWaitTimeMs += waitedMs
    this.#tell(() => this.observer.acquired?.(key, waitedMs))
  }

  refused(key: string, waitedMs: number): void {
    this.#counts.failed++
    this.#tell(() => this.observer.refused?.(key, waitedMs))
  }

  failed(key: string, error: unknown): void {
    this.#counts.failed++
    this.#tell(() => this.observer.failed?.(key, error))
  }

  released(key: string, heldMs: number | null): void {
    this.#counts.released++
    this.#tell(() => this.observer.released?.(key, heldMs))
  }

  lost(key: string, heldMs: number): void {
    this.#counts.lost++
    this.#tell(() => this.observer.lost?.(key, heldMs))
  }

  counts(): Omit<LockStats, 'provider' | 'active'> {
    const { acquired, totalWaitTimeMs } = this.#counts
    return { ...this.#counts, avgWaitTimeMs: acquired === 0 ? 0 : totalWaitTimeMs / acquired }
  }

  /** A faulty observer must not break a lock. */
  #tell(tell: () => unknown): void {
    const ignore = () => {
      if (!this.#hasWarned) this.warn('The observer of a lock manager threw an error, which was ignored')
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
