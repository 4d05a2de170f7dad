import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { LockHeldError, LockLostError } from '../../../electron/core/locks/errors.ts'
import type { HeldLock } from '../../../electron/core/locks/types.ts'
import type { PipelineLock } from '../../../electron/core/stores/memory/format/pipeline-lock.ts'
import { gate, ScriptedProvider, unreachable } from './scripted-provider.ts'

/** Nothing may be left unhandled by any of this. */
let unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)
beforeEach(() => {
  unhandled = []
  process.on('unhandledRejection', note)
})
afterEach(async () => {
  await sleep(0)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

const fired = (signal: AbortSignal) =>
  new Promise<LockLostError>(resolve => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason))
  })

it('holds the lock while the work is done, and returns what it returns', async () => {
  const store = new ScriptedProvider()
  const value = await store.manager().withLock('job', ({ lock, signal }) => {
    expect(store.ownerOf('job')).toBe(lock.owner)
    expect(signal.aborted).toBe(false)
    return 42
  })
  expect(value).toBe(42)
  expect(store.ownerOf('job')).toBeNull()
})

it('releases when the work fails, and throws what the work threw', async () => {
  const store = new ScriptedProvider()
  const mistake = new Error('of the work')
  await expect(
    store.manager().withLock('job', () => {
      throw mistake
    }),
  ).rejects.toBe(mistake)
  expect(store.ownerOf('job')).toBeNull()
})

it('throws the holder when the lock is not free in time, and runs no work', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'run-1')
  const error = await store
    .manager()
    .withLock('job', () => expect.unreachable(), { wait: 20 })
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LockHeldError)
  expect(error).toMatchObject({ key: 'job', holder: { owner: 'run-1' } })
})

it('skips the work when another holder runs it, and names the holder', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'run-1')
  const manager = store.manager()
  expect(await manager.tryWithLock('job', () => expect.unreachable())).toMatchObject({
    ran: false,
    holder: { owner: 'run-1' },
  })
  expect(await manager.tryWithLock('other', () => 'done')).toEqual({ ran: true, value: 'done' })
})

it('renews the lock while the work runs', async () => {
  const store = new ScriptedProvider()
  await store.manager().withLock(
    'job',
    async ({ lock, signal }) => {
      await expect.poll(() => store.calls.extend).toBeGreaterThan(1)
      expect(signal.aborted).toBe(false)
      expect(store.ownerOf('job')).toBe(lock.owner)
    },
    { ttl: 1500 },
  )
})

it('renews nothing with renew: false, and signals the end of the lease', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock('job', ({ signal }) => fired(signal), { ttl: 40, renew: false })
  await expect(work).rejects.toBeInstanceOf(LockLostError)
  expect(store.calls.extend).toBe(0)
})

it('signals the work at once when a renewal finds another holder, and rejects', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock(
    'job',
    async ({ signal }) => {
      store.hold('job', 'thief')
      expect(await fired(signal)).toMatchObject({ key: 'job', holder: { owner: 'thief' } })
      return 'done all the same'
    },
    { ttl: 1500 },
  )
  await expect(work).rejects.toMatchObject({ name: 'LockLostError', holder: { owner: 'thief' } })
  expect(store.ownerOf('job')).toBe('thief')
})

it('rejects when the release finds that the lock was lost', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock('job', () => {
    store.hold('job', 'thief')
    return 'done'
  })
  await expect(work).rejects.toMatchObject({ name: 'LockLostError', holder: { owner: 'thief' } })
  expect(store.ownerOf('job')).toBe('thief')
})

it('retries a failed renewal', async () => {
  const store = new ScriptedProvider()
  store.before = step => {
    if (step === 'extend' && store.calls.extend <= 2) throw unreachable(store.calls.extend === 2)
  }
  const value = await store.manager().withLock(
    'job',
    async ({ signal }) => {
      await expect.poll(() => store.calls.extend).toBeGreaterThan(2)
      return signal.aborted
    },
    { ttl: 3000 },
  )
  expect(value).toBe(false)
})

it('signals the work when the lease ended because renewals failed, with the cause', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock(
    'job',
    async ({ signal, lock }) => {
      store.server.up = false
      const reason = await fired(signal)
      expect(lock.validMs()).toBe(0)
      expect(reason.cause).toMatchObject({ code: 'STORE_UNREACHABLE' })
    },
    { ttl: 1500 },
  )
  await expect(work).rejects.toBeInstanceOf(LockLostError)
})

it('signals the work while a renewal hangs', async () => {
  const store = new ScriptedProvider()
  store.before = step => (step === 'extend' ? new Promise(() => {}) : undefined)
  const work = store.manager().withLock('job', ({ signal }) => fired(signal), { ttl: 100 })
  await expect(work).rejects.toBeInstanceOf(LockLostError)
})

