import { HOUR_MS } from '../../../../shared/duration.ts'
import { steadyNow } from '../../lib/clock.ts'
import { StoreError } from '../../lib/errors.ts'
import { endOf, isPipelineLock, type PipelineLock, tenantAndPipeline } from './format/pipeline-lock.ts'

type OwnerProof = { readonly owner: string; readonly mark: string | null }

type MemoryRequest = {
  readonly owner: string
  readonly lockedBy: string
  /** Null for the server's timeout, which is then not written down. */
  readonly ttlMs: number | null
}

/** The embedded server: `tenant:pipeline` locks of this process. Expired records stay until their key is acquired again. */
export class MemoryServer {
  readonly records = new Map<string, unknown>()
  readonly #listeners = new Map<string, Set<() => void>>()
  #fencing = 0
  /** False is an outage: every request fails as it would against a dead server. */
  up = true

  constructor(
    readonly timeoutMs = HOUR_MS,
    // A clock that is set forward would end locks that their holders rely on.
    readonly now: () => number = () => Math.floor(steadyNow()),
  ) {}

  take(key: string, { owner, lockedBy, ttlMs }: MemoryRequest, at = this.now()) {
    return this.request(records => {
      const existing = this.live(key)
      if (existing !== null) {
        const holder = this.#holderOf(existing)
        return { is: 'held' as const, holder, leftMs: holder.expiresAt - this.now() }
      }
      const fencing = ++this.#fencing
      const lock: PipelineLock = {
        ...tenantAndPipeline(key),
        pipeline_logging_id: owner,
        locked_at: at / 1000,
        locked_by: lockedBy,
        ...(ttlMs === null ? {} : { expires_at: (at + ttlMs) / 1000, fencing }),
      }
      records.set(key, lock)
      const expiresAt = endOf(lock, this.timeoutMs)
      return { is: 'taken' as const, mark: markOf(lock), fencing, acquiredAt: at, expiresAt }
    })
  }

  extend(key: string, proof: OwnerProof, ttlMs: number) {
    return this.request(records => {
      const lock = this.live(key)
      if (!isOwnedBy(lock, proof)) return this.#lostTo(lock)
      const now = this.now()
      // A record without an end of its own ends a timeout after its beginning.
      const moved: PipelineLock =
        lock.expires_at === undefined && ttlMs === this.timeoutMs
          ? { ...lock, locked_at: now / 1000 }
          : { ...lock, expires_at: (now + ttlMs) / 1000 }
      records.set(key, moved)
      return { is: 'extended' as const, expiresAt: endOf(moved, this.timeoutMs) }
    })
  }

  release(key: string, proof: OwnerProof) {
    return this.request(() => {
      const lock = this.live(key)
      if (!isOwnedBy(lock, proof)) return this.#lostTo(lock)
      this.remove(key)
      return { is: 'released' as const }
    })
  }

  holder(key: string) {
    return this.request(() => {
      const lock = this.live(key)
      return lock && this.#holderOf(lock)
    })
  }

  /** The lock under this key, unless it has expired. */
  live(key: string): PipelineLock | null {
    const lock = this.records.get(key)
    return isPipelineLock(lock) && endOf(lock, this.timeoutMs) > this.now() ? lock : null
  }

  /** Calls back whenever the lock under this key is released, until the returned function is called. */
  onFreed(key: string, freed: () => void): () => void {
    const listeners = this.#listeners.get(key) ?? new Set()
    // An entry of its own for each caller, also if two of them bring the same function.
    const listener = () => freed()
    this.#listeners.set(key, listeners.add(listener))
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(key)
    }
  }

  /** Every removal goes through here, so that waiters are notified. */
  remove(key: string): void {
    this.records.delete(key)
    for (const freed of [...(this.#listeners.get(key) ?? [])]) freed()
  }

  request<T>(work: (records: Map<string, unknown>) => T): T {
    if (!this.up) throw new StoreError('STORE_UNREACHABLE', 'The memory store is switched off')
    return work(this.records)
  }

  #lostTo(lock: PipelineLock | null) {
    return { is: 'lost' as const, holder: lock && this.#holderOf(lock) }
  }

  #holderOf(lock: PipelineLock) {
    return {
      owner: lock.pipeline_logging_id,
      label: lock.locked_by,
      acquiredAt: lock.locked_at * 1000,
      expiresAt: endOf(lock, this.timeoutMs),
    }
  }
}

function isOwnedBy(lock: PipelineLock | null, { owner, mark }: OwnerProof): lock is PipelineLock {
  return lock?.pipeline_logging_id === owner && (mark === null || markOf(lock) === mark)
}

function markOf({ fencing }: PipelineLock): string | null {
  return fencing === undefined ? null : String(fencing)
}
