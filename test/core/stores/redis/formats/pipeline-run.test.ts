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
    notes: [{ code: 'assumed-lease' }],
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

it('releases the run that was seen although it renewed, and not the next run', async () => {
  const place = await redisPlace()
  await place.client.set(KEY, 'run-1', 'EX', 600)
  const seen = await place.lock(KEY)
  await place.client.set(KEY, 'run-2', 'EX', 600)
  expect(await release(place, seen)).toMatchObject({ outcome: 'changed', current: { owner: 'run-2' } })
  await place.client.set(KEY, 'run-1', 'EX', 900)
  expect(await release(place, seen)).toMatchObject({ outcome: 'released' })
})
