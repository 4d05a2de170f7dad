import { steadyNow } from '../../clock.ts'
import { StoreError } from '../../errors.ts'
import { startPractice } from './practice.ts'

/** One running pipeline of one tenant: what an in-process lock manager keeps. Times are epoch seconds, as it stores them. */
export type PipelineLock = {
  readonly pipeline_logging_id: string
  readonly tenant_id: string
  readonly pipeline_id: string
  readonly locked_at: number
  readonly locked_by: string
  /** When it ends; the server's timeout counts where it is left out. */
  readonly expires_at?: number
  /** Greater with every acquisition. */
  readonly fencing?: number
}

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
    readonly timeoutMs = 3_600_000,
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

export function isPipelineLock(value: unknown): value is PipelineLock {
  if (typeof value !== 'object' || value === null) return false
  const lock = value as Record<string, unknown>
  const texts = [lock['pipeline_logging_id'], lock['tenant_id'], lock['pipeline_id'], lock['locked_by']]
  const numbers = [lock['locked_at'], lock['expires_at'] ?? 0, lock['fencing'] ?? 0]
  return texts.every(text => typeof text === 'string') && numbers.every(number => Number.isFinite(number))
}

/** In epoch milliseconds. */
export function endOf(lock: PipelineLock, timeoutMs: number): number {
  return lock.expires_at === undefined ? lock.locked_at * 1000 + timeoutMs : lock.expires_at * 1000
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
