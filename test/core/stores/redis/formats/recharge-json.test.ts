import { expect, it } from 'vitest'
import { remainingMs } from '../../../../../shared/lease.ts'
import { redisPlace, release } from '../place.ts'

const KEY = 'lockRecharge:GPS_PROCESS'
const value = (over: object = {}) =>
  JSON.stringify({
    lockId: 'GPS_PROCESS_1703',
    pid: 12345,
    timestamp: Date.now() - 60_000,
    expiresAt: Date.now() + 3_540_000,
    ...over,
  })

it('reads the owner, the process and both times', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value(), 'EX', 3540)
  const lock = await place.lock(KEY)
  expect(lock).toMatchObject({
    format: 'recharge-json',
    name: 'GPS_PROCESS',
    owner: 'GPS_PROCESS_1703',
    holder: { pid: 12345 },
    acquiredAtSource: 'stored',
    lease: { kind: 'deadline' },
    state: 'held',
    notes: [],
  })
  expect(lock.deadlines.map(each => each.source)).toEqual(['stored', 'ttl'])
})

it('shows both clocks when the TTL and expiresAt disagree, and ends at the earlier', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value(), 'EX', 600)
  const lock = await place.lock(KEY)
  expect(lock.notes).toMatchObject([{ code: 'clocks-disagree' }])
  expect(lock.lease).toMatchObject({ source: 'ttl' })
  expect(remainingMs(lock, lock.observedAt)).toBeLessThanOrEqual(600_000)
})

it('shows a past expiresAt without a TTL as expired, and notes that the key stays', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value({ expiresAt: Date.now() - 5000 }))
  expect(await place.lock(KEY)).toMatchObject({
    state: 'expired',
    notes: [{ code: 'clocks-disagree', ttlAt: null }],
  })
})

it('recognises the same JSON under any other key', async () => {
  const place = await redisPlace()
  await place.client.set('elsewhere', value())
  expect((await place.lock('elsewhere')).format).toBe('recharge-json')
})

it('refuses a renewed value, because it differs from the one that was seen', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value())
  const lock = await place.lock(KEY)
  await place.client.set(KEY, value({ expiresAt: Date.now() + 9_000_000 }))
  expect(await release(place, lock)).toMatchObject({ outcome: 'changed' })
  expect(await release(place, await place.lock(KEY))).toMatchObject({ outcome: 'released' })
  expect(await place.client.exists(KEY)).toBe(0)
})

it.each([
  ['not JSON', 'not json at all', 'its value is not JSON'],
  ['a JSON number', '42', 'its value is JSON but not an object'],
  ['a JSON list', '[1,2]', 'its value is JSON but not an object'],
  ['an object of something else', '{"theme":"dark"}', 'its JSON has no lockId'],
  ['a lockId that is a number', value({ lockId: 7 }), 'lockId is the number 7, not text'],
  ['an expiresAt that is text', value({ expiresAt: 'soon' }), 'expiresAt is the text "soon", not a number'],
])('reports %s as not understood, with or without a pattern', async (_, stored, reason) => {
  const place = await redisPlace()
  await place.client.set(KEY, stored)
  for (const query of ['', '?match=lockRecharge:*']) {
    expect(await place.list(query)).toMatchObject({ locks: [], unrecognised: [{ key: KEY, reason }] })
  }
})

it('shows a lock whose pid has the wrong type, with a note', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value({ pid: 'x' }), 'EX', 3540)
  expect(await place.lock(KEY)).toMatchObject({ holder: null, notes: [{ code: 'wrong-type', field: 'pid' }] })
})

it('notes that seconds in place of milliseconds are implausible', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, value({ expiresAt: Math.round(Date.now() / 1000) + 3600 }), 'EX', 3600)
  const lock = await place.lock(KEY)
  expect(lock.notes.map(note => note.code)).toContain('implausible-expiry')
})

it('does not treat a value without times as unique', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, '{"lockId":"worker"}', 'EX', 600)
  const seen = await place.lock(KEY)
  expect(seen.notes.map(note => note.code)).toContain('weak-fence')
  await place.client.set(KEY, '{"lockId":"worker"}', 'EX', 900)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
})
