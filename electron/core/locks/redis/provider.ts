import type { RedisAddress } from '../../stores/redis/address.ts'
import type { Provider, ProviderOptions } from '../provider.ts'
import { RedisNode } from './node.ts'
import { keyTextOf, nameOfKey, writerOf } from './writers.ts'

/** Locks in one Redis: a server, the one that a Sentinel names, or a cluster. */
export function createRedisProvider(address: RedisAddress, options: ProviderOptions): Provider {
  const writer = writerOf(options.format ?? address.format)
  const node = new RedisNode(address, writer, options.fencing)
  return {
    kind: 'redis',
    format: writer.id,
    defaultTtlMs: writer.defaultTtlMs,
    pollMs: writer.pollMs,
    keyOf: name => keyTextOf(writer, name),
    nameOf: key => nameOfKey(writer, key),
    setup: signal => node.connect(signal),
    take: (name, request, signal) => node.take(name, request, null, signal),
    extend: (name, proof, ttlMs, signal) => node.extend(name, proof, ttlMs, signal),
    release: (name, proof, signal) => node.release(name, proof, signal),
    read: (name, signal) => node.read(name, signal),
    listen: (name, changed, signal) => node.listen(name, changed, signal),
    close: () => node.close(),
  }
}
