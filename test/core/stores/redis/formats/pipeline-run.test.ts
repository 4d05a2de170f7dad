import { expect, it } from 'vitest'
import { redisPlace, release } from '../place.ts'

const KEY = 'pipeline_lock:acme1281:gcp:billing'

it('reads the tenant, the pipeline and the run, and derives the start from the usual hour', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, 'abc-123', 'EX', 600)
  const lock = await place.lock(KEY)
  expect(lock).toMatchObject({
    format: 'pipeline-run',
    name: 'acme1281:gcp:billing',
    owner: 'abc-123',
    fields: { tenant: 'acme1281', pipeline: 'gcp:billing', run: 'abc-123' },
    acquiredAtSource: 'ttl',
    state: 'expiring',
    notes: [{ code: 'assumed-lease' }, { code: 'weak-fence', byDeadline: true }],
  })
  expect(Math.abs((lock.acquiredAt ?? 0) - (lock.observedAt - 3_000_000))).toBeLessThan(1000)
})

it('does not guess a start when the lease is longer than usual, nor when it never ends', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, 'abc-123', 'EX', 7200)
  expect(await place.lock(KEY)).toMatchObject({
    acquiredAt: null,
    acquiredAtSource: 'unknown',
    state: 'held',
  })
  await place.client.persist(KEY)
  expect(await place.lock(KEY)).toMatchObject({ acquiredAt: null, lease: { kind: 'never' } })
})

it('releases the seen run even after a renewal, and not the next run', async () => {
  const [first, second] = ['6f9619ff-8b86-4011-b42d-00cf4fc964ff', '0f8fad5b-d9cb-469f-a165-70867728950e']
  const place = await redisPlace()
  await place.client.set(KEY, first, 'EX', 600)
  const seen = await place.lock(KEY)
  await place.client.set(KEY, second, 'EX', 600)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed', current: { owner: second } })
  await place.client.set(KEY, first, 'EX', 900)
  expect(await release(place, seen)).toMatchObject({ outcome: 'released' })
})

it('refuses a run with a plain name once it was re-acquired', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, 'running', 'EX', 600)
  const seen = await place.lock(KEY)
  await place.client.set(KEY, 'running', 'EX', 900)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed' })
})
