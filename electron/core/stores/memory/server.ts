import { StoreError } from '../../errors.ts'
import { startPractice } from './practice.ts'

/** One running pipeline of one tenant: what an in-process lock manager keeps. Times are epoch seconds, as it stores them. */
export type PipelineLock = {
  readonly pipeline_logging_id: string
  readonly tenant_id: string
  readonly pipeline_id: string
  readonly locked_at: number
  readonly locked_by: string
}

/**
 * The embedded "server": locks of this process, under `tenant:pipeline`. A record stays after its timeout until
 * somebody acquires the same key, which is why expired leftovers can be seen.
 */
export class MemoryServer {
  readonly records = new Map<string, unknown>()
  /** False is an outage: every request fails as it would against a dead server. */
  up = true

  constructor(
    readonly timeoutMs = 3_600_000,
    readonly now: () => number = Date.now,
  ) {}

  /** Refused while a live lock is there; then it returns the run that holds it. */
  acquire(lock: Omit<PipelineLock, 'locked_at'>, lockedAtMs = this.now()): string | null {
    const key = `${lock.tenant_id}:${lock.pipeline_id}`
    const existing = this.records.get(key)
    if (isPipelineLock(existing) && existing.locked_at * 1000 + this.timeoutMs > this.now())
      return existing.pipeline_logging_id
    this.records.set(key, { ...lock, locked_at: lockedAtMs / 1000 })
    return null
  }

  request<T>(work: (records: Map<string, unknown>) => T): T {
    if (!this.up) throw new StoreError('STORE_UNREACHABLE', 'The memory store is switched off')
    return work(this.records)
  }
}

export function isPipelineLock(value: unknown): value is PipelineLock {
  if (typeof value !== 'object' || value === null) return false
  const lock = value as Record<string, unknown>
  const texts = [lock['pipeline_logging_id'], lock['tenant_id'], lock['pipeline_id'], lock['locked_by']]
  return texts.every(text => typeof text === 'string') && Number.isFinite(lock['locked_at'])
}

const servers = new Map<string, MemoryServer>()

/** Memory stores with the same name in one process share their locks. `practice` is alive and has stuck locks in it. */
export function memoryServer(name: string): MemoryServer {
  let server = servers.get(name)
  if (!server) {
    server = new MemoryServer()
    servers.set(name, server)
    if (name === 'practice') startPractice(server)
  }
  return server
}
