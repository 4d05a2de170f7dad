import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Settled } from '../../electron/core/lib/concurrency.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { expiresAtOf, remainingMs } from '../../shared/lease.ts'
import { type Lock, lockSchema } from '../../shared/locks.ts'
import { codeOf, inTime, keepNothing, lockNamed as lockIn, never, releaseLock, words } from './ask.ts'
import { handlesOf } from './handles.ts'
import type { Harness, HarnessFactory, Outage } from './harness.ts'
import { listAll } from './list-all.ts'
import { manySuite } from './many.ts'
import { pause, race } from './race.ts'
import { restoreSuite } from './restore.ts'

const HOUR = 3_600_000

export { listAll }

/** What every store promises, whatever it is made of. */
export function contractSuite(factory: HarnessFactory): void {
  describe(`${factory.kind} keeps the contract`, () => {
    let h: Harness

    beforeEach(async () => {
      h = await factory.open()
    })
    afterEach(async () => {
      await h.close()
    })

    const lockNamed = (name: string): Promise<Lock> => lockIn(h, name)

    it('lists nothing in an empty store', async () => {
      const { locks, unrecognised, problems } = await listAll(h.store)
      expect({ locks, unrecognised, problems }).toEqual({ locks: [], unrecognised: [], problems: [] })
    })

    it('describes the server, its clock and what this account may do', async () => {
      const description = await h.store.describe(never)
      expect(description.server).toMatch(/\w/)
      expect(await h.store.capabilities(never)).toContain('release')
      expect(Math.abs(description.clock.offsetMs ?? Number.NaN)).toBeLessThan(1500)
      expect(await h.readOnly.capabilities(never)).not.toContain('release')
    })

    it('says which server it is, the same to every account that may ask', async () => {
      const ids = await h.store.serverIds(never)
      expect(await h.store.serverIds(never)).toEqual(ids)
      for (const id of await h.readOnly.serverIds(never)) expect(ids).toContain(id)
      // A store without a server is the same under one address only.
      const hasServer = h.store.address.includes('127.0.0.1')
      expect(ids.length > 0).toBe(hasServer)
    })

    it('shows the same owner, times and fence in a list and in inspect', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { locks } = await listAll(h.store)
      expect(locks).toHaveLength(1)
      const [lock] = locks
      expect(lockSchema.parse(lock)).toMatchObject({
        key: h.keyOf('orders'),
        owner: 'owner-1',
        state: 'held',
      })
      expect(lock?.fence).toMatch(/^[0-9a-f]{32}/)
      const inspected = await lockNamed('orders')
      expect({ ...inspected, observedAt: 0, lease: null, deadlines: null, acquiredAt: 0 }).toEqual({
        ...lock,
        observedAt: 0,
        lease: null,
        deadlines: null,
        acquiredAt: 0,
      })
    })

    it('sees the expiry within a second of the server', async () => {
      await h.hold('orders', 'owner-1', 90_000)
      const lock = await lockNamed('orders')
      const theirs = await h.remainingMs('orders')
      const ours = remainingMs(lock, (await h.store.clock(never)).serverTime)
      expect(Math.abs((ours ?? Number.NaN) - theirs)).toBeLessThan(1000)
      expect(expiresAtOf(lock.lease)).not.toBeNull()
    })

    it('lists several pages without a loss or a duplicate while other clients write', async () => {
      const stable = Array.from({ length: 2500 }, (_, i) => `stable-${i}`)
      await h.holdMany(stable, 'owner-1')
      let writing = true
      const churn = (async () => {
        for (let i = 0; writing; i++) {
          await h.hold(`churn-${i % 50}`, `owner-${i}`, HOUR)
          if (i % 3 === 0) await h.drop(`churn-${(i * 7) % 50}`)
          await pause(1)
        }
      })()
      const { locks, pages } = await listAll(h.store)
      writing = false
      await churn
      expect(pages).toBeGreaterThan(1)
      const keys = locks.map(lock => lock.key)
      expect(new Set(keys).size).toBe(keys.length)
      expect(stable.filter(name => !keys.includes(h.keyOf(name)))).toEqual([])
    })

    it('stops at the limit', async () => {
      await h.holdMany(['a', 'b', 'c', 'd'], 'owner-1')
      expect((await listAll(h.store, 3)).locks).toHaveLength(3)
    })

    it('reports a record of a lock format that cannot be read, and not as a lock', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const key = await h.putUnrecognised()
      const { locks, unrecognised } = await listAll(h.store)
      expect(locks.map(lock => lock.key)).toEqual([h.keyOf('orders')])
      expect(unrecognised).toEqual([{ key, reason: expect.stringMatching(/\w/) }])
    })

    it('inspects an absent lock as null', async () => {
      expect(await h.store.inspect(h.keyOf('nothing'), never)).toBeNull()
    })

    it('inspects the raw record and what a release would send', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const detail = await h.store.inspect(h.keyOf('orders'), never)
      expect(detail?.raw.map(part => part.text).join('\n')).toContain('owner-1')
      expect(detail?.release.join('\n')).toMatch(/\w/)
    })

    it('releases with the right fence, and only that lock', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      await h.hold('invoices', 'owner-2', HOUR)
      const { fence, id } = await lockNamed('orders')
      expect(await releaseLock(h.store, id, fence, never)).toMatchObject({ outcome: 'released' })
      expect(await h.ownerOf('orders')).toBeNull()
      expect(await h.ownerOf('invoices')).toBe('owner-2')
    })

    it('refuses to release when the owner changed after it was listed, and names the holder', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { fence, id } = await lockNamed('orders')
      await h.hold('orders', 'owner-2', HOUR)
      expect(await releaseLock(h.store, id, fence, never)).toMatchObject({
        outcome: 'changed',
        current: { owner: 'owner-2' },
      })
      expect(await h.ownerOf('orders')).toBe('owner-2')
    })

    it('refuses the fence of another lock', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      await h.hold('invoices', 'owner-1', HOUR)
      const { fence } = await lockNamed('orders')
      const { id } = await lockNamed('invoices')
      expect(await releaseLock(h.store, id, fence, never)).toMatchObject({ outcome: 'changed' })
      expect(await h.ownerOf('invoices')).toBe('owner-1')
    })

    it('answers gone for a lock that vanished', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { fence, id } = await lockNamed('orders')
      await h.drop('orders')
      expect(await releaseLock(h.store, id, fence, never)).toEqual({ outcome: 'gone' })
      expect(await h.ownerOf('orders')).toBeNull()
    })

    it('answers gone to the second of two releases', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { fence, id } = await lockNamed('orders')
      const outcomes = await Promise.all([
        releaseLock(h.store, id, fence, never),
        releaseLock(h.store, id, fence, never),
      ])
      expect(outcomes.map(each => each.outcome).sort()).toEqual(['gone', 'released'])
    })

    it('lets an account that may only read list, and denies it a release that changes nothing', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { locks } = await listAll(h.readOnly)
      expect(locks.map(lock => lock.owner)).toEqual(['owner-1'])
      const [lock] = locks
      expect(await codeOf(releaseLock(h.readOnly, lock?.id ?? '', lock?.fence ?? '', never))).toBe(
        'STORE_DENIED',
      )
      expect(await h.ownerOf('orders')).toBe('owner-1')
    })

    it('stops on request', async () => {
      await h.holdMany(
        Array.from({ length: 2500 }, (_, i) => `lock-${i}`),
        'owner-1',
      )
      const abort = new AbortController()
      let seen = 0
      const work = (async () => {
        for await (const page of h.store.list({}, abort.signal)) {
          seen += page.locks.length
          abort.abort()
        }
      })()
      expect(await codeOf(work)).toBe('ABORTED')
      expect(seen).toBeLessThan(2500)
      expect(await codeOf(h.store.inspect(h.keyOf('lock-1'), abort.signal))).toBe('ABORTED')
      const { fence, id } = await lockNamed('lock-1')
      expect(await codeOf(releaseLock(h.store, id, fence, abort.signal))).toBe('ABORTED')
      expect(await h.ownerOf('lock-1')).toBe('owner-1')
    })

    it('leaves no connection and no timer behind when it is closed, and may be closed twice', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const handles = await handlesOf(async () => {
        expect((await listAll(h.readOnly)).locks).toHaveLength(1)
      })
      await h.readOnly.close()
      await h.readOnly.close()
      await expect.poll(handles).toEqual([])
    })

    it('never removes a lock whose fence was not given, while holders change as fast as they can', async () => {
      const { removedWrongly, released, changed, gone } = await race(h, 400)
      expect(removedWrongly).toEqual([])
      expect(released + changed + gone).toBeGreaterThanOrEqual(400)
      expect(Math.min(released, changed)).toBeGreaterThan(0)
    })
  })

  manySuite(factory)
  restoreSuite(factory)

  describe(`${factory.kind} in an outage`, () => {
    let outage: Outage

    beforeAll(async () => {
      outage = await factory.openOutage()
    })
    afterAll(async () => {
      await outage.close()
    })

    it('reports a killed server as unreachable, and reconnects when the server is back', async () => {
      const { locks } = await listAll(outage.store)
      expect(locks).toHaveLength(1)
      await outage.kill()
      expect(await inTime(codesOfCalls(outage.store, locks))).toEqual(UNREACHABLE)
      const many = await outage.store
        .releaseMany([...locks, ...locks], keepNothing, never)
        .catch(error => [{ ok: false as const, error }])
      expect(new Set(words(many))).toEqual(new Set(['STORE_UNREACHABLE']))
      await outage.revive()
      await expect.poll(() => codeOf(listAll(outage.store)), { interval: 100 }).toBe('no error')
    })

    it('gives up on a server that stopped answering, and closes without waiting for it', async () => {
      if (!outage.freeze) return expect(WITHOUT_SERVER).toContain(factory.kind)
      const { locks } = await listAll(outage.store)
      outage.freeze()
      expect(await inTime(codesOfCalls(outage.store, locks))).toEqual(UNREACHABLE)
      outage.thaw?.()
      await expect.poll(() => codeOf(listAll(outage.store)), { interval: 100 }).toBe('no error')
      outage.freeze()
      await inTime(outage.store.close())
    })
  })
}

/** Kinds that ask no other process, which could stop answering. */
const WITHOUT_SERVER = ['memory', 'files']
const UNREACHABLE = Array.from({ length: 5 }, () => 'STORE_UNREACHABLE')

function codesOfCalls(store: LockStore, locks: readonly Lock[]): Promise<string[]> {
  const calls = [
    listAll(store),
    store.inspect('any', never),
    releaseLock(store, 'any', 'fence', never),
    store.clock(never),
    store.look([locks[0]?.id ?? '', 'any'], never).then(firstError),
  ]
  return Promise.all(calls.map(codeOf))
}

function firstError(settled: readonly Settled<unknown>[]): void {
  expect(settled.filter(each => each.ok)).toEqual([])
  for (const each of settled) if (!each.ok) throw each.error
}
