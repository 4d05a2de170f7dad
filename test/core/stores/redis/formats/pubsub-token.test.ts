import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { redisPlace, release } from '../place.ts'

it('reads the token, and says that a lock without a TTL never ends', async () => {
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
  const message = new Promise<string[]>(resolve => waiter.on('pmessage', (...words) => resolve(words)))
  await waiter.psubscribe('lock:released:*')
  await place.client.set('lock:auction:123', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  expect(await release(place, await place.lock('lock:auction:123'))).toEqual({
    outcome: 'released',
    notified: 1,
  })
  expect(await message).toEqual(['lock:released:*', 'lock:released:auction:123', 'auction:123'])
})

it('publishes nothing when the holder changed', async () => {
  const place = await redisPlace()
  await place.client.set('lock:a', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  const seen = await place.lock('lock:a')
  await place.client.set('lock:a', '00000000-aaaa-4bbb-8ccc-0123456789ab')
  const before = await published(place.client)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
  expect(await published(place.client)).toBe(before)
})

async function published(client: Redis): Promise<string> {
  return /cmdstat_publish:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? '0'
}

it('fences a token that is not distinctive by its deadline as well', async () => {
  const place = await redisPlace()
  await place.client.set('lock:a', 'locked', 'EX', 60)
  const seen = await place.lock('lock:a')
  expect(seen.notes).toEqual([{ code: 'weak-fence' }])
  await place.client.set('lock:a', 'locked', 'EX', 90)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
})
