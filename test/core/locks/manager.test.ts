import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Metadata } from '../../../electron/core/locks/types.ts'
import { gate, ScriptedProvider, taken, unreachable } from './scripted-provider.ts'

it('grants a free lock, with its owner, its expiry and a fencing number', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const { lock } = await taken(manager, 'job', { owner: 'run-1', ttl: '10m' })
  expect(lock).toMatchObject({ key: 'job', owner: 'run-1', fencing: 1 })
  expect(lock.expiresAt - lock.acquiredAt).toBe(600_000)
  expect(lock.validMs()).toBeGreaterThan(0)
  expect(lock.validMs()).toBeLessThanOrEqual(600_000)
  expect(await manager.isLocked('job')).toBe(true)
  expect(await manager.holderOf('job')).toMatchObject({ owner: 'run-1' })
  expect(await lock.release()).toEqual({ outcome: 'released' })
  expect(await manager.isLocked('job')).toBe(false)
})

it('creates an owner for every acquisition without one', async () => {
  const manager = new ScriptedProvider().manager()
  const first = await taken(manager, 'a')
  const second = await taken(manager, 'b')
  expect(first.lock.owner).not.toBe(second.lock.owner)
})

it('refuses a held lock at once, and names its holder', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'run-1')
  expect(await store.manager().acquire('job')).toMatchObject({ acquired: false, holder: { owner: 'run-1' } })
  expect(store.calls.take).toBe(1)
})

it('fails closed when the store is down, for every request', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  store.server.up = false
  const down = { code: 'STORE_UNREACHABLE' }
  await expect(manager.acquire('job')).rejects.toMatchObject(down)
  await expect(manager.isLocked('job')).rejects.toMatchObject(down)
  await expect(manager.release('job', 'run-1')).rejects.toMatchObject(down)
  await expect(manager.renew('job', 'run-1')).rejects.toMatchObject(down)
  await expect(manager.withLock('job', () => 1, { wait: 0 })).rejects.toMatchObject(down)
})

it('starts a new lease from now, and returns false when another owner has the lock', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job', { ttl: '1m' })
  expect(await lock.renew('1h')).toBe(true)
  expect(lock.validMs()).toBeGreaterThan(60_000)
  store.hold('job', 'another')
  expect(await lock.renew()).toBe(false)
  expect(lock.validMs()).toBe(0)
  expect(await lock.release()).toMatchObject({ outcome: 'lost', holder: { owner: 'another' } })
  expect(store.ownerOf('job')).toBe('another')
})

it('counts a lease from before the request, not from the answer', async () => {
  const store = new ScriptedProvider()
  let lateMs = 0
  store.after = async () => {
    const askedAt = performance.now()
    while (performance.now() - askedAt < lateMs) await sleep(lateMs)
  }
  lateMs = 200
  const { lock } = await taken(store.manager(), 'job', { ttl: 60_000 })
  expect(lock.validMs()).toBeLessThanOrEqual(60_000 - lateMs)
  expect(await lock.renew(30_000)).toBe(true)
  expect(lock.validMs()).toBeLessThanOrEqual(30_000 - lateMs)
})

it('fails when a lock was granted after its lease, and releases it', async () => {
  const store = new ScriptedProvider()
  store.after = step => (step === 'take' ? sleep(60) : undefined)
  await expect(store.manager().acquire('job', { ttl: 30 })).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
  })
  await expect.poll(() => store.calls.release).toBeGreaterThan(0)
})

it('counts on the shorter lease when the outcome of a renewal is unknown', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job', { ttl: '1h' })
  store.after = () => {
    throw unreachable(true)
  }
  await expect(lock.renew('1m')).rejects.toMatchObject({ uncertain: true })
  expect(lock.validMs()).toBeLessThanOrEqual(60_000)
  store.after = () => {}
  expect(await lock.renew('1h')).toBe(true)
  store.before = () => {
    throw unreachable()
  }
  await expect(lock.renew('1m')).rejects.toMatchObject({ uncertain: false })
  expect(lock.validMs()).toBeGreaterThan(60_000)
})

