import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TrustedKeys } from '../../../../electron/core/features/keys/trusted-keys.ts'
import { PlanFile } from '../../../../electron/core/features/plans/plan-file.ts'
import { lockPlan } from '../../../../electron/core/features/plans/plan-lock.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { parseAddress, shortName } from '../../../../shared/address.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { redisPlace } from '../../stores/redis/place.ts'
import { openConsole, profile } from '../console.ts'
import { followPlan, MINUTE, planning, trust } from './planning.ts'

const OWN = { plans: { comeBackMs: 20 } }

/** Two consoles on one data folder, as a window and a browser may be. */
async function twoConsoles(more = OWN) {
  const folder = dataFolder()
  const c = await planning(more, folder)
  const other = openConsole(folder, {}, more)
  await expect.poll(() => other.list()?.stores.filter(({ revision }) => revision > 0).length).toBe(1)
  return { c, other }
}

describe('a plan that several consoles share', () => {
  it('is confirmed in its current state, not as this console remembers it', async () => {
    const { c, other } = await twoConsoles()
    for (let i = 0; i < 20; i++) c.hold(`job-${i}`, `run-${i}`, 5 * MINUTE, i < 15 ? 'ana' : 'ben')
    const { planId } = await c.ask('plans.create', { storeIds: [c.storeId] })
    const exclusions = [{ by: 'holder' as const, value: 'ana' }]
    const { progress, code } = await c.ask('plans.exclude', { planId, exclusions, excluded: true })
    expect(progress.total).toBe(5)
    expect((await other.ask('plans.exclude', { planId, exclusions, excluded: false })).progress.total).toBe(
      20,
    )
    const confirm = [`Orders 5-${code}`]
    await expect(c.ask('plans.apply', { planId, confirm, reason: 'stuck' })).rejects.toThrow('"Orders 20-')
    expect(c.server.records.size).toBe(20)
  })

  it('releases as many locks as were confirmed, whenever another screen includes locks again', async () => {
    for (let delay = 0; delay < 12; delay++) {
      const c = await planning()
      for (let i = 0; i < 20; i++) c.hold(`job-${i}`, `run-${i}`, 5 * MINUTE, i < 15 ? 'ana' : 'ben')
      const { planId } = await c.ask('plans.create', { storeIds: [c.storeId] })
      const exclusions = [{ by: 'holder' as const, value: 'ana' }]
      const { code } = await c.ask('plans.exclude', { planId, exclusions, excluded: true })
      const [applied, excluded] = await Promise.all([
        c.client.call('plans.apply', { planId, confirm: [`Orders 5-${code}`], reason: 'stuck' }),
        new Promise(resolve => setTimeout(resolve, delay)).then(() =>
          c.client.call('plans.exclude', { planId, exclusions, excluded: false }),
        ),
      ])
      expect([applied.ok, excluded.ok].filter(Boolean)).toHaveLength(1)
      if (applied.ok) await expect.poll(c.follow(planId).state).toBe('done')
      expect(c.server.records.size).toBe(applied.ok ? 15 : 20)
    }
  })

  it('is neither removed nor changed while another console applies it, nor changed afterwards', async () => {
    const { c, other } = await twoConsoles()
    for (let i = 0; i < 30; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 20 })
    const { planId } = plan
    const exclusions = [{ by: 'format' as const, value: 'tenant-pipeline' }]
    await expect(other.ask('plans.remove', { planId })).rejects.toThrow('being changed or applied by process')
    await expect(other.ask('plans.exclude', { planId, exclusions, excluded: true })).rejects.toThrow(
      'REFUSED',
    )
    await c.ask('plans.steer', { planId, rate: 10_000 })
    const screen = c.follow(planId)
    await expect.poll(screen.state).toBe('done')
    await expect
      .poll(() => other.client.call('plans.exclude', { planId, exclusions, excluded: true }))
      .toMatchObject({
        ok: false,
        error: { message: 'This plan was already applied: it can no longer be changed' },
      })
    expect(screen.known.plan?.progress.counts.released).toBe(30)
    expect(existsSync(plan.file)).toBe(true)
  })

  it('is unlocked when its console closes, and taken over from a dead one', async () => {
    const { c } = await twoConsoles()
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    const path = `${plan.file}.applying`
    // Its process number was reused since: by us.
    const dead = { pid: process.pid, host: hostname(), place: '', started: 'long ago', turn: 'f'.repeat(32) }
    const { myMark } = await import('../../../../electron/core/files/process-mark.ts')
    writeFileSync(path, JSON.stringify({ ...dead, place: (await myMark()).place }))
    await (await lockPlan(plan.file))()
    expect(existsSync(path)).toBe(false)
    // One on another machine is left alone while it gives signs of life.
    writeFileSync(path, JSON.stringify({ ...dead, host: 'elsewhere', place: 'elsewhere' }))
    await expect(lockPlan(plan.file)).rejects.toThrow('on elsewhere')
    const { utimesSync } = await import('node:fs')
    utimesSync(path, new Date(Date.now() - 90_000), new Date(Date.now() - 90_000))
    const letGo = await lockPlan(plan.file)
    await expect(lockPlan(plan.file)).rejects.toThrow(`process ${process.pid}`)
    await letGo()
    await c.apply(plan, { rate: 10_000 })
    await c.close()
    expect(existsSync(path)).toBe(false)
  })

  it('is taken over from a dead console by exactly one of many', async () => {
    const { c } = await twoConsoles()
    c.hold('one')
    const { file } = await c.ask('plans.create', { storeIds: [c.storeId] })
    const { myMark } = await import('../../../../electron/core/files/process-mark.ts')
    for (let round = 0; round < 20; round++) {
      const turn = round.toString(16).padStart(32, '0')
      writeFileSync(`${file}.applying`, JSON.stringify({ ...(await myMark()), started: 'long ago', turn }))
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => lockPlan(file)))
      const unlocks = answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
      expect(unlocks).toHaveLength(1)
      await unlocks[0]?.()
    }
    expect(readdirSync(dirname(file)).filter(name => name.includes('.applying'))).toEqual([])
  })

  it('continues from an imported file with a longer journal, and refuses a different plan with its id', async () => {
    const folder = dataFolder()
    const c = await planning(OWN, folder)
    c.hold('one')
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    const fresh = readFileSync(plan.file, 'utf8')
    const other = await planning()
    await other.ask('stores.add', { profile: profile({ name: 'There', address: c.address }) })
    await trust(other, c)
    await trust(c, other)
    const there = await other.ask('plans.import', { text: fresh })
    await other.apply(there)
    const screen = other.follow(there.planId)
    await expect.poll(screen.state).toBe('done')
    const applied = readFileSync(there.file, 'utf8')
    const back = await c.ask('plans.import', { text: applied })
    expect(back.progress).toMatchObject({ state: 'done', counts: { released: 1 } })
    expect((await c.ask('plans.import', { text: fresh })).progress.state).toBe('done')
    c.hold('two')
    const second = await c.ask('plans.create', { storeIds: [c.storeId] })
    const forged = readFileSync(second.file, 'utf8').replaceAll(second.planId, plan.planId)
    await expect(c.ask('plans.import', { text: forged })).rejects.toThrow(/BAD_INPUT|REFUSED/)
  })
})

