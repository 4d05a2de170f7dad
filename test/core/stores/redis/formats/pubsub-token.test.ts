import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { redisPlace, release } from '../place.ts'

it('reads the token, and shows that a lock without a TTL never ends', async () => {
  const place = await redisPlace()
  await place.client.set('lock:auction:123', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  expect(await place.lock('lock:auction:123')).toMatchObject({
    format: 'pubsub-token',
    name: 'auction:123',
    owner: '9be03d11-aaaa-4bbb-8ccc-0123456789ab',
    lease: { kind: 'never' },
    notes: [],
  })
})

it('wakes the waiters: the release is published on lock:released:<name>', async () => {
  const place = await redisPlace()
  const waiter = new Redis(place.address)
  onTestFinished(() => waiter.disconnect())
  const message = new Promise<string[]>(resolve => waiter.on('message', (...words) => resolve(words)))
  await waiter.subscribe('lock:released:auction:123')
  await place.client.set('lock:auction:123', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  expect(await release(place, await place.lock('lock:auction:123'))).toEqual({
    outcome: 'released',
    notified: 1,
  })
  expect(await message).toEqual(['lock:released:auction:123', 'auction:123'])
})

it('publishes nothing when the holder changed', async () => {
  const place = await redisPlace()
  // Channels are shared by all databases of a server: this name is only in this test.
  await place.client.set('lock:publishes-nothing', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  const seen = await place.lock('lock:publishes-nothing')
  await place.client.set('lock:publishes-nothing', '00000000-aaaa-4bbb-8ccc-0123456789ab')
  const waiter = new Redis(place.address)
  onTestFinished(() => waiter.disconnect())
  const messages: string[] = []
  waiter.on('message', (_, text) => messages.push(text))
  await waiter.subscribe('lock:released:publishes-nothing', 'after')
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
  // Redis delivers messages in their order.
  await place.client.publish('after', 'the release')
  await expect.poll(() => messages).toContain('the release')
  expect(messages).toEqual(['the release'])
})

it('fences a token that is not distinctive by its deadline as well', async () => {
  const place = await redisPlace()
  await place.client.set('lock:a', 'locked', 'EX', 60)
  const seen = await place.lock('lock:a')
  expect(seen.notes).toEqual([{ code: 'weak-fence', byDeadline: true }])
  await place.client.set('lock:a', 'locked', 'EX', 90)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
})

it('refuses the next holder of the same value, although it leased for less', async () => {
  const place = await redisPlace()
  await place.client.set('lock:job', 'locked', 'PX', 3_600_000)
  const seen = await place.lock('lock:job')
  await place.client.del('lock:job')
  await place.client.set('lock:job', 'locked', 'PX', 60_000)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
  expect(await place.client.exists('lock:job')).toBe(1)
})

it('notes that holders with the same value and no deadline cannot be distinguished', async () => {
  const place = await redisPlace()
  await place.client.set('lock:job', 'locked')
  expect((await place.lock('lock:job')).notes).toEqual([{ code: 'weak-fence', byDeadline: false }])
})

it('is not mistaken for python-redis-lock when the token is 24 hexadecimal digits', async () => {
  const place = await redisPlace()
  await place.client.set('lock:auction:1', '65f1c9a7e0aaaa4bbb8ccc01')
  expect((await place.lock('lock:auction:1')).format).toBe('pubsub-token')
})