it('counts on the shorter time while a renewal is under way', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job', { ttl: '1h' })
  store.after = () => new Promise(() => {})
  void lock.renew(30)
  await expect.poll(() => lock.validMs()).toBe(0)
  expect(store.ownerOf('job')).toBeNull()
})

it('sends one renewal at a time, so that the last answer is about the last lease', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job', { ttl: '1m' })
  const first = gate()
  store.after = () => (store.calls.extend === 1 ? first.opened : undefined)
  const answers = Promise.all([lock.renew('1h'), lock.renew('1m')])
  await expect.poll(() => store.calls.extend).toBe(1)
  first.open()
  expect(await answers).toEqual([true, true])
  expect(store.calls.extend).toBe(2)
  expect(lock.validMs()).toBeLessThanOrEqual(60_000)
})

it('does not report its own release as a loss', async () => {
  const store = new ScriptedProvider()
  const seen: string[] = []
  const observer = { lost: () => seen.push('lost'), released: () => seen.push('released') }
  const { lock } = await taken(store.manager({ observer }), 'job')
  const [sent, answered] = [gate(), gate()]
  store.before = step => (step === 'extend' ? sent.opened : undefined)
  store.after = step => (step === 'release' ? answered.opened : undefined)
  const renewed = lock.renew()
  const released = lock.release()
  await expect.poll(() => store.ownerOf('job')).toBeNull()
  sent.open()
  expect(await renewed).toBe(false)
  answered.open()
  expect(await released).toEqual({ outcome: 'released' })
  expect(seen).toEqual(['released'])
})

it('sends no renewal for a lock that has expired by its own clock', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job', { ttl: 20 })
  await expect.poll(() => lock.validMs()).toBe(0)
  expect(await lock.renew()).toBe(false)
  expect(store.calls.extend).toBe(0)
})

it('releases once, however often it is asked', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job')
  const answers = await Promise.all([lock.release(), lock.release()])
  expect([...answers, await lock.release()]).toEqual(Array(3).fill({ outcome: 'released' }))
  expect(store.calls.release).toBe(1)
})

it('can retry a release after the store was down', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job')
  store.server.up = false
  await expect(lock.release()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  store.server.up = true
  expect(await lock.release()).toEqual({ outcome: 'released' })
})

it('reports an absent lock as released after a lost answer, but not one that another holds', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const both = [(await taken(manager, 'a')).lock, (await taken(manager, 'b')).lock]
  store.after = step => {
    if (step === 'release') throw unreachable(true)
  }
  for (const lock of both) await expect(lock.release()).rejects.toMatchObject({ uncertain: true })
  store.after = () => {}
  store.hold('b', 'another')
  expect(await Promise.all(both.map(lock => lock.release()))).toMatchObject([
    { outcome: 'released' },
    { outcome: 'lost', holder: { owner: 'another' } },
  ])
  expect(await manager.stats()).toMatchObject({ released: 1, lost: 1 })
})

it('reports an absent lock as lost after a release that was certainly not done', async () => {
  const store = new ScriptedProvider()
  const { lock } = await taken(store.manager(), 'job')
  store.server.up = false
  await expect(lock.release()).rejects.toMatchObject({ uncertain: false })
  store.server.up = true
  store.server.records.clear()
  expect(await lock.release()).toEqual({ outcome: 'lost', holder: null })
})

it('releases and renews by key and owner, for programs that keep no handle', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  store.hold('job', 'run-1')
  expect(await manager.renew('job', 'run-2')).toBe(false)
  expect(await manager.renew('job', 'run-1', '2h')).toBe(true)
  expect(await manager.release('job', 'run-2')).toMatchObject({ outcome: 'lost', holder: { owner: 'run-1' } })
  expect(await manager.release('job', 'run-1')).toEqual({ outcome: 'released' })
  expect(store.ownerOf('job')).toBeNull()
})

