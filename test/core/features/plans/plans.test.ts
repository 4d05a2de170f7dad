import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { entryOf } from '../../../../electron/core/features/plans/freeze.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { comparePlan } from '../../../../shared/client.ts'
import { aLock } from '../../../shared/a-lock.ts'
import { everythingIn, profile } from '../console.ts'
import { MINUTE, planning, trust } from './planning.ts'

describe('a plan', () => {
  it('is frozen: it releases what the operator saw, and no lock that appeared later', async () => {
    const c = await planning()
    c.hold('one')
    c.hold('two')
    c.hold('three')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    expect(plan).toMatchObject({ count: 3, kind: 'release', progress: { state: 'ready', total: 3 } })
    c.server.records.delete('acme:two')
    c.server.records.delete('acme:three')
    c.hold('three', 'another run')
    c.hold('four')
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    expect(screen.outcomes()).toEqual({ 'acme:one': 'released', 'acme:two': 'gone', 'acme:three': 'changed' })
    expect(screen.known.plan?.progress).toMatchObject({
      counts: { released: 1, gone: 1, changed: 1, failed: 0, pending: 0 },
      returned: 0,
      reason: 'it is stuck',
    })
    expect(c.runOf('three')).toBe('another run')
    expect(c.runOf('four')).toBe('run-four')
  })

  it('has the locks that match its filter, and refuses a filter that would match more than was meant', async () => {
    const c = await planning()
    c.hold('one')
    c.hold('two', 'run-two', 5 * 60_000, 'ana')
    c.hold('old', 'run-old', 3 * 3_600_000)
    const names = async (filter: string) => {
      const { planId } = await c.ask('plans.create', { storeIds: [c.storeId], filter })
      const screen = c.follow(planId)
      await expect.poll(() => screen.known.entries.length).toBeGreaterThan(0)
      return screen.known.entries.map(({ key }) => key)
    }
    expect(await names('owner:ana')).toEqual(['acme:two'])
    expect(await names('state:expired')).toEqual(['acme:old'])
    expect(await names('-owner:ana state:held')).toEqual(['acme:one'])
    for (const filter of ['state:hold', 'owner:', 'age>', 'is:', 'state:expired owner:', 'age>soon'])
      await expect(c.ask('plans.create', { storeIds: [c.storeId], filter }), filter).rejects.toThrow(
        'BAD_INPUT',
      )
    await expect(c.ask('plans.create', { storeIds: [c.storeId], filter: 'nobody' })).rejects.toThrow(
      'NOT_FOUND: No lock matches',
    )
  })

  it('of a selection has exactly the picked locks, as the operator saw them', async () => {
    const c = await planning()
    for (const name of ['one', 'two', 'three', 'four']) c.hold(name)
    const seen = await c.ask('plans.create', { storeIds: [c.storeId] })
    const screen = c.follow(seen.planId)
    await expect.poll(() => screen.known.entries.length).toBe(4)
    const picks = screen.known.entries
      .filter(({ key }) => key !== 'acme:four')
      .map(({ id, fence }) => ({ storeId: c.storeId, id, fence }))
    c.server.records.delete('acme:two')
    c.server.records.delete('acme:three')
    c.hold('three', 'another run')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId], picks })
    expect(plan).toMatchObject({ count: 1, left: 2 })
    c.server.records.clear()
    await expect(c.ask('plans.create', { storeIds: [c.storeId], picks })).rejects.toThrow(
      'All of these locks have changed',
    )
  })

  it('of several stores names the unreadable ones and has the locks of the others', async () => {
    const c = await planning()
    c.hold('one')
    const dead = memoryServer('dead-store')
    dead.up = false
    const other = await c.ask('stores.add', {
      profile: profile({ name: 'Dead', address: 'memory:dead-store' }),
    })
    const storeIds = [c.storeId, other.storeId, c.storeId]
    const plan = await c.ask('plans.create', { storeIds })
    expect(plan.count).toBe(1)
    expect(plan.stores.map(({ name, unread }) => [name, unread.length])).toEqual([
      ['Orders', 0],
      ['Dead', 1],
    ])
    await expect(c.ask('plans.create', { storeIds: [other.storeId] })).rejects.toThrow('STORE_UNREACHABLE')
    await c.ask('plans.apply', { planId: plan.planId, confirm: [`Orders 1-${plan.code}`], reason: 'stuck' })
    await expect.poll(() => c.server.records.size).toBe(0)
  })

  it('leaves excluded locks and groups alone, and includes them again', async () => {
    const c = await planning()
    c.hold('one')
    c.hold('two', 'run-two', 5 * 60_000, 'ana')
    c.hold('three', 'run-three', 5 * 60_000, 'ana')
    const { planId } = await c.ask('plans.create', { storeIds: [c.storeId] })
    const ana = { by: 'holder' as const, value: 'ana' }
    const total = async (
      exclusions: Parameters<typeof c.ask<'plans.exclude'>>[1]['exclusions'],
      excluded: boolean,
    ) => (await c.ask('plans.exclude', { planId, exclusions, excluded })).progress.total
    expect(await total([ana], true)).toBe(1)
    expect(await total([{ by: 'format', value: 'tenant-pipeline' }], true)).toBe(0)
    await expect(
      c.ask('plans.apply', { planId, confirm: ['Orders 0-c0ffee'], reason: 'stuck' }),
    ).rejects.toThrow('REFUSED: Every lock of this plan is excluded')
    expect(await total([{ by: 'format', value: 'tenant-pipeline' }], false)).toBe(1)
    const [plan] = await c.ask('plans.list', {})
    await c.apply(plan as NonNullable<typeof plan>)
    const screen = c.follow(planId)
    await expect.poll(screen.state).toBe('done')
    expect(screen.outcomes()).toEqual({
      'acme:one': 'released',
      'acme:two': 'pending',
      'acme:three': 'pending',
    })
    expect([c.runOf('two'), c.runOf('three')]).toEqual(['run-two', 'run-three'])
    await expect(c.ask('plans.exclude', { planId, exclusions: [ana], excluded: false })).rejects.toThrow(
      'REFUSED',
    )
  })

  it('is not applied to a read-only or closed store', async () => {
    const c = await planning()
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    const { address, storeId } = c
    await c.ask('stores.edit', { storeId, profile: profile({ address, readOnly: true }) })
    await expect(c.apply(plan)).rejects.toThrow('read-only')
    await c.ask('stores.edit', { storeId, profile: profile({ address }) })
    await c.ask('stores.setOpen', { storeId, open: false })
    await expect(c.apply(plan)).rejects.toThrow('not open here')
    expect(c.server.records.size).toBe(1)
  })

  it('shows what changed since it was made', async () => {
    const c = await planning()
    for (const name of ['one', 'two', 'three']) c.hold(name)
    const { planId } = await c.ask('plans.create', { storeIds: [c.storeId] })
    c.server.records.delete('acme:one')
    c.server.records.delete('acme:two')
    c.hold('two', 'another run')
    const compared = await comparePlan(c.client.open, planId)
    expect(compared).toMatchObject({ ok: true, value: { same: 1 } })
    const changes = compared.ok ? compared.value.changes : []
    expect(changes.map(({ now, owner }) => [now, owner]).sort()).toEqual([
      ['changed', 'another run'],
      ['gone', null],
    ])
  })

  it('can be moved as a file, and is refused once edited', async () => {
    const c = await planning()
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    const text = readFileSync(plan.file, 'utf8')
    const other = await planning()
    await other.ask('stores.add', { profile: profile({ name: 'There', address: c.address }) })
    await trust(other, c)
    await trust(c, other)
    const taken = await other.ask('plans.import', { text })
    expect(taken).toMatchObject({ planId: plan.planId, count: 1 })
    for (const edited of [text.replace('acme:one', 'acme:two'), text.replace(/"n":0/, '"n":1'), '{}', ''])
      await expect(other.ask('plans.import', { text: edited })).rejects.toThrow('BAD_INPUT')
    await other.apply(taken)
    await expect.poll(() => c.server.records.size).toBe(0)
    // Applied there; applying it here finds no lock.
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    expect(screen.outcomes()).toEqual({ 'acme:one': 'gone' })
  })

  it('reads nothing outside its folder', async () => {
    const c = await planning()
    writeFileSync(`${c.folder}/secret.plan`, 'x')
    for (const planId of ['../secret', '/etc/passwd', '..', 'a/b'])
      expect(await comparePlan(c.client.open, planId)).toMatchObject({
        ok: false,
        error: { code: 'BAD_INPUT' },
      })
    await expect(c.ask('plans.open', { file: '/etc/passwd' })).rejects.toThrow('UNSUPPORTED')
    await expect(c.ask('plans.create', { storeIds: [c.storeId], file: '/tmp/x' })).rejects.toThrow(
      'UNSUPPORTED',
    )
    await expect(c.ask('plans.undo', { of: '../../etc/passwd' })).rejects.toThrow('BAD_INPUT')
  })

  it('names the locks re-acquired with the same token', async () => {
    const c = await planning({ plans: { comeBackMs: 300 } })
    c.hold('one')
    c.hold('two')
    const record = c.server.records.get('acme:one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    await expect.poll(() => c.server.records.size).toBe(0)
    c.server.records.set('acme:one', record)
    c.hold('two', 'somebody else')
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    const back = [...screen.known.returned].map(n => screen.known.entries[n]?.key)
    expect(back).toEqual(['acme:one'])
    expect(screen.known.plan?.progress.returned).toBe(1)
    expect(everythingIn(c.folder)).toContain('came-back')
  })
})

