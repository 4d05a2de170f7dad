import { Redis } from 'ioredis'
import { Mutex } from 'redis-semaphore'
import Redlock from 'redlock'
import { expect, it, onTestFinished } from 'vitest'
import { redisPlace, release } from '../place.ts'

it('applies only to keys that the operator selected', async () => {
  const place = await redisPlace()
  await place.client.set('job:1', 'anything', 'EX', 60)
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [] })
  expect((await place.list('?match=job:*')).locks).toMatchObject([{ format: 'token', owner: 'anything' }])
  expect((await place.list('?format=token')).locks).toMatchObject([{ format: 'token', owner: 'anything' }])
})

it('shows and releases a lock of redlock, which then notices at its next extension', async () => {
  const place = await redisPlace()
  const redlock = new Redlock([place.client as never], { retryCount: 0 })
  redlock.on('error', () => {})
  const held = await redlock.acquire(['res:a'], 30_000)
  const lock = await place.lock('res:a', '?match=res:*')
  expect(lock).toMatchObject({ format: 'token', owner: held.value, notes: [] })
  expect(await release(place, lock, '?match=res:*')).toMatchObject({ outcome: 'released' })
  await expect(held.extend(1000)).rejects.toThrow()
})

it('shows and releases a mutex of redis-semaphore, which then finds its lock lost', async () => {
  const place = await redisPlace()
  const client = new Redis(place.address)
  const lost = new Promise(resolve => {
    const mutex = new Mutex(client, 'orders', { lockTimeout: 500, refreshInterval: 100, onLockLost: resolve })
    void mutex.acquire()
    onTestFinished(async () => {
      await mutex.release()
      client.disconnect()
    })
  })
  await expect.poll(() => place.client.exists('mutex:orders')).toBe(1)
  const lock = await place.lock('mutex:orders', '?match=mutex:*')
  expect(lock).toMatchObject({ format: 'token', notes: [] })
  // Renewed meanwhile, several times: it is still the same holder.
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(await release(place, lock, '?match=mutex:*')).toMatchObject({ outcome: 'released' })
  expect(await lost).toBeInstanceOf(Error)
})

it('compares binary values byte by byte', async () => {
  const place = await redisPlace()
  const key = Buffer.from([0x6a, 0xff, 0x00, 0x0a])
  await place.client.set(key, Buffer.from([0xff, 0xfe, 0x00]), 'EX', 60)
  const [seen] = (await place.list('?match=j*')).locks
  expect(seen?.key).toBe('hex:6aff000a')
  await place.client.set(key, Buffer.from([0xff, 0xfd, 0x00]), 'EX', 60)
  expect(await release(place, seen as never, '?match=j*')).toMatchObject({ outcome: 'changed' })
  const [now] = (await place.list('?match=j*')).locks
  expect(await release(place, now as never, '?match=j*')).toMatchObject({ outcome: 'released' })
})
