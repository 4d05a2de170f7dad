import { expect, it } from 'vitest'
import { redisPlace, release } from '../place.ts'

const KEY = 'cache::community_stats_aggregation'
const TRUE = Buffer.from('2180058 82e'.replace(' ', ''), 'hex')
/** `!` and pickle.dumps('agg-2f1c…', 5), as cachelib writes a string. */
const pickled = (text: string) =>
  Buffer.concat([
    Buffer.from('21800595', 'hex'),
    frame(text.length + 4),
    Buffer.from([0x8c, text.length]),
    Buffer.from(text),
    Buffer.from('942e', 'hex'),
  ])
const frame = (length: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(length))
  return bytes
}

it('reads a lock id out of the pickle, and the start from the usual day', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, pickled('6f9619ff-8b86-d011-b42d-00cf4fc964ff'), 'EX', 86_000)
  expect(await place.lock(KEY)).toMatchObject({
    format: 'flask-cache',
    name: 'community_stats_aggregation',
    owner: '6f9619ff-8b86-d011-b42d-00cf4fc964ff',
    acquiredAtSource: 'ttl',
    state: 'held',
    notes: [{ code: 'assumed-lease', leaseMs: 86_400_000 }],
  })
})

it.each([
  ['2180058 82e', true],
  ['2180048 82e', true],
  ['214930310a2e', true],
  ['2180054b012e', 1],
  ['31', 1],
])('reads %s, which has no owner, and notes a weak fence', async (hex, value) => {
  const place = await redisPlace()
  await place.client.set(KEY, Buffer.from(hex.replace(' ', ''), 'hex'), 'EX', 86_000)
  const lock = await place.lock(KEY)
  expect(lock).toMatchObject({ format: 'flask-cache', owner: null, holder: null, fields: { value } })
  expect(lock.notes.map(note => note.code)).toContain('weak-fence')
})

it('refuses a later expiry, because the next holder writes the same True', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, TRUE, 'EX', 600)
  const seen = await place.lock(KEY)
  await place.client.del(KEY)
  await place.client.set(KEY, TRUE, 'EX', 900)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
  expect(await place.client.exists(KEY)).toBe(1)
  expect(await release(place, await place.lock(KEY))).toMatchObject({ outcome: 'released' })
})

it('refuses a lock that has a TTL now and had none, and the other way round', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, TRUE)
  const endless = await place.lock(KEY)
  await place.client.expire(KEY, 900)
  expect(await release(place, endless)).toMatchObject({ outcome: 'changed' })
  const ending = await place.lock(KEY)
  await place.client.persist(KEY)
  expect(await release(place, ending)).toMatchObject({ outcome: 'changed' })
})

it('recognises it under another prefix, and warns that cache entries look the same', async () => {
  const place = await redisPlace()
  await place.client.set('myapp:aggregation', TRUE, 'EX', 60)
  const lock = await place.lock('myapp:aggregation')
  expect(lock).toMatchObject({ format: 'flask-cache', name: 'myapp:aggregation' })
  expect(lock.notes.map(note => note.code)).toContain('looks-like-cache')
})

it('does not list a cached page as a lock', async () => {
  const place = await redisPlace()
  const page = Buffer.from('<html>'.repeat(100))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(page.length)
  await place.client.set(
    'cache::page',
    Buffer.concat([Buffer.from('21800558', 'hex'), length, page, Buffer.from('2e')]),
  )
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [] })
})
