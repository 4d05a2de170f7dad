import { expect, it } from 'vitest'
import { LockHistories } from '../../../../electron/core/features/stores/lock-history.ts'
import { NEVER } from '../../../../electron/core/lib/timers.ts'
import { at, lockAt } from '../lock.ts'

it('counts a renewal whenever the same owner extends its deadline', () => {
  const stories = new LockHistories()
  expect(stories.record(lockAt(0)).watched).toEqual({
    firstSeenAt: at(0),
    heldSince: at(0),
    renewals: 0,
    lastRenewedAt: null,
    holders: 1,
  })
  stories.record(lockAt(1000, { endsAt: 61_000 }))
  expect(stories.record(lockAt(2000, { endsAt: 62_000 })).watched).toMatchObject({
    heldSince: at(0),
    renewals: 2,
    lastRenewedAt: at(2000),
  })
  // A reading closer to its expiry is no renewal.
  expect(stories.record(lockAt(55_000, { endsAt: 62_000, state: 'expiring' })).watched).toMatchObject({
    renewals: 2,
    lastRenewedAt: at(2000),
  })
  expect(stories.storyOf('orders')).toMatchObject({ lastRenewedAt: at(2000) })
})

it('counts a heartbeat by its version', () => {
  const stories = new LockHistories()
  const beat = (version: string) => ({ lease: { kind: 'heartbeat' as const, leaseMs: 1000, version } })
  stories.record(lockAt(0, beat('a')))
  expect(stories.record(lockAt(1000, beat('a'))).watched.renewals).toBe(0)
  expect(stories.record(lockAt(2000, beat('b'))).watched.renewals).toBe(1)
})

it('counts no renewal unless the deadline moves later', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0))
  stories.record(lockAt(1000, { state: 'expiring' }))
  stories.record(lockAt(2000, { endsAt: 60_040 }))
  stories.record(lockAt(3000, { endsAt: 30_000 }))
  stories.record(lockAt(4000, { lease: { kind: 'never' } }))
  expect(stories.storyOf('orders')).toMatchObject({ renewals: 0, lastRenewedAt: null, holders: 1 })
})

it('starts a new tenure with a new owner', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0))
  stories.record(lockAt(1000, { endsAt: 61_000 }))
  const { watched } = stories.record(
    lockAt(2000, { owner: 'run-2', holder: { label: 'api' }, endsAt: 99_000 }),
  )
  expect(watched).toEqual({
    firstSeenAt: at(0),
    heldSince: at(2000),
    renewals: 0,
    lastRenewedAt: null,
    holders: 2,
  })
  expect(stories.storyOf('orders')?.tenures).toEqual([
    { owner: 'run-1', label: null, from: at(0), until: at(2000), renewals: 1 },
    { owner: 'run-2', label: 'api', from: at(2000), until: null, renewals: 0 },
  ])
})

it('continues the history of a lock that was gone and is re-acquired', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0))
  stories.end('orders', at(1000))
  expect(stories.storyOf('orders')?.tenures).toMatchObject([{ until: at(1000) }])
  expect(stories.record(lockAt(5000)).watched).toMatchObject({
    firstSeenAt: at(0),
    heldSince: at(5000),
    holders: 2,
  })
  expect(stories.storyOf('orders')?.tenures).toMatchObject([{ until: at(1000) }, { until: null }])
})

it('ends locks that a complete pass did not see, and no others', () => {
  const stories = new LockHistories()
  for (const id of ['here', 'gone', 'long-gone']) stories.record(lockAt(0, { id }))
  stories.end('long-gone', at(500))
  stories.endOthers(new Set(['here']), at(1000), NEVER)
  expect(stories.storyOf('here')?.tenures).toMatchObject([{ until: null }])
  expect(stories.storyOf('gone')?.tenures).toMatchObject([{ until: at(1000) }])
  expect(stories.storyOf('long-gone')?.tenures).toMatchObject([{ until: at(500) }])
})

it('ends a tenure when its kept row is released, and starts one when it is re-acquired', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0))
  stories.record(lockAt(1000, { state: 'released' }))
  // The same released row, read again: it had no holder.
  stories.record(lockAt(2000, { state: 'released', endsAt: 0 }))
  expect(stories.storyOf('orders')?.tenures).toMatchObject([{ until: at(1000), renewals: 0 }])
  expect(stories.record(lockAt(3000)).watched).toMatchObject({ heldSince: at(3000), holders: 2 })
})

it('shows no holder for a lock first seen released', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0, { state: 'released' }))
  expect(stories.storyOf('orders')?.tenures).toMatchObject([{ from: at(0), until: at(0) }])
})

it('keeps the last 50 tenures of a key that changes hands forever, and their number', () => {
  const stories = new LockHistories()
  for (let i = 0; i < 200; i++) stories.record(lockAt(i, { owner: `run-${i}` }))
  const story = stories.storyOf('orders')
  expect(story?.tenures).toHaveLength(50)
  expect(story?.tenures.at(-1)?.owner).toBe('run-199')
  expect(story).toMatchObject({ holders: 200, firstSeenAt: at(0) })
})

it('keeps the last 5,000 locks that are gone, and every current one', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0, { id: 'there' }))
  for (let i = 0; i < 5010; i++) {
    stories.record(lockAt(i, { id: `key-${i}` }))
    stories.end(`key-${i}`, at(i))
  }
  expect(stories.storyOf('key-9')).toBeNull()
  expect(stories.storyOf('key-10')).not.toBeNull()
  expect(stories.storyOf('there')).not.toBeNull()
})

it('returns copies, so that a history on the screen does not change', () => {
  const stories = new LockHistories()
  stories.record(lockAt(0))
  const before = stories.storyOf('orders')
  stories.record(lockAt(1000, { endsAt: 90_000 }))
  expect(before?.tenures).toMatchObject([{ renewals: 0 }])
})