it('notices after the work that the process was suspended past the lease', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock(
    'job',
    () => {
      const until = performance.now() + 60
      // Nothing else runs meanwhile: no timer, no renewal.
      while (performance.now() < until);
      return 'done'
    },
    { ttl: 30 },
  )
  await expect(work).rejects.toBeInstanceOf(LockLostError)
})

it('counts the lease on its own clock when the store’s is behind', async () => {
  const store = new ScriptedProvider()
  const work = store.manager().withLock(
    'job',
    () => {
      const record = store.server.live('job') as PipelineLock
      store.server.records.set('job', { ...record, expires_at: Date.now() / 1000 + 60 })
      const until = performance.now() + 60
      while (performance.now() < until);
    },
    { ttl: 30 },
  )
  await expect(work).rejects.toBeInstanceOf(LockLostError)
  expect(store.ownerOf('job')).toBeNull()
})

it('has the work’s error as its cause when both failed', async () => {
  const store = new ScriptedProvider()
  const mistake = new Error('of the work')
  const work = store.manager().withLock('job', () => {
    store.hold('job', 'thief')
    throw mistake
  })
  await expect(work).rejects.toMatchObject({ name: 'LockLostError', cause: mistake })
})

it('rethrows the signal’s reason unchanged', async () => {
  const store = new ScriptedProvider()
  let reason: unknown = null
  const work = store.manager().withLock(
    'job',
    async ({ signal }) => {
      reason = await fired(signal)
      signal.throwIfAborted()
    },
    { ttl: 30, renew: false },
  )
  const thrown = await work.catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(LockLostError)
  expect(thrown).toBe(reason)
})

it('reports its own closing, not the store, as why the lock was not released', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  expect(await manager.withLock('job', () => manager.close().then(() => 'done'))).toBe('done')
  expect(store.warnings).toEqual([expect.stringContaining('closed')])
})

it('returns the result of work that was done in time when its release outlasts the lease', async () => {
  const store = new ScriptedProvider()
  const released = gate()
  store.after = step => (step === 'release' ? released.opened : undefined)
  let held: HeldLock | null = null
  const work = store.manager().withLock(
    'job',
    ({ lock }) => {
      held = lock
      return 'done'
    },
    { ttl: 300 },
  )
  await expect.poll(() => store.calls.release).toBe(1)
  await expect.poll(() => held?.validMs()).toBe(0)
  released.open()
  expect(await work).toBe('done')
})

it('renews with the lease that the work requested last', async () => {
  const store = new ScriptedProvider()
  await store.manager().withLock(
    'job',
    async ({ lock, signal }) => {
      expect(await lock.renew(1500)).toBe(true)
      await expect.poll(() => store.calls.extend).toBeGreaterThan(2)
      expect(signal.aborted).toBe(false)
      expect(lock.validMs()).toBeLessThanOrEqual(1500)
    },
    { ttl: '1h' },
  )
})

it('accepts a release by the work itself', async () => {
  const store = new ScriptedProvider()
  const value = await store.manager().withLock('job', async ({ lock, signal }) => {
    await lock.release()
    return signal.aborted
  })
  expect(value).toBe(false)
})

it('rejects when a renewal found the lock gone and the release failed', async () => {
  const store = new ScriptedProvider()
  const [renewed, released] = [gate(), gate()]
  store.after = step => (step === 'extend' ? renewed.opened : undefined)
  store.before = async step => {
    if (step !== 'release') return
    await released.opened
    throw unreachable(true)
  }
  let renewal: Promise<boolean> | null = null
  const work = store.manager().withLock('job', ({ lock }) => {
    store.server.records.clear()
    renewal = lock.renew()
    return expect.poll(() => store.calls.extend).toBe(1)
  })
  const ended = expect(work).rejects.toThrow(LockLostError)
  await expect.poll(() => store.calls.release).toBe(1)
  renewed.open()
  expect(await renewal).toBe(false)
  released.open()
  await ended
})

it('renews at once when a failed renewal leaves less time than there was', async () => {
  const store = new ScriptedProvider()
  store.after = step => {
    if (step === 'extend' && store.calls.extend < 3) throw unreachable(true)
  }
  await store.manager().withLock(
    'job',
    async ({ lock, signal }) => {
      await expect(lock.renew('10s')).rejects.toMatchObject({ uncertain: true })
      expect(lock.validMs()).toBeLessThanOrEqual(10_000)
      await expect.poll(() => lock.validMs()).toBeGreaterThan(10_000)
      expect(signal.aborted).toBe(false)
    },
    { ttl: '1h' },
  )
})
