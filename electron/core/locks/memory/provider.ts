import { hostname } from 'node:os'
import { throwIfAborted } from '../../lib/errors.ts'
import type { MemoryAddress } from '../../stores/memory/address.ts'
import { tenantPipeline } from '../../stores/memory/formats/tenant-pipeline.ts'
import type { MemoryServer } from '../../stores/memory/server.ts'
import { memoryServer } from '../../stores/memory/servers.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { checkName } from '../input.ts'
import type { Provider, ProviderOptions } from '../provider.ts'

export function createMemoryProvider(address: MemoryAddress, options: ProviderOptions): Provider {
  return memoryProvider(memoryServer(address.name), options)
}

/** Locks among the parts of one process: for tests, and for programs that run once. */
export function memoryProvider(server: MemoryServer, options: ProviderOptions) {
  chooseFormats([tenantPipeline], options.format)
  const keyOf = (name: string): string => {
    checkName(name)
    return name
  }
  const keyFor = (name: string, signal: AbortSignal): string => {
    throwIfAborted(signal)
    return keyOf(name)
  }
  return {
    kind: 'memory',
    format: tenantPipeline.info.id,
    defaultTtlMs: server.timeoutMs,
    pollMs: tenantPipeline.take.pollMs,
    keyOf,
    nameOf: key => (key === '' ? null : key),
    setup: async signal => throwIfAborted(signal),
    async take(name, { owner, ttlMs, metadata }, signal) {
      const by = metadata?.['locked_by']
      const lockedBy = typeof by === 'string' ? by : `${hostname()}:${process.pid}`
      const answer = server.take(keyFor(name, signal), { owner, lockedBy, ttlMs })
      return answer.is === 'taken' && options.fencing === false ? { ...answer, fencing: null } : answer
    },
    extend: async (name, proof, ttlMs, signal) => server.extend(keyFor(name, signal), proof, ttlMs),
    release: async (name, proof, signal) => server.release(keyFor(name, signal), proof),
    read: async (name, signal) => server.holder(keyFor(name, signal)),
    listen: async (name, changed, signal) => server.onFreed(keyFor(name, signal), changed),
    async close() {},
  } satisfies Provider
}
