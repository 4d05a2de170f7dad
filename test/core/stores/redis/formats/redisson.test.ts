import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { type Place, redisPlace, release } from '../place.ts'

// Format fixtures: the commands below are the ones that Redisson's scripts issue.
const A = '8743c9c0-0795-4907-87fd-6c719a6b4586'
const B = '1f0e9d8c-0795-4907-87fd-6c719a6b4586'

async function listen(place: Place, ...channels: string[]): Promise<string[]> {
  const heard: string[] = []
  const waiter = new Redis(place.address)
  onTestFinished(() => waiter.disconnect())
  waiter.on('message', (channel, message) => heard.push(`${channel} ${message}`))
  await waiter.subscribe(...channels)
  return heard
}

it('reads the client, the thread and the count', async () => {
  const place = await redisPlace()
  await place.client.hset('orders', `${A}:12`, 2)
  await place.client.pexpire('orders', 30_000)
  expect(await place.lock('orders')).toMatchObject({
    format: 'redisson',
    owner: `${A}:12`,
    holder: { instance: A, thread: '12' },
    fields: { kind: 'lock', count: '2' },
    lease: { kind: 'deadline', source: 'ttl' },
  })
})

it('deletes and publishes, so that waiting threads wake', async () => {
  const place = await redisPlace()
  const heard = await listen(place, 'redisson_lock__channel:{orders}')
  await place.client.hset('orders', `${A}:12`, 1)
  expect(await release(place, await place.lock('orders'))).toEqual({ outcome: 'released', notified: 1 })
  await expect.poll(() => heard).toEqual(['redisson_lock__channel:{orders} 0'])
  expect(await place.client.exists('orders')).toBe(0)
})

it('refuses when the same thread entered once more', async () => {
  const place = await redisPlace()
  await place.client.hset('orders', `${A}:12`, 1)
  const seen = await place.lock('orders')
  await place.client.hincrby('orders', `${A}:12`, 1)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
  expect(await place.client.hget('orders', `${A}:12`)).toBe('2')
})

it('wakes every waiter of a fair lock on its own channel and leaves the queue', async () => {
  const place = await redisPlace()
  const channel = 'redisson_lock__channel:{orders}'
  const heard = await listen(place, `${channel}:${A}:7`, `${channel}:${B}:9`)
  await place.client.hset('orders', `${A}:12`, 1)
  await place.client.rpush('redisson_lock_queue:{orders}', `${A}:7`, `${B}:9`)
  await place.client.zadd(
    'redisson_lock_timeout:{orders}',
    Date.now() + 300_000,
    `${A}:7`,
    Date.now() + 600_000,
    `${B}:9`,
  )
  const lock = await place.lock('orders')
  expect(lock).toMatchObject({ fields: { kind: 'fair lock' }, notes: [{ code: 'waiters', count: 2 }] })
  expect(await release(place, lock)).toMatchObject({ outcome: 'released', notified: 2 })
  await expect.poll(() => heard.sort()).toEqual([`${channel}:${B}:9 0`, `${channel}:${A}:7 0`].sort())
  expect(await place.client.llen('redisson_lock_queue:{orders}')).toBe(2)
})

it('keeps the fencing counter', async () => {
  const place = await redisPlace()
  await place.client.hset('orders', `${A}:12`, 1)
  await place.client.set('redisson_lock_token:{orders}', 41)
  const lock = await place.lock('orders')
  expect(lock.fields['fencingToken']).toBe('41')
  await release(place, lock)
  expect(await place.client.get('redisson_lock_token:{orders}')).toBe('41')
})

it.each([
  ['read', `${A}:12`, '0'],
  ['write', `${A}:12:write`, '1'],
])('publishes what a %s lock sends', async (mode, field, message) => {
  const place = await redisPlace()
  const heard = await listen(place, 'redisson_rwlock:{book}')
  await place.client.hset('book', { mode, [field]: 1 })
  const lock = await place.lock('book')
  expect(lock.fields['kind']).toBe(`${mode} lock`)
  expect(await release(place, lock)).toMatchObject({ outcome: 'released' })
  await expect.poll(() => heard).toEqual([`redisson_rwlock:{book} ${message}`])
})

it('lists its companions neither as locks nor as unknown', async () => {
  const place = await redisPlace()
  await place.client.rpush('redisson_lock_queue:{orders}', `${A}:7`)
  await place.client.set('redisson_unlock_latch:{orders}:x', 1)
  await place.client.set(`{book}:${A}:12:rwlock_timeout:1`, 1)
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [], companions: 3 })
})

it('wakes the head of a long queue too', async () => {
  const place = await redisPlace()
  await place.client.hset('orders', `${A}:12`, 1)
  const waiters = Array.from({ length: 400 }, (_, i) => `${B}:${i}`)
  await place.client.rpush('redisson_lock_queue:{orders}', ...waiters)
  await place.client.zadd(
    'redisson_lock_timeout:{orders}',
    ...waiters.flatMap((waiter, i) => [Date.now() + i, waiter]),
  )
  const heard = await listen(place, `redisson_lock__channel:{orders}:${B}:0`)
  const lock = await place.lock('orders')
  expect(lock.notes).toEqual([{ code: 'waiters', count: 400 }])
  expect(await release(place, lock)).toMatchObject({ outcome: 'released' })
  await expect.poll(() => heard).toHaveLength(1)
})

it('shows a record that only has a companion’s name', async () => {
  const place = await redisPlace()
  await place.client.set('redisson_lock_queue:{orders}', 'not a list')
  await place.client.set('myapp:rwlock_timeout:5', 'x')
  expect((await place.list()).unrecognised).toMatchObject([{ key: 'redisson_lock_queue:{orders}' }])
})

it('does not claim other hashes', async () => {
  const place = await redisPlace()
  await place.client.hset('user:1', 'name', 'Ana')
  await place.client.hset('counter', `${A}:12`, 'not a number')
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [], scanned: 2 })
})
