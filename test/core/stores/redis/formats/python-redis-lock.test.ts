import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { redisPlace, release } from '../place.ts'

it('wakes a waiter that blocks on the signal list, as the library does', async () => {
  const place = await redisPlace()
  const waiter = new Redis(place.address)
  onTestFinished(() => waiter.disconnect())
  await place.client.set('lock:job', 'XqeTtBHrgBu6HTkVw+gOEKws')
  const woken = waiter.blpop('lock-signal:job', 5)
  const lock = await place.lock('lock:job')
  expect(lock).toMatchObject({ format: 'python-redis-lock', name: 'job', lease: { kind: 'never' } })
  expect(await release(place, lock)).toMatchObject({ outcome: 'released' })
  expect(await woken).toEqual(['lock-signal:job', '1'])
  expect(await place.client.exists('lock:job')).toBe(0)
})

it('does not list the signal as a lock or as unknown', async () => {
  const place = await redisPlace()
  await place.client.lpush('lock-signal:job', '1')
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [], companions: 1 })
})
