import { endOf, type PipelineLock } from './format/pipeline-lock.ts'
import type { MemoryServer } from './server.ts'

type Holder = {
  readonly owner: string
  readonly label: string
  readonly acquiredAt: number
  readonly expiresAt: number
}
type OwnerProof = { readonly owner: string; readonly mark: string | null }
type Grant = {
  readonly is: 'taken'
  readonly mark: string | null
  readonly fencing: number
  readonly acquiredAt: number
  readonly expiresAt: number
}
type Refusal = { readonly is: 'held'; readonly holder: Holder; readonly leftMs: number }
type Extension = { readonly is: 'extended'; readonly expiresAt: number }
type Released = { readonly is: 'released' }
type Loss = { readonly is: 'lost'; readonly holder: Holder | null }

type MemoryRequest = {
  readonly owner: string
  readonly lockedBy: string
  /** Null for the server's timeout, which is then not written down. */
  readonly ttlMs: number | null
}

/** The steps of the embedded store. Each is atomic because nothing else runs meanwhile. Also behind the practice store. */
export class MemoryLocks {
  constructor(readonly server: MemoryServer) {}

  take(name: string, request: MemoryRequest, at = this.server.now()): Grant | Refusal {
    return this.server.request(records => {
      const now = this.server.now()
      const existing = this.server.live(name)
      if (existing !== null)
        return {
          is: 'held',
          holder: this.#holder(existing),
          leftMs: endOf(existing, this.server.timeoutMs) - now,
        }
      const fencing = this.server.nextFencing()
      const lock: PipelineLock = {
        ...tenantAndPipeline(name),
        pipeline_logging_id: request.owner,
        locked_at: at / 1000,
        locked_by: request.lockedBy,
        ...(request.ttlMs === null ? {} : { expires_at: (at + request.ttlMs) / 1000, fencing }),
      }
      records.set(name, lock)
      const expiresAt = endOf(lock, this.server.timeoutMs)
      return { is: 'taken', mark: markOf(lock), fencing, acquiredAt: at, expiresAt }
    })
  }

  extend(name: string, proof: OwnerProof, ttlMs: number): Extension | Loss {
    return this.server.request(records => {
      const lock = this.server.live(name)
      if (lock === null || !isClaimed(lock, proof)) return this.#lost(lock)
      const now = this.server.now()
      // A record that says nothing of its end has only its beginning to be moved.
      const moved: PipelineLock =
        lock.expires_at === undefined && ttlMs === this.server.timeoutMs
          ? { ...lock, locked_at: now / 1000 }
          : { ...lock, expires_at: (now + ttlMs) / 1000 }
      records.set(name, moved)
      return { is: 'extended', expiresAt: endOf(moved, this.server.timeoutMs) }
    })
  }

  release(name: string, proof: OwnerProof): Released | Loss {
    return this.server.request(() => {
      const lock = this.server.live(name)
      if (lock === null || !isClaimed(lock, proof)) return this.#lost(lock)
      this.server.remove(name)
      return { is: 'released' }
    })
  }

  read(name: string): Holder | null {
    return this.server.request(() => {
      const lock = this.server.live(name)
      return lock === null ? null : this.#holder(lock)
    })
  }

  #lost(lock: PipelineLock | null): Loss {
    return { is: 'lost', holder: lock === null ? null : this.#holder(lock) }
  }

  #holder(lock: PipelineLock): Holder {
    return {
      owner: lock.pipeline_logging_id,
      label: lock.locked_by,
      acquiredAt: lock.locked_at * 1000,
      expiresAt: endOf(lock, this.server.timeoutMs),
    }
  }
}

function isClaimed(lock: PipelineLock, { owner, mark }: OwnerProof): boolean {
  return lock.pipeline_logging_id === owner && (mark === null || markOf(lock) === mark)
}

function markOf(lock: PipelineLock): string | null {
  return lock.fencing === undefined ? null : String(lock.fencing)
}

function tenantAndPipeline(name: string): Pick<PipelineLock, 'tenant_id' | 'pipeline_id'> {
  const colon = name.indexOf(':')
  return colon < 0
    ? { tenant_id: '', pipeline_id: name }
    : { tenant_id: name.slice(0, colon), pipeline_id: name.slice(colon + 1) }
}