describe('the age of a lock in a plan', () => {
  const now = 10_000_000
  const since = (heldSince: number, watchedMs: number) =>
    entryOf(
      aLock({ observedAt: now, acquiredAt: null }),
      { firstSeenAt: heldSince, heldSince, renewals: 0, lastRenewedAt: null, holders: 1 },
      'f',
      watchedMs,
    ).heldSince

  it('is unknown after a short watch', () => {
    expect(since(now - 5000, 5000)).toBeNull()
  })

  it('is known if the lock appeared during the watch or was watched for long', () => {
    expect(since(now - 20_000, 50_000)).toBe(now - 20_000)
    expect(since(now - 600_000, 600_000)).toBe(now - 600_000)
  })

  it('is known from a lease of usual length after any watch', () => {
    const lock = aLock({ observedAt: now, acquiredAt: now - 3_000_000, acquiredAtSource: 'ttl' })
    const story = { firstSeenAt: now, heldSince: now - 5000, renewals: 0, lastRenewedAt: null, holders: 1 }
    expect(entryOf(lock, story, 'f', 5000).heldSince).toBe(now - 3_000_000)
  })
})

describe('a running plan', () => {
  it('pauses, resumes, changes its rate and stops; unattempted locks stay', async () => {
    const c = await planning()
    for (let i = 0; i < 40; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 20 })
    const screen = c.follow(plan.planId)
    await expect.poll(() => screen.known.plan?.progress.counts.released).toBeGreaterThan(0)
    const paused = await c.ask('plans.steer', { planId: plan.planId, to: 'pause' })
    expect(paused.progress.state).toBe('paused')
    await new Promise(resolve => setTimeout(resolve, 600))
    const before = c.server.records.size
    expect(before).toBeGreaterThan(20)
    await new Promise(resolve => setTimeout(resolve, 600))
    expect(c.server.records.size).toBe(before)
    await c.ask('plans.steer', { planId: plan.planId, to: 'resume' })
    await expect.poll(() => c.server.records.size).toBeLessThan(before)
    await c.ask('plans.steer', { planId: plan.planId, to: 'stop' })
    await expect.poll(screen.state).toBe('stopped')
    const { counts, total } = screen.known.plan?.progress ?? { counts: null, total: 0 }
    expect(counts?.released).toBe(40 - c.server.records.size)
    expect((counts?.released ?? 0) + (counts?.pending ?? 0)).toBe(total)
    expect(counts?.pending).toBeGreaterThan(0)
    await c.apply(plan, { rate: 10_000 })
    await expect.poll(screen.state).toBe('done')
    expect(screen.known.plan?.progress.counts.released).toBe(40)
    expect(c.server.records.size).toBe(0)
  })

  it('waits for an unreachable store, and attempts no further lock if it stays unreachable', async () => {
    const c = await planning({ plans: { comeBackMs: 20, patienceMs: 1200 } })
    for (let i = 0; i < 300; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 40 })
    const screen = c.follow(plan.planId)
    await expect.poll(() => screen.known.plan?.progress.counts.released).toBeGreaterThan(0)
    c.server.up = false
    await expect.poll(() => screen.known.plan?.progress.troubles.length).toBe(1)
    c.server.up = true
    await expect.poll(() => screen.known.plan?.progress.troubles.length).toBe(0)
    c.server.up = false
    await expect.poll(screen.state).toBe('stopped')
    expect(screen.known.plan?.progress.counts.failed).toBe(0)
    expect(screen.known.plan?.progress.troubles).toMatchObject([{ error: { code: 'STORE_UNREACHABLE' } }])
    const { released = 0, pending = 0 } = screen.known.plan?.progress.counts ?? {}
    expect(released).toBe(300 - c.server.records.size)
    expect(pending).toBe(c.server.records.size)
    c.server.up = true
    await c.apply(plan, { rate: 10_000 })
    await expect.poll(screen.state).toBe('done')
    expect(c.server.records.size).toBe(0)
  })

  it('is applied by one process at a time, and outlives the screen that started it', async () => {
    const c = await planning()
    for (let i = 0; i < 20; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 20 })
    await expect(c.apply(plan)).rejects.toThrow('already being applied')
    await expect(c.ask('plans.remove', { planId: plan.planId })).rejects.toThrow('being applied')
    c.wire.close()
    await expect.poll(() => c.server.records.size).toBe(0)
  })
})

