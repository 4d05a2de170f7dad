import { hostname } from 'node:os'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { MemoryAddress } from '../../stores/memory/address.ts'
import { tenantPipeline } from '../../stores/memory/formats/tenant-pipeline.ts'
import { MemoryLocks } from '../../stores/memory/memory-locks.ts'
import type { MemoryServer } from '../../stores/memory/server.ts'
import { memoryServer } from '../../stores/memory/servers.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import type {
  AcquireRequest,
  Extension,
  Grant,
  Loss,
  OwnerProof,
  Provider,
  ProviderOptions,
  Refusal,
  Release,
} from '../provider.ts'
import type { CurrentHolder } from '../types.ts'

/** Locks among the parts of one process: for tests, and for programs that run once. */
export class MemoryProvider implements Provider {
  readonly kind = 'memory'
  readonly format = tenantPipeline.info.id
  readonly defaultTtlMs: number
  readonly pollMs = 5000
  readonly #locks: MemoryLocks
  readonly #fencing: boolean

  constructor(server: MemoryServer, options: ProviderOptions) {
    chooseFormats([tenantPipeline], options.format)
    this.#locks = new MemoryLocks(server)
    this.#fencing = options.fencing ?? true
    this.defaultTtlMs = server.timeoutMs
  }

  keyOf(name: string): string {
    if (name === '') throw new StoreError('BAD_INPUT', 'A lock needs a name')
    return name
  }

  nameOf(key: string): string | null {
    return key === '' ? null : key
  }

  async setup(signal: AbortSignal): Promise<void> {
    throwIfAborted(signal)
  }

  async take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<Grant | Refusal> {
    throwIfAborted(signal)
    const by = request.metadata?.['locked_by']
    const lockedBy = typeof by === 'string' ? by : `${hostname()}:${process.pid}`
    const answer = this.#locks.take(this.keyOf(name), {
      owner: request.owner,
      lockedBy,
      ttlMs: request.ttlMs,
    })
    return answer.is === 'taken' && !this.#fencing ? { ...answer, fencing: null } : answer
  }

  async extend(
    name: string,
    proof: OwnerProof,
    ttlMs: number,
    signal: AbortSignal,
  ): Promise<Extension | Loss> {
    throwIfAborted(signal)
    return this.#locks.extend(this.keyOf(name), proof, ttlMs)
  }

  async release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<Release | Loss> {
    throwIfAborted(signal)
    return this.#locks.release(this.keyOf(name), proof)
  }

  async read(name: string, signal: AbortSignal): Promise<CurrentHolder | null> {
    throwIfAborted(signal)
    return this.#locks.read(this.keyOf(name))
  }

  readonly listen = async (name: string, changed: () => void, signal: AbortSignal): Promise<() => void> => {
    throwIfAborted(signal)
    return this.#locks.server.onFreed(this.keyOf(name), changed)
  }

  async close(): Promise<void> {}
}

export function createMemoryProvider(address: MemoryAddress, options: ProviderOptions): MemoryProvider {
  return new MemoryProvider(memoryServer(address.name), options)
}
