import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { Redis } from 'ioredis'
import { inject, onTestFinished } from 'vitest'
import type {
  AcquireRequest,
  Grant,
  OwnerProof,
  Provider,
  ProviderOptions,
} from '../../../../electron/core/locks/provider.ts'
import { createRedisProvider } from '../../../../electron/core/locks/redis/provider.ts'
import type { RedisAddress } from '../../../../electron/core/stores/redis/address.ts'
import { parseAddress } from '../../../../shared/address.ts'
import { type Place, redisPlace } from '../../stores/redis/place.ts'

export const never = new AbortController().signal
setMaxListeners(0, never)
export const OPEN: ProviderOptions = { format: null, fencing: undefined }

export const redisAddress = (text: string) => parseAddress(text) as RedisAddress

export const request = (owner: string = randomUUID(), ttlMs = 60_000): AcquireRequest => ({
  owner,
  ttlMs,
  metadata: null,
})

export function proofOf({ owner }: { owner: string }, { mark }: Grant): OwnerProof {
  return { owner, mark }
}

/** A provider that is closed when the test is over. */
export function openProvider(address: string, options: Partial<ProviderOptions> = {}): Provider {
  const provider = createRedisProvider(redisAddress(address), { ...OPEN, ...options })
  onTestFinished(() => provider.close())
  return provider
}

export type LockPlace = Place & { provider(format: string, options?: Partial<ProviderOptions>): Provider }

/** A database of its own, its lock managers and the console over it. */
export async function lockPlace(): Promise<LockPlace> {
  const place = await redisPlace()
  return {
    ...place,
    provider: (format, options) => openProvider(place.address, { format, ...options }),
  }
}

/** Takes it, and fails the test if somebody has it. */
export async function take(provider: Provider, name: string, wanted = request()): Promise<Grant> {
  const taken = await provider.take(name, wanted, never)
  if (taken.is !== 'taken') throw new Error(`${name} is held`)
  return taken
}

/** An account of its own on the shared Redis. */
export async function account(...rules: string[]): Promise<string> {
  const admin = new Redis({ port: inject('redisPort') })
  const name = `lk-${randomUUID()}`
  await admin.call('ACL', ['SETUSER', name, 'on', '>secret', ...rules])
  onTestFinished(async () => {
    await admin.call('ACL', ['DELUSER', name])
    admin.disconnect()
  })
  return `${name}:secret`
}