describe('the rules of a store', () => {
  it('apply to a plan while its connection is being tested', async () => {
    const place = await redisPlace()
    await place.client.set(
      'lockRecharge:one',
      JSON.stringify({ lockId: 'w', pid: 1, timestamp: 1, expiresAt: 4e12 }),
    )
    const maker = openConsole(dataFolder(), {}, OWN)
    const made = await maker.ask('stores.add', { profile: profile({ name: 'x', address: place.address }) })
    const { file } = await maker.ask('plans.create', { storeIds: [made.storeId] })
    const c = openConsole(dataFolder(), {}, OWN)
    const rules = profile({ name: 'Prod', address: place.address, production: true, readOnly: true })
    await c.ask('stores.add', { profile: rules })
    await trust(c, maker)
    const { planId, code } = await c.ask('plans.import', { text: readFileSync(file, 'utf8') })
    let refused = 0
    const tests = (async () => {
      for (let i = 0; i < 10; i++) await c.ask('stores.test', { profile: rules })
    })()
    for (let i = 0; i < 40; i++) {
      for (const name of ['x', 'Prod', shortName(parseAddress(place.address))])
        await c
          .ask('plans.apply', { planId, confirm: [`${name} 1-${code}`], reason: 'r' })
          .catch(() => refused++)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    await tests
    expect(refused).toBe(120)
    expect(await place.client.exists('lockRecharge:one')).toBe(1)
  })

  it('stop a running plan when its store is set to read-only', async () => {
    const c = await planning()
    for (let i = 0; i < 60; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 20 })
    const screen = c.follow(plan.planId)
    await expect.poll(() => screen.known.plan?.progress.counts.released).toBeGreaterThan(0)
    await c.ask('stores.edit', {
      storeId: c.storeId,
      profile: profile({ address: c.address, readOnly: true }),
    })
    await expect.poll(screen.state).toBe('stopped')
    const left = c.server.records.size
    expect(left).toBeGreaterThan(20)
    expect(screen.known.plan?.progress.troubles[0]?.error.message).toContain('read-only')
    await new Promise(resolve => setTimeout(resolve, 500))
    expect(c.server.records.size).toBe(left)
  })
})

