import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isSameFence } from '../../electron/core/stores/fence.ts'
import type { RecordCopy } from '../../electron/core/stores/types.ts'
import { expiresAtOf } from '../../shared/lease.ts'
import { codeOf, lockNamed, never, releaseAndKeep, releaseLock } from './ask.ts'
import type { Harness, HarnessFactory } from './harness.ts'
import { listAll } from './list-all.ts'

const HOUR = 3_600_000

/** What every store promises of a lock that is put back. */
export function restoreSuite(factory: HarnessFactory): void {
  describe(`${factory.kind} keeps the contract for restored locks`, () => {
    let h: Harness

    beforeEach(async () => {
      h = await factory.open()
    })
    afterEach(async () => {
      await h.close()
    })

    async function released(name: string, leaseMs = HOUR): Promise<RecordCopy> {
      await h.hold(name, 'owner-1', leaseMs)
      const { copy, outcome } = await releaseAndKeep(h.store, await lockNamed(h, name))
      expect(outcome).toBe('released')
      expect(await h.ownerOf(name)).toBeNull()
      if (copy === null) throw new Error('there is no copy')
      return copy
    }

    it('restores a released lock as it was, including its end', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const before = await lockNamed(h, 'orders')
      const endedIn = await h.remainingMs('orders')
      const start = performance.now()
      const { copy } = await releaseAndKeep(h.store, before)
      expect(await h.ownerOf('orders')).toBeNull()
      expect(await h.store.restore(copy as RecordCopy, never)).toEqual({ outcome: 'restored' })
      const { locks } = await listAll(h.store)
      expect(locks).toHaveLength(1)
      for (const after of [...locks, await lockNamed(h, 'orders')]) {
        expect(after).toMatchObject({ id: before.id, key: before.key, owner: 'owner-1', state: 'held' })
        expect(isSameFence(after.fence, before.fence)).toBe(true)
        const moved = (expiresAtOf(after.lease) ?? Number.NaN) - (expiresAtOf(before.lease) ?? Number.NaN)
        expect(Math.abs(moved)).toBeLessThan(1000)
      }
      expect(await h.ownerOf('orders')).toBe('owner-1')
      const endsIn = (await h.remainingMs('orders')) + (performance.now() - start)
      expect(Math.abs(endsIn - endedIn)).toBeLessThan(1000)
    })

    it('restores a lock that can be released again with its former fence', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const { fence, id } = await lockNamed(h, 'orders')
      const copy = await released('invoices')
      const { copy: first } = await releaseAndKeep(h.store, await lockNamed(h, 'orders'))
      await h.store.restore(first as RecordCopy, never)
      expect(await releaseLock(h.store, id, fence, never)).toMatchObject({ outcome: 'released' })
      expect(await h.ownerOf('orders')).toBeNull()
      expect(await h.store.restore(copy, never)).toEqual({ outcome: 'restored' })
      expect(await h.ownerOf('orders')).toBeNull()
    })

    it('changes nothing under a name that was acquired again, and names the holder', async () => {
      const copy = await released('orders')
      await h.hold('orders', 'owner-2', HOUR)
      expect(await h.store.restore(copy, never)).toMatchObject({
        outcome: 'taken',
        current: { owner: 'owner-2' },
      })
      expect(await h.ownerOf('orders')).toBe('owner-2')
    })

    it('restores a lock only once', async () => {
      const copy = await released('orders')
      const outcomes = await Promise.all([h.store.restore(copy, never), h.store.restore(copy, never)])
      expect(outcomes.map(each => each.outcome).sort()).toEqual(['restored', 'taken'])
      expect(await h.store.restore(copy, never)).toMatchObject({
        outcome: 'taken',
        current: { owner: 'owner-1' },
      })
    })

    it('does not restore a lock whose lease has ended', async () => {
      const copy = await released('orders', 2000)
      expect(copy.endsAt).not.toBeNull()
      const { serverTime, errorMs } = await h.store.clock(never)
      await sleep(Math.max(0, (copy.endsAt ?? 0) - serverTime) + errorMs + 50)
      expect(await h.store.restore(copy, never)).toEqual({ outcome: 'ended' })
      expect(await h.ownerOf('orders')).toBeNull()
      expect((await listAll(h.store)).locks.filter(lock => lock.state !== 'released')).toEqual([])
    })

    it('refuses a copy of another lock, and writes nothing', async () => {
      const copy = await released('orders')
      const other = await released('invoices')
      const hostile: [string, RecordCopy][] = [
        ['no data', { ...copy, data: null }],
        ['a text', { ...copy, data: 'DROP TABLE locks' }],
        ['a number', { ...copy, data: 42 }],
        ['a list', { ...copy, data: [copy.data] }],
        ['nothing in it', { ...copy, data: {} }],
        ['parts of another kind', { ...copy, data: everyPart(copy.data, () => ({ $gt: 0 })) }],
        ['parts that are missing', { ...copy, data: everyPart(copy.data, () => null) }],
        [
          'other texts',
          { ...copy, data: everyPart(copy.data, part => (typeof part === 'string' ? 'eA==' : part)) },
        ],
        ["another lock's name", { ...copy, id: other.id }],
        ["another lock's fence", { ...copy, fence: other.fence }],
        ['no fence', { ...copy, fence: '' }],
        ['a format that there is not', { ...copy, format: 'constructor' }],
        ['a name that cannot be', { ...copy, id: '\u0000../%ZZ' }],
      ]
      for (const [what, damaged] of hostile) {
        const untouched = JSON.parse(JSON.stringify(damaged)) as RecordCopy
        expect(await codeOf(h.store.restore(untouched, never)), what).toBe('BAD_INPUT')
      }
      const { locks, unrecognised } = await listAll(h.store)
      expect(locks.filter(lock => lock.state !== 'released')).toEqual([])
      expect(unrecognised).toEqual([])
      expect(await h.store.restore(copy, never)).toEqual({ outcome: 'restored' })
    })

    it('denies a restore to an account that may only read, and stops on request', async () => {
      const copy = await released('orders')
      expect(await codeOf(h.readOnly.restore(copy, never))).toBe('STORE_DENIED')
      expect(await codeOf(h.store.restore(copy, AbortSignal.abort()))).toBe('ABORTED')
      expect(await h.ownerOf('orders')).toBeNull()
    })

    it('lets exactly one win against a simultaneous acquisition', async () => {
      for (let i = 0; i < 40; i++) {
        const name = `orders-${i}`
        const copy = await released(name)
        const acquire = async () => ({ acquired: await h.acquire(name, 'owner-2', HOUR) })
        const attempts = [() => h.store.restore(copy, never), acquire]
        const results = await Promise.all(
          (i % 2 === 0 ? attempts : attempts.toReversed()).map(each => each()),
        )
        const { acquired, outcome } = Object.assign({}, ...results) as { acquired: boolean; outcome: string }
        expect(outcome).toBe(acquired ? 'taken' : 'restored')
        expect(await h.ownerOf(name)).toBe(acquired ? 'owner-2' : 'owner-1')
      }
    })
  })
}

/** The same value with every part that is no list and no record replaced. */
function everyPart(value: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(each => everyPart(each, change))
  if (typeof value !== 'object' || value === null) return change(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, everyPart(each, change)]))
}
