import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { holdOwner } from '../../../../shared/hold-words.ts'
import { SWITCH_STEPS } from '../../../../shared/switch.ts'
import { countOf } from '../../../../shared/switch-steps.ts'
import { QUIET_MS, switching } from './switching.ts'
import { acquireUntil, workPlace } from './work-places.ts'

const places = () => Promise.all([workPlace('redis'), workPlace('mysql')])

it('a maintenance hold that is renewed in the old store blocks no step but clean', async () => {
  const [from, to] = await places()
  const s = await switching(from, to)
  await s.go('understand')
  const renew = () => from.hold('GPS', holdOwner('ana', 'desk', '0a1b2c3d4e5f'))
  await renew()
  await s.until(() => s.seen().now.from.holds, 1)
  await s.until(() => renew().then(() => s.check('stop')), 'met')
  expect(s.seen().now.arrivals).toEqual([])
  await s.go('stop', 'drain')
  expect(s.seen().now.remaining).toMatchObject([{ why: 'hold', holder: 'maintenance hold of ana@desk' }])
  await s.pass('change', 'elsewhere')
  await expect(s.pass('clean')).rejects.toThrow('a maintenance hold that has to be released')
  await from.free('GPS')
  await s.go('clean')
})

it.each([
  ['redis', 'mysql'],
  ['mysql', 'redis'],
  ['mysql', 'dynamodb'],
] as const)(
  'one lock that is acquired right after the step and renewed ends a switch from %s to %s',
  async (...kinds) => {
    const [from, to] = await Promise.all(kinds.map(workPlace))
    if (!from || !to) throw new Error('no place')
    const s = await switching(from, to)
    for (const step of SWITCH_STEPS.slice(0, SWITCH_STEPS.indexOf('restart'))) await s.pass(step, 'x')
    const renew = () => to.hold('NIGHTLY', 'w2')
    await renew()
    await s.until(() => renew().then(() => s.check('restart')), 'met')
    expect(await to.names()).toEqual(['NIGHTLY'])
    await s.go('restart', 'verify')
    expect((await s.run()).ended).toMatchObject({ how: 'finished', reason: null })
  },
)

describe('a job that still has the old provider during verify', () => {
  async function verified() {
    const [from, to] = await places()
    const one = await switching(from, to)
    for (const step of SWITCH_STEPS.slice(0, -1)) await one.pass(step, 'x')
    await acquireUntil(to, () => one.check('restart') === 'met')
    await from.hold('NIGHTLY', 'w1')
    await one.until(() => one.seen().run.strays.length, 1)
    await from.free('NIGHTLY')
    await one.until(() => one.seen().now.from.held, 0)
    return { from, to, one }
  }
  /** However long it is quiet: some looks later than that would be enough otherwise. */
  const quiet = async ({ seen, until }: Awaited<ReturnType<typeof switching>>) => {
    const since = seen().now.at
    await until(() => seen().now.at - since > 3 * QUIET_MS, true)
  }

  it('blocks the end of the switch until the workers were stopped again', async () => {
    const { to, one } = await verified()
    await quiet(one)
    expect(one.check('verify')).toBe('not-yet')
    await expect(one.pass('verify')).rejects.toThrow(/lockRecharge:NIGHTLY was acquired in .* go back to/)
    await one.ask('switch.back', { switchId: one.switchId, step: 'stop' })
    await one.until(() => [one.seen().run.step, one.check('restart')], ['stop', 'not-yet'])
    await one.go('stop', 'drain')
    await one.pass('change', 'elsewhere')
    await one.go('clean')
    await acquireUntil(to, () => one.check('restart') === 'met')
    await one.go('restart', 'verify')
    expect((await one.run()).ended).toMatchObject({ how: 'finished', reason: null })
    expect(await one.report('md')).not.toContain('finished although')
  })

  it('opens the report of a switch that was finished anyway', async () => {
    const { one } = await verified()
    await one.pass('verify', 'it was started by hand')
    expect((await one.run()).passed.at(-1)).toMatchObject({ step: 'verify', checked: false })
    expect(await one.report('md')).toContain('This switch was finished although 1 lock was acquired')
  })

  it('is not missed if another console saw it first', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    for (const step of SWITCH_STEPS.slice(0, -1)) await s.pass(step, 'x')
    await acquireUntil(to, () => s.check('restart') === 'met')
    await s.met('verify')
    const path = join(s.folder, 'switches.json')
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    kept.runs[0].strays = [{ key: 'k', holder: 'w1', at: Date.now() }]
    writeFileSync(path, JSON.stringify(kept))
    await expect(s.pass('verify')).rejects.toThrow('REFUSED')
    expect((await s.run()).ended).toBeNull()
  })
})

it('counts the strays that do not fit into one answer', async () => {
  const [from, to] = await places()
  const s = await switching(from, to)
  const path = join(s.folder, 'switches.json')
  const kept = JSON.parse(readFileSync(path, 'utf8'))
  const at = Date.now()
  kept.runs[0].strays = Array.from({ length: 400 }, (_, i) => ({
    key: `${i}${'k'.repeat(2000)}`,
    holder: 'w1',
    at,
  }))
  writeFileSync(path, JSON.stringify(kept))
  await expect.poll(async () => countOf(await s.run(), 'strays')).toBe(400)
  expect((await s.run()).strays.length).toBeLessThan(400)
})