describe('an undo', () => {
  async function released(names: readonly string[], more = {}, folder?: string) {
    const c = await planning({ ...OWN, ...more }, folder)
    for (const name of names) c.hold(name)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan)
    const screen = c.follow(plan.planId)
    await expect.poll(screen.state).toBe('done')
    return { c, plan }
  }

  it('never restores a lock again after an attempt with unknown outcome', async () => {
    const folder = dataFolder()
    const { c, plan } = await released(['one', 'two'], {}, folder)
    const back = await c.ask('plans.undo', { of: plan.planId })
    await c.close()
    // A process was killed after it restored the first one, whose holder has released it since.
    const by = { user: 'u', host: 'h', pid: 1 }
    const { file } = await PlanFile.read(back.file, { keys: new TrustedKeys(folder) })
    await file.append([
      { is: 'apply', at: 1, by, action: 'a', reason: 'r', rate: null },
      { is: 'try', at: 2, places: [0] },
    ])
    const again = openConsole(folder, {}, OWN)
    await expect.poll(() => again.list()?.stores[0]?.revision).toBeGreaterThan(0)
    await again.ask('plans.apply', {
      planId: back.planId,
      confirm: [`Orders 2-${back.code}`],
      reason: 'go on',
    })
    const screen = followPlan(again, back.planId)
    await expect.poll(screen.state).toBe('stopped')
    expect(screen.outcomes()).toEqual({ 'acme:one': 'failed', 'acme:two': 'restored' })
    expect([...c.server.records.keys()]).toEqual(['acme:two'])
  })

  it('restores a lock by one plan only, even if two were made', async () => {
    const { c, plan } = await released(['one'])
    const [first, second] = [
      await c.ask('plans.undo', { of: plan.planId }),
      await c.ask('plans.undo', { of: plan.planId }),
    ]
    await c.apply(first)
    await expect.poll(() => c.server.records.size).toBe(1)
    // Its holder is alive after all, and releases it.
    c.server.records.clear()
    await c.apply(second)
    const screen = c.follow(second.planId)
    await expect.poll(screen.state).toBe('stopped')
    expect(screen.outcomes()).toEqual({ 'acme:one': 'failed' })
    expect(c.server.records.size).toBe(0)
  })

  it('restores nothing from copies that were edited, exchanged or made elsewhere', async () => {
    const folder = dataFolder()
    const { c, plan } = await released(['one'], {}, folder)
    c.hold('two')
    const other = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(other)
    await expect.poll(() => c.server.records.size).toBe(0)
    const elsewhere = await released(['one'], {}, dataFolder())
    const pathOf = (data: string, { planId }: { planId: string }) => join(data, 'undo', `${planId}.jsonl`)
    const path = pathOf(folder, plan)
    const text = readFileSync(path, 'utf8')
    const unsigned = text.replaceAll(/,"sign":"\w+"/g, '')
    const forgeries = [
      text.replaceAll('run-one', 'run-bad'),
      unsigned,
      readFileSync(pathOf(folder, other), 'utf8'),
      readFileSync(pathOf(elsewhere.c.folder, elsewhere.plan), 'utf8'),
    ]
    for (const forgery of forgeries) {
      expect(forgery).not.toBe(text)
      writeFileSync(path, forgery)
      await expect(c.ask('plans.undo', { of: plan.planId })).rejects.toThrow('REFUSED')
    }
    writeFileSync(path, text)
    await c.apply(await c.ask('plans.undo', { of: plan.planId }))
    await expect.poll(() => c.runOf('one')).toBe('run-one')
  })

  it('keeps its copies for the promised time, whatever the window of another process', async () => {
    const folder = dataFolder()
    const { c, plan } = await released(['one'], {}, folder)
    const copies = join(folder, 'undo', `${plan.planId}.jsonl`)
    const other = openConsole(folder, {}, { undoWindowMs: 0 })
    await other.ask('plans.list', {})
    await other.close()
    expect(existsSync(copies)).toBe(true)
    const back = await c.ask('plans.undo', { of: plan.planId })
    await c.apply(back)
    await expect.poll(() => c.runOf('one')).toBe('run-one')
  })
})

it('names re-acquired locks of one store even if another can no longer be read', async () => {
  const c = await planning({ plans: { comeBackMs: 400, patienceMs: 1000 } })
  const dead = memoryServer('dies-later')
  acquirePipeline(dead, { tenant_id: 'a', pipeline_id: 'p', pipeline_logging_id: 'r', locked_by: 'x' })
  const other = await c.ask('stores.add', {
    profile: profile({ name: 'Dies', address: 'memory:dies-later' }),
  })
  c.hold('one')
  const record = c.server.records.get('acme:one')
  const plan = await c.ask('plans.create', { storeIds: [c.storeId, other.storeId] })
  await c.apply(plan)
  await expect.poll(() => c.server.records.size + dead.records.size).toBe(0)
  c.server.records.set('acme:one', record)
  dead.up = false
  const screen = c.follow(plan.planId)
  await expect.poll(() => screen.known.plan?.progress.returned).toBe(1)
  await expect.poll(screen.state).toBe('done')
  expect(screen.known.plan?.progress.troubles).toMatchObject([{ store: 1 }])
})