describe('undo', () => {
  it('restores the locks of a plan by a plan, where the name is still free', async () => {
    const c = await planning()
    for (const name of ['one', 'two', 'three']) c.hold(name)
    const records = new Map(c.server.records)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    await expect.poll(() => screen.known.plan?.undoUntil).toBeGreaterThan(Date.now() + 14 * 60_000)
    c.hold('two', 'another run')
    const back = await c.ask('plans.undo', { of: plan.planId })
    expect(back).toMatchObject({ kind: 'restore', undoes: plan.planId, count: 3 })
    await expect(c.apply(back, { confirm: [`Orders 2-${back.code}`] })).rejects.toThrow('REFUSED')
    await c.apply(back)
    const undone = c.follow(back.planId)
    await expect.poll(undone.state).toBe('done')
    expect(undone.outcomes()).toEqual({
      'acme:one': 'restored',
      'acme:two': 'taken',
      'acme:three': 'restored',
    })
    expect(c.runOf('two')).toBe('another run')
    expect(c.server.records.get('acme:one')).toEqual(records.get('acme:one'))
  })

  it('undoes a single release', async () => {
    const c = await planning()
    c.hold('one')
    const { planId } = await c.ask('plans.create', { storeIds: [c.storeId] })
    const screen = c.follow(planId)
    await expect.poll(() => screen.known.entries.length).toBe(1)
    const [{ id = '', fence = '' } = {}] = screen.known.entries
    const { action, undoUntil } = await c.ask('locks.release', { storeId: c.storeId, id, fence })
    expect(undoUntil).toBeGreaterThan(Date.now())
    expect(c.server.records.size).toBe(0)
    const back = await c.ask('plans.undo', { of: action })
    await c.apply(back)
    await expect.poll(() => c.runOf('one')).toBe('run-one')
  })

  it('has a time limit, after which its copies are deleted', async () => {
    let laterMs = 0
    const c = await planning({ undoNow: () => Date.now() + laterMs })
    c.hold('one', 'a token that nobody should find')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    const back = await c.ask('plans.undo', { of: plan.planId })
    laterMs = 15 * MINUTE
    await expect(c.ask('plans.undo', { of: plan.planId })).rejects.toThrow('nothing to undo')
    await c.apply(back)
    const undone = c.follow(back.planId)
    await expect.poll(undone.state).toBe('stopped')
    expect(undone.outcomes()).toEqual({ 'acme:one': 'failed' })
    expect(c.server.records.size).toBe(0)
    await c.ask('plans.remove', { planId: plan.planId })
    await c.ask('plans.remove', { planId: back.planId })
    expect(everythingIn(c.folder)).not.toContain('a token that nobody should find')
  })

  it('is offered in a window that is no whole number of milliseconds', async () => {
    const c = await planning({ undoWindowMs: MINUTE + 0.5, plans: { comeBackMs: 20 } })
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    expect(screen.known.plan?.undoUntil).toBeGreaterThan(Date.now())
  })

  it('keeps no copies with a window of zero', async () => {
    const c = await planning({ undoWindowMs: 0, plans: { comeBackMs: 20 } })
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    await expect.poll(() => c.server.records.size).toBe(0)
    await expect(c.ask('plans.undo', { of: plan.planId })).rejects.toThrow('This console keeps no copies')
  })
})