it('releases a lock at the end of its block', async () => {
  const store = new ScriptedProvider()
  {
    await using lock = (await taken(store.manager(), 'job', { owner: 'run-1' })).lock
    expect(store.ownerOf('job')).toBe(lock.owner)
  }
  expect(store.ownerOf('job')).toBeNull()
})

it.each([
  { ttl: 0 },
  { ttl: -1 },
  { ttl: Number.NaN },
  { ttl: Number.POSITIVE_INFINITY },
  { ttl: '5 minutes' as '5m' },
  { wait: -1 },
  { wait: Number.NaN },
  { owner: '' },
  { owner: 42 as unknown as string },
  { metadata: 'text' as unknown as Metadata },
  { metadata: { nested: { deep: 1 } } as unknown as Metadata },
  { metadata: { half: '\ud800' } },
  { metadata: { size: Number.NaN } },
])('refuses %j', async options => {
  const store = new ScriptedProvider()
  await expect(store.manager().acquire('job', options)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect(store.calls.take).toBe(0)
})

it.each(['', undefined, null, 42, ['job']])('refuses %j as a key, whatever is asked', async key => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const name = key as string
  const bad = { code: 'BAD_INPUT' }
  await expect(manager.acquire(name)).rejects.toMatchObject(bad)
  await expect(manager.release(name, 'run-1')).rejects.toMatchObject(bad)
  await expect(manager.renew(name, 'run-1')).rejects.toMatchObject(bad)
  await expect(manager.isLocked(name)).rejects.toMatchObject(bad)
  await expect(manager.release('job', 42 as unknown as string)).rejects.toMatchObject(bad)
  expect(store.calls).toEqual({ take: 0, extend: 0, release: 0, read: 0, listen: 0 })
})

it('ignores what an observer throws later', async () => {
  const store = new ScriptedProvider()
  const observer = {
    acquired: async () => {
      throw new Error('of the observer')
    },
  }
  await taken(store.manager({ observer }), 'job')
  await expect.poll(() => store.warnings).toHaveLength(1)
})

it.each([
  ['throws', () => expect.unreachable()],
  ['rejects', async () => expect.unreachable()],
])('keeps its locks when the observer fails and the warning %s', async (_, warn) => {
  const store = new ScriptedProvider()
  const observer = { acquired: () => expect.unreachable(), released: () => expect.unreachable() }
  const manager = store.manager({ observer, warn })
  const { lock } = await taken(manager, 'job')
  expect(await lock.release()).toEqual({ outcome: 'released' })
  const value = await manager.withLock('other', () => {
    store.server.up = false
    return 'done'
  })
  expect(value).toBe('done')
  await manager.close()
})

it('counts what it does and calls the observer, whose errors it ignores', async () => {
  const store = new ScriptedProvider()
  const told: string[] = []
  const manager = store.manager({
    observer: {
      acquired: key => told.push(`acquired ${key}`),
      refused: key => told.push(`refused ${key}`),
      released: (key, heldMs) => told.push(`released ${key} ${heldMs === null}`),
      lost: key => told.push(`lost ${key}`),
      failed: () => {
        throw new Error('of the observer')
      },
    },
  })
  const { lock } = await taken(manager, 'a')
  await manager.acquire('a')
  await lock.release()
  store.hold('b', 'run-1')
  await manager.release('b', 'run-1')
  await taken(manager, 'c', { ttl: 20 })
  await expect.poll(() => told.at(-1)).toBe('lost c')
  store.server.up = false
  await expect(manager.acquire('d')).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  expect(told).toEqual([
    'acquired a',
    'refused a',
    'released a false',
    'released b true',
    'acquired c',
    'lost c',
  ])
  expect(await manager.stats()).toMatchObject({
    provider: 'memory',
    active: 0,
    acquired: 2,
    released: 2,
    failed: 2,
    lost: 1,
  })
  expect(store.warnings).toHaveLength(1)
})
