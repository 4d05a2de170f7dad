import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import Redlock from 'redlock'
import { describe, expect, it } from 'vitest'
import { remainingMs } from '../../../../shared/lease.ts'
import { release } from '../../stores/redis/place.ts'
import { lockPlace, never, proofOf, request, take } from './place.ts'

/** A program that knows nothing of us, with the statements that its own documentation gives. */
type Stranger = {
  readonly format: string
  readonly name: string
  readonly key: string
  acquire(client: Redis, owner: string): Promise<boolean>
  release(client: Redis, owner: string): Promise<boolean>
}

const COMPARE_AND_DELETE = `
if redis.call("get", KEYS[1]) == ARGV[1] then
    return redis.call("del", KEYS[1])
else
    return 0
end`

/** What pickle.dumps(text, 5) of Python 3.12 gives for short texts. */
const pickled = (text: string) =>
  Buffer.concat([
    Buffer.from('!'),
    Buffer.from([0x80, 5, 0x95, text.length + 4, 0, 0, 0, 0, 0, 0, 0, 0x8c, text.length]),
    Buffer.from(text),
    Buffer.from([0x94, 0x2e]),
  ])

const RECHARGE = 'lockRecharge:GPS_PROCESS'
const STRANGERS: readonly Stranger[] = [
  {
    format: 'recharge-json',
    name: 'GPS_PROCESS',
    key: RECHARGE,
    async acquire(client, lockId) {
      const timestamp = Date.now()
      const value = JSON.stringify({ lockId, pid: 12345, timestamp, expiresAt: timestamp + 3_600_000 })
      return (await client.set(RECHARGE, value, 'EX', 3600, 'NX')) === 'OK'
    },
    async release(client, lockId) {
      const found = JSON.parse((await client.get(RECHARGE)) ?? '{}')
      return found.lockId === lockId && (await client.del(RECHARGE)) === 1
    },
  },
  {
    format: 'pubsub-token',
    name: 'auction:123',
    key: 'lock:auction:123',
    acquire: async (client, token) => (await client.setnx('lock:auction:123', token)) === 1,
    async release(client, token) {
      if ((await client.eval(COMPARE_AND_DELETE, 1, 'lock:auction:123', token)) !== 1) return false
      await client.publish('lock:released:auction:123', 'auction:123')
      return true
    },
  },
  {
    format: 'pipeline-run',
    name: 'acme1281:gcp_billing_export',
    key: 'pipeline_lock:acme1281:gcp_billing_export',
    acquire: async (client, run) =>
      (await client.set('pipeline_lock:acme1281:gcp_billing_export', run, 'EX', 3600, 'NX')) === 'OK',
    release: async (client, run) =>
      (await client.eval(COMPARE_AND_DELETE, 1, 'pipeline_lock:acme1281:gcp_billing_export', run)) === 1,
  },
  {
    format: 'flask-cache',
    name: 'community_stats_aggregation',
    key: 'cache::community_stats_aggregation',
    async acquire(client, id) {
      const key = 'cache::community_stats_aggregation'
      return (await client.setnx(key, pickled(id))) === 1 && (await client.expire(key, 86_400)) === 1
    },
    async release(client, id) {
      const key = 'cache::community_stats_aggregation'
      return (await client.getBuffer(key))?.equals(pickled(id)) === true && (await client.del(key)) === 1
    },
  },
  {
    format: 'token',
    name: 'locks.orders',
    key: 'locks.orders',
    acquire: async (client, token) => (await client.set('locks.orders', token, 'PX', 30_000, 'NX')) === 'OK',
    release: async (client, token) => (await client.eval(COMPARE_AND_DELETE, 1, 'locks.orders', token)) === 1,
  },
]

