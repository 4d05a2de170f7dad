import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { createLockManager } from '../../../electron/hosts/library/index.ts'
import { startRedis } from '../../servers/redis.ts'
import { countCommands } from './count-commands.ts'

async function server() {
  const redis = await startRedis()
  onTestFinished(() => redis.stop('SIGKILL'))
  const counter = await countCommands(redis.port)
  onTestFinished(() => counter.stop())
  return { counter, address: `redis://127.0.0.1:${redis.port}/0?format=pubsub-token`, port: redis.port }
}

test('a thousand waiters hold one lock in turn, each with one acquisition and one release', async () => {
  const { counter, address, port } = await server()
  const manager = createLockManager(address, { poll: '1h' })
  onTestFinished(() => manager.close())
  const first = await manager.acquire('auction:1', { ttl: '1m' })
  if (!first.acquired) throw new Error('It was not free')
  const before = await counter.total()

  let inside = 0
  const order: number[] = []
  const waiting = Array.from({ length: 1000 }, (_, i) =>
    manager.withLock(
      'auction:1',
      async () => {
        expect(++inside).toBe(1)
        order.push(i)
        await null
        inside--
      },
      { wait: '10m', ttl: '1m' },
    ),
  )
  // All of them are in line once somebody listens.
  const plain = new Redis({ port, protocol: 2 })
  onTestFinished(() => plain.disconnect())
  await expect
    .poll(() => plain.pubsub('NUMSUB', 'lock:released:auction:1'))
    .toEqual(['lock:released:auction:1', 1])
  await first.lock.release()
  await Promise.all(waiting)

  expect(order).toEqual(Array.from({ length: 1000 }, (_, i) => i))
  // One to take and one to give back each, and a few for coming together: not one for everybody whenever it is free.
  const used = (await counter.total()) - before
  expect(used).toBeGreaterThanOrEqual(2000)
  expect(used).toBeLessThan(2050)
})

test('waiters in a hundred programs ask when notified, and not in between', async () => {
  const { counter, address } = await server()
  const holder = createLockManager(address)
  onTestFinished(() => holder.close())
  const held = await holder.acquire('auction:1', { ttl: '1m' })
  if (!held.acquired) throw new Error('It was not free')
  const programs = Array.from({ length: 100 }, () => createLockManager(address, { poll: '1h' }))
  onTestFinished(async () => void (await Promise.all(programs.map(each => each.close()))))

  const before = await counter.total()
  const waiting = programs.map(each => each.acquire('auction:1', { wait: '10m', ttl: '1m' }))
  await expect.poll(async () => (await counter.counts()).get('subscribe')).toBe(100)
  // Each asks, listens, and asks again, because the lock may have been let go before it listened.
  await expect.poll(async () => (await counter.counts()).get('evalsha') ?? 0).toBeGreaterThanOrEqual(200)
  const coming = (await counter.total()) - before
  expect(coming).toBeLessThanOrEqual(320)

  await held.lock.release()
  const first = await Promise.race(waiting)
  expect(first.acquired).toBe(true)
  // The release, and one attempt of everybody.
  await expect.poll(async () => (await counter.total()) - before - coming).toBeGreaterThanOrEqual(101)
  expect((await counter.total()) - before - coming).toBeLessThanOrEqual(110)
})
