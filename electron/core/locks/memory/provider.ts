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
  return {
    kind: 'memory',
    format: tenantPipeline.info.id,
    defaultTtlMs: server.timeoutMs,
    pollMs: tenantPipeline.take.pollMs,
    keyOf,
    nameOf: key => (key === '' ? null : key),
    setup: async signal => throwIfAborted(signal),
    async take(name, { owner, ttlMs, metadata }, signal) {
      throwIfAborted(signal)
      const by = metadata?.['locked_by']
      const lockedBy = typeof by === 'string' ? by : `${hostname()}:${process.pid}`
      const answer = server.take(keyOf(name), { owner, lockedBy, ttlMs })
      return answer.is === 'taken' && options.fencing === false ? { ...answer, fencing: null } : answer
    },
    async extend(name, proof, ttlMs, signal) {
      throwIfAborted(signal)
      return server.extend(keyOf(name), proof, ttlMs)
    },
    async release(name, proof, signal) {
      throwIfAborted(signal)
      return server.release(keyOf(name), proof)
    },
    async read(name, signal) {
      throwIfAborted(signal)
      return server.holder(keyOf(name))
    },
    async listen(name, changed, signal) {
      throwIfAborted(signal)
      return server.onFreed(keyOf(name), changed)
    },
    async close() {},
  } satisfies Provider
}