describe.each(STRANGERS)('$format', stranger => {
  const { format, name, key } = stranger

  it('keeps other programs out, and they cannot release it', async () => {
    const place = await lockPlace()
    const provider = place.provider(format)
    const ours = request(randomUUID())
    const taken = await take(provider, name, ours)
    expect(await stranger.acquire(place.client, 'stranger')).toBe(false)
    expect(await stranger.release(place.client, 'stranger')).toBe(false)
    expect((await provider.extend(name, proofOf(ours, taken), 60_000, never)).is).toBe('extended')
    expect(await provider.release(name, proofOf(ours, taken), never)).toEqual({ is: 'released' })
    expect(await stranger.acquire(place.client, 'stranger')).toBe(true)
  })

  it('is kept out by other programs, names them, and cannot release their locks', async () => {
    const place = await lockPlace()
    const provider = place.provider(format)
    expect(await stranger.acquire(place.client, 'their-run')).toBe(true)
    const holder = { owner: 'their-run' }
    expect(await provider.take(name, request(), never)).toMatchObject({ is: 'held', holder })
    expect(await provider.read(name, never)).toMatchObject(holder)
    const ours = { owner: 'ours', mark: null }
    expect(await provider.release(name, ours, never)).toMatchObject({ is: 'lost', holder })
    expect((await provider.extend(name, ours, 1000, never)).is).toBe('lost')
    expect(await stranger.release(place.client, 'their-run')).toBe(true)
    expect((await take(provider, name)).is).toBe('taken')
  })

  it('lets either of two programs with the same owner release it', async () => {
    const place = await lockPlace()
    const provider = place.provider(format)
    await stranger.acquire(place.client, 'shared-run')
    const shared = { owner: 'shared-run', mark: null }
    expect((await provider.extend(name, shared, 60_000, never)).is).toBe('extended')
    expect(await provider.release(name, shared, never)).toEqual({ is: 'released' })
    await take(provider, name, request('shared-run'))
    expect(await stranger.release(place.client, 'shared-run')).toBe(true)
  })

  it('is listed, explained and released by the console', async () => {
    const place = await lockPlace()
    const query = format === 'token' ? '?match=locks.*' : ''
    const provider = place.provider(format)
    const owner = randomUUID()
    const ttlMs = provider.defaultTtlMs
    const taken = await take(provider, name, { owner, ttlMs, metadata: { why: 'test' } })
    const lock = await place.lock(key, query)
    expect(lock).toMatchObject({ format, name, owner, state: 'held' })
    expect(lock.notes.filter(({ code }) => code !== 'assumed-lease')).toEqual([])
    expect(remainingMs(lock, lock.observedAt)).toBeLessThanOrEqual(ttlMs)
    expect(remainingMs(lock, lock.observedAt)).toBeGreaterThan(ttlMs - 10_000)
    if (format === 'recharge-json')
      expect(lock).toMatchObject({
        acquiredAt: taken.acquiredAt,
        holder: { pid: process.pid },
        fields: { fencing: taken.fencing, metadata: '{"why":"test"}' },
      })
    expect(await release(place, lock, query)).toMatchObject({ outcome: 'released' })
    expect(await provider.extend(name, proofOf({ owner }, taken), 1000, never)).toEqual({
      is: 'lost',
      holder: null,
    })
  })
})

it('writes texts of every length as Python pickles them', async () => {
  const place = await lockPlace()
  const provider = place.provider('flask-cache')
  for (const [name, owner, hex] of [
    ['a', 'abc', '2180059507000000000000008c03616263942e'],
    ['b', 'é'.repeat(200), `218005959701000000000000589001000${'0'}${'c3a9'.repeat(200)}942e`],
    ['c', 'x'.repeat(300), `2180059533010000000000005${'8'}2c010000${'78'.repeat(300)}942e`],
  ] as const) {
    await take(provider, name, request(owner))
    expect((await place.client.getBuffer(`cache::${name}`))?.toString('hex')).toBe(hex)
    expect((await provider.read(name, never))?.owner).toBe(owner)
  }
})

it('shares plain keys with redlock', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  const redlock = new Redlock([place.client as never], { retryCount: 0 })
  redlock.on('error', () => {})
  const theirs = await redlock.acquire(['res:a'], 30_000)
  expect(await provider.take('res:a', request(), never)).toMatchObject({
    is: 'held',
    holder: { owner: theirs.value },
  })
  expect((await provider.release('res:a', { owner: 'me', mark: null }, never)).is).toBe('lost')
  await theirs.release()
  const taken = await take(provider, 'res:a', request('me'))
  await expect(redlock.acquire(['res:a'], 30_000)).rejects.toThrow()
  await expect(theirs.extend(1000)).rejects.toThrow()
  expect((await provider.release('res:a', proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await (await redlock.acquire(['res:a'], 30_000)).release()
})

it('shares plain keys with redis-semaphore', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  const mutex = new Mutex(place.client, 'orders', { acquireAttemptsLimit: 1, lockTimeout: 30_000 })
  expect(await mutex.tryAcquire()).toBe(true)
  expect(await provider.take('mutex:orders', request(), never)).toMatchObject({
    is: 'held',
    holder: { owner: mutex.identifier },
  })
  await mutex.release()
  const taken = await take(provider, 'mutex:orders', request('me'))
  expect(await mutex.tryAcquire()).toBe(false)
  await mutex.release()
  expect((await provider.extend('mutex:orders', proofOf({ owner: 'me' }, taken), 1000, never)).is).toBe(
    'extended',
  )
})
