import { HOUR_MS } from '../../../../shared/duration.ts'
import { steadyNow } from '../../lib/clock.ts'
import { StoreError } from '../../lib/errors.ts'
import { endOf, isPipelineLock, type PipelineLock } from './format/pipeline-lock.ts'

/**
 * The embedded "server": locks of this process, under `tenant:pipeline`. A record stays after its end until somebody
 * acquires the same key, which is why expired leftovers can be seen.
 */
export class MemoryServer {
  readonly records = new Map<string, unknown>()
  readonly #listeners = new Map<string, Set<() => void>>()
  #fencing = 0
  /** False is an outage: every request fails as it would against a dead server. */
  up = true

  constructor(
    readonly timeoutMs = HOUR_MS,
    // A clock that is set forward would end locks that their holders still count on.
    readonly now: () => number = () => Math.floor(steadyNow()),
  ) {}

  /** Refused while a live lock is there; then it returns the run that holds it. */
  acquire(lock: Omit<PipelineLock, 'locked_at'>, lockedAtMs = this.now()): string | null {
    const key = `${lock.tenant_id}:${lock.pipeline_id}`
    const existing = this.live(key)
    if (existing !== null) return existing.pipeline_logging_id
    this.records.set(key, { ...lock, locked_at: lockedAtMs / 1000 })
    return null
  }

  /** The lock under this key, unless its time has run out. */
  live(key: string): PipelineLock | null {
    const lock = this.records.get(key)
    return isPipelineLock(lock) && endOf(lock, this.timeoutMs) > this.now() ? lock : null
  }

  nextFencing(): number {
    return ++this.#fencing
  }

  /** Calls back whenever somebody gives back what is under this key, until the returned function is called. */
  onFreed(key: string, freed: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set()
    // An entry of its own for each caller, also if two of them bring the same function.
    const listener = () => freed()
    this.#listeners.set(key, listeners.add(listener))
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(key)
    }
  }

  /** Every removal goes through here, so that whoever waits is told. */
  remove(key: string): void {
    this.records.delete(key)
    for (const freed of [...(this.#listeners.get(key) ?? [])]) freed()
  }

  request<T>(work: (records: Map<string, unknown>) => T): T {
    if (!this.up) throw new StoreError('STORE_UNREACHABLE', 'The memory store is switched off')
    return work(this.records)
  }
}
