import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreError } from '../../electron/core/lib/errors.ts'
import { isSameFence } from '../../electron/core/stores/fence.ts'
import type { RecordState } from '../../electron/core/stores/types.ts'
import { codeOf, keepNothing, lockNamed, locksNamed, never, words } from './ask.ts'
import type { Harness, HarnessFactory } from './harness.ts'
import { raceMany } from './race-many.ts'

const HOUR = 3_600_000
const named = (count: number, prefix = 'job') => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

/** What every store promises of many locks at once. */
export function manySuite(factory: HarnessFactory): void {
  describe(`${factory.kind} keeps the contract for many at once`, () => {
    let h: Harness

    beforeEach(async () => {
      h = await factory.open()
    })
    afterEach(async () => {
      await h.close()
    })

    const ownersOf = (names: readonly string[]) => Promise.all(names.map(name => h.ownerOf(name)))

    it('reads several hundred, including absent ones and duplicates, in the requested order', async () => {
      const names = named(450)
      await h.holdMany(names, 'owner-1')
      const asked = [...names, 'nothing', 'job-7', 'job-7', 'nothing either', ...names.toReversed()]
      const looked = await h.store.look(
        asked.map(name => h.keyOf(name)),
        never,
      )
      expect(looked.map(each => (each.ok && each.value.is === 'lock' ? each.value.lock.key : each))).toEqual(
        asked.map(name =>
          name.startsWith('nothing') ? { ok: true, value: { is: 'absent' } } : h.keyOf(name),
        ),
      )
    })

    it('agrees with inspect on each', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const other = await h.putUnrecognised()
      const ids = [other, h.keyOf('orders'), h.keyOf('nothing'), other]
      const looked = await h.store.look(ids, never)
      const inspected = await Promise.all(ids.map(id => h.store.inspect(id, never)))
      const is = inspected.map(each => (each === null ? 'absent' : each.lock === null ? 'other' : 'lock'))
      expect(looked.map(each => each.ok && each.value.is)).toEqual(is)
      const lock = (looked[1] as { value: Extract<RecordState, { is: 'lock' }> }).value.lock
      expect(lock).toMatchObject({ key: h.keyOf('orders'), owner: 'owner-1', state: 'held' })
      expect(isSameFence(lock.fence, inspected[1]?.lock?.fence ?? '')).toBe(true)
    })

    it('reads and releases nothing without ids', async () => {
      expect(await h.store.look([], never)).toEqual([])
      expect(await h.store.releaseMany([], keepNothing, never)).toEqual([])
    })

    it('releases several hundred, and nothing else', async () => {
      const names = named(450)
      await h.holdMany([...names, ...named(30, 'bystander')], 'owner-1')
      const settled = await h.store.releaseMany(await locksNamed(h, names), keepNothing, never)
      expect(new Set(words(settled))).toEqual(new Set(['released']))
      expect(settled).toHaveLength(450)
      expect(new Set(await ownersOf(names))).toEqual(new Set([null]))
      expect(new Set(await ownersOf(named(30, 'bystander')))).toEqual(new Set(['owner-1']))
    })

    it('returns one result per lock, in the requested order', async () => {
      const names = named(60)
      await h.holdMany(names, 'owner-1')
      const other = await h.putUnrecognised()
      const locks = await locksNamed(h, names)
      const fates = names.map((_, i) => (['released', 'changed', 'gone'] as const)[i % 3] ?? 'released')
      for (const [i, name] of names.entries()) {
        if (fates[i] === 'changed') await h.hold(name, `owner-2-${i}`, HOUR)
        if (fates[i] === 'gone') await h.drop(name)
      }
      const isThere = (await h.store.inspect(other, never)) !== null
      const targets = [
        ...locks.slice(0, 30),
        { id: other, fence: locks[0]?.fence ?? '' },
        { id: h.keyOf('nothing'), fence: locks[0]?.fence ?? '' },
        ...locks.slice(30),
      ]
      const settled = await h.store.releaseMany(targets, keepNothing, never)
      expect(words(settled)).toEqual([
        ...fates.slice(0, 30),
        isThere ? 'changed' : 'gone',
        'gone',
        ...fates.slice(30),
      ])
      expect(settled[1]).toMatchObject({ value: { current: { owner: 'owner-2-1' } } })
      expect(await ownersOf(names)).toEqual(
        fates.map((fate, i) => (fate === 'changed' ? `owner-2-${i}` : null)),
      )
      expect((await h.store.inspect(other, never)) !== null).toBe(isThere)
    })

    it('releases a lock that is named twice only once', async () => {
      await h.hold('orders', 'owner-1', HOUR)
      const lock = await lockNamed(h, 'orders')
      const settled = await h.store.releaseMany([lock, lock], keepNothing, never)
      expect(words(settled).sort()).toEqual(['gone', 'released'])
    })

    it('announces exactly what it is about to release, before any change', async () => {
      const names = named(40)
      await h.holdMany(names, 'owner-1')
      const locks = await locksNamed(h, names)
      await h.drop('job-3')
      await h.hold('job-5', 'owner-2', HOUR)
      const told: number[] = []
      const settled = await h.store.releaseMany(
        locks,
        async about => {
          for (const { place, lock, copy } of about) {
            told.push(place)
            expect(lock).toMatchObject({ id: locks[place]?.id, owner: 'owner-1' })
            expect(isSameFence(lock.fence, locks[place]?.fence ?? '')).toBe(true)
            expect(copy).toMatchObject({ id: lock.id, format: lock.format, fence: lock.fence })
          }
          expect(await ownersOf(names)).toEqual(
            names.map((_, i) => (i === 3 ? null : i === 5 ? 'owner-2' : 'owner-1')),
          )
        },
        never,
      )
      expect(told.toSorted((a, b) => a - b)).toEqual(names.map((_, i) => i).filter(i => i !== 3 && i !== 5))
      expect(words(settled).filter(word => word === 'released')).toHaveLength(38)
    })

    it('changes nothing when the intent cannot be recorded', async () => {
      const names = named(30)
      await h.holdMany(names, 'owner-1')
      const locks = await locksNamed(h, names)
      await h.drop('job-3')
      const full = new StoreError('AUDIT_FAILED', 'The disk is full')
      const settled = await h.store.releaseMany(locks, () => Promise.reject(full), never)
      expect(words(settled)).toEqual(names.map((_, i) => (i === 3 ? 'gone' : 'AUDIT_FAILED')))
      expect(await ownersOf(names)).toEqual(names.map((_, i) => (i === 3 ? null : 'owner-1')))
    })

    it('changes nothing when stopped before or while the intent is recorded', async () => {
      const names = named(30)
      await h.holdMany(names, 'owner-1')
      const locks = await locksNamed(h, names)
      const abort = new AbortController()
      const settled = await h.store.releaseMany(locks, async () => abort.abort(), abort.signal)
      expect(new Set(words(settled))).toEqual(new Set(['ABORTED']))
      expect(await codeOf(h.store.releaseMany(locks, keepNothing, abort.signal))).toBe('ABORTED')
      expect(await codeOf(h.store.look([h.keyOf('job-1')], abort.signal))).toBe('ABORTED')
      expect(new Set(await ownersOf(names))).toEqual(new Set(['owner-1']))
    })

    it('denies each of them to an account that may only read, and changes nothing', async () => {
      const names = named(30)
      await h.holdMany(names, 'owner-1')
      const settled = await h.readOnly.releaseMany(await locksNamed(h, names), keepNothing, never)
      expect(words(settled)).toEqual(names.map(() => 'STORE_DENIED'))
      expect(settled.some(each => !each.ok && each.error.uncertain)).toBe(false)
      expect(new Set(await ownersOf(names))).toEqual(new Set(['owner-1']))
    })

    it("never removes another holder's lock while 500 locks change hands at full speed", async () => {
      const { released, changed, other, wrong } = await raceMany(h, 500)
      expect(wrong).toEqual([])
      expect(other).toEqual([])
      expect(released + changed).toBe(500)
      expect(Math.min(released, changed)).toBeGreaterThan(0)
    })
  })
}
