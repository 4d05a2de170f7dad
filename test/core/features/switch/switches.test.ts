import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FolderLock } from '../../../../electron/core/files/folder-lock.ts'
import type { StreamEvent } from '../../../../shared/contract.ts'
import { SWITCH_STEPS } from '../../../../shared/switch.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { auditLines, auditText } from '../audit/lines.ts'
import { openConsole, profile } from '../console.ts'
import { envFile, switching } from './switching.ts'
import { acquireUntil, workPlace } from './work-places.ts'

/** What a screen is told that opens now. */
function firstLook({ client, switchId }: Awaited<ReturnType<typeof switching>>) {
  return new Promise<StreamEvent<'switch.watch'>>(resolve => {
    const leave = client.open(
      'switch.watch',
      { switchId },
      event => {
        resolve(event)
        leave()
      },
      () => {},
    )
  })
}

async function heldByAnother(path: string) {
  let free = () => {}
  let held: Promise<void> | undefined
  await new Promise<void>(taken => {
    held = new FolderLock(path, 5000).run(
      () =>
        new Promise<void>(resolve => {
          free = resolve
          taken()
        }),
    )
  })
  return {
    free: () => {
      free()
      return held
    },
  }
}

const places = () => Promise.all([workPlace('redis'), workPlace('mysql')])

describe('a switch', () => {
  it('continues at its step in the next console, at every step', async () => {
    const [from, to] = await places()
    await from.hold('LEFT', 'dead', -60_000)
    const folder = dataFolder()
    const file = envFile('LOCK_PROVIDER=redis\n')
    const ids = new Set<string>()
    for (const step of SWITCH_STEPS) {
      const s = await switching(from, to, folder)
      ids.add(s.switchId)
      expect((await s.run()).step).toBe(step)
      if (step === 'change') await s.changeEnv(file)
      if (step === 'clean') await s.clean()
      if (step === 'restart') await acquireUntil(to, () => s.check('restart') === 'met')
      await s.go(step)
      await s.close()
    }
    expect(ids.size).toBe(1)
    const last = openConsole(folder)
    expect(await last.ask('switch.list', {})).toMatchObject([
      { ended: { how: 'finished' }, passed: SWITCH_STEPS.map(step => ({ step, checked: true })) },
    ])
  })

  it('is listed in a console where its stores are not open, with unknown checks', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    await s.go('understand')
    const { switchId, folder } = s
    await s.close()
    const other = openConsole(folder)
    const [run] = await other.ask('switch.list', {})
    expect(run).toMatchObject({ step: 'stop', from: { storeId: null, address: from.address } })
    await expect(other.ask('switch.pass', { switchId, step: 'stop' })).rejects.toThrow(
      /REFUSED: The check of this step is not met: .* is not open here/,
    )
    await expect(other.ask('switch.plan', { switchId })).rejects.toThrow('not open here')
  })

  it('is the same switch in two consoles that share a folder', async () => {
    const [from, to] = await places()
    const one = await switching(from, to)
    const two = await switching(from, to, one.folder)
    expect(two.switchId).toBe(one.switchId)
    await one.go('understand')
    await two.until(() => two.seen().run.step, 'stop')
    await expect(two.pass('understand')).rejects.toThrow('at another step now')
    // Both consoles see the same stray; it is kept once.
    await two.pass('stop', 'they are down')
    await one.until(() => one.seen().run.step, 'drain')
    await from.hold('GPS', 'w1')
    await one.until(() => one.seen().run.strays.length, 1)
    await two.until(() => two.seen().run.strays.length, 1)
    await one.until(() => one.check('drain'), 'not-yet')
    expect((await one.run()).strays).toMatchObject([{ key: 'lockRecharge:GPS' }])
  })

  it('shows a stray only once it is kept, so a killed console loses nothing it showed', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    await s.go('understand', 'stop')
    const kept = () => readFileSync(join(s.folder, 'switches.json'), 'utf8').includes('lockRecharge:GPS')
    const told = () => s.seen().run.strays.length
    const file = await heldByAnother(join(s.folder, 'switches.lock'))
    await from.hold('GPS', 'w1')
    let first = await firstLook(s)
    const arrived = async () => {
      first = await firstLook(s)
      return first.now.arrivals.length
    }
    await s.until(arrived, 1)
    expect([first.run.strays, (await s.run()).strays, told(), kept()]).toEqual([[], [], 0, false])
    // A stray is shown even if the file cannot be written.
    await s.until(told, 1)
    expect(kept()).toBe(false)
    await file.free()
    await s.until(kept, true)
    expect((await s.run()).strays).toMatchObject([{ key: 'lockRecharge:GPS' }])
  })

  it('is refused where there is nothing to switch', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    const add = async (address: string) =>
      (await s.ask('stores.add', { profile: profile({ name: address.slice(0, 20), address }) })).storeId
    const begin = (fromStoreId: string, toStoreId: string) =>
      s.ask('switch.begin', { fromStoreId, toStoreId })
    await expect(begin(s.fromStoreId, s.fromStoreId)).rejects.toThrow('same place')
    await expect(begin(s.fromStoreId, await add(`${from.address}?match=lockRecharge:*`))).rejects.toThrow(
      'same place',
    )
    await expect(begin(s.fromStoreId, await add('memory:orders'))).rejects.toThrow('no provider to configure')
    await expect(begin(s.toStoreId, s.fromStoreId)).rejects.toThrow('in the other direction')
    await expect(begin(s.fromStoreId, 'nothing')).rejects.toThrow('NOT_FOUND')
  })

  it('to another server of the same kind leaves LOCK_PROVIDER alone', async () => {
    const [from, to] = await Promise.all([workPlace('redis'), workPlace('redis')])
    const s = await switching(from, to)
    for (const step of ['understand', 'stop', 'drain'] as const) await s.go(step)
    await s.until(() => s.check('change'), 'unknown')
    await expect(s.changeEnv(envFile('LOCK_PROVIDER=redis\n'))).rejects.toThrow('does not change')
    await expect(s.pass('change')).rejects.toThrow('REFUSED')
    await s.pass('change', 'REDIS_HOST was changed')
    expect(await s.report('md')).toContain('stays as it is')
  })
})

describe('a step', () => {
  it('without a met check is passed only with a reason, and both are in the audit log', async () => {
    const [from, to] = await places()
    await from.hold('GPS')
    const s = await switching(from, to)
    await s.go('understand', 'stop')
    await s.until(() => s.check('drain'), 'not-yet')
    await expect(s.pass('drain')).rejects.toThrow(/1 lock is held .* give a reason/)
    await expect(s.pass('drain', '   ')).rejects.toThrow('give a reason')
    expect((await s.run()).step).toBe('drain')
    await s.pass('drain', 'its machine is gone')
    expect((await s.run()).passed.at(-1)).toMatchObject({
      ...{ step: 'drain', checked: false, reason: 'its machine is gone', fromHeld: 1, toHeld: 0 },
    })
    const audit = auditText(s.folder)
    expect(audit).toMatch(/"method":"switch.pass"[^\n]*"checked":false,"reason":"its machine is gone"/)
    expect(audit).toMatch(/"method":"switch.pass"[^\n]*"code":"REFUSED"/)
  })

  it('can be gone back to, but not forward', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    await s.go('understand', 'stop', 'drain')
    await expect(s.ask('switch.back', { switchId: s.switchId, step: 'verify' })).rejects.toThrow('earlier')
    await s.ask('switch.back', { switchId: s.switchId, step: 'stop' })
    await s.go('stop', 'drain')
    const run = await s.run()
    expect(run.passed.map(({ step }) => step)).toEqual(['understand', 'stop', 'drain', 'stop', 'drain'])
    expect(run.step).toBe('change')
  })

  it.each(['restart', 'drain'] as const)(
    'that was gone back to, %s, waits for the workers to start again, in every console',
    async step => {
      const [from, to] = await places()
      const one = await switching(from, to)
      const two = await switching(from, to, one.folder)
      const until = SWITCH_STEPS.indexOf('restart')
      for (const each of SWITCH_STEPS.slice(0, until)) await one.pass(each, 'x')
      await acquireUntil(to, () => one.check('restart') === 'met')
      await one.go('restart')
      await two.until(() => [two.seen().run.step, two.check('restart')], ['verify', 'met'])
      await two.ask('switch.back', { switchId: two.switchId, step })
      for (const each of SWITCH_STEPS.slice(SWITCH_STEPS.indexOf(step), until)) await two.pass(each, 'x')
      for (const s of [one, two]) {
        await s.until(() => [s.seen().run.step, s.check('restart')], ['restart', 'not-yet'])
        expect(s.seen().now.firstArrivalInNewAt).toBeNull()
      }
      expect((await one.run()).wentBack).toMatchObject([{ step }])
      const refusal = () => one.pass('restart').then(() => 'passed', String)
      await one.until(refusal, expect.stringContaining('but may have been acquired before this step'))
      await acquireUntil(to, () => one.check('restart') === 'met')
      await one.go('restart')
    },
  )

  it('changes the file only when it is the current step', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    const file = envFile('LOCK_PROVIDER=redis\n')
    await expect(s.changeEnv(file)).rejects.toThrow('at another step')
    expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=redis\n')
    await s.pass('understand', 'x')
    await s.pass('stop', 'x')
    await s.pass('drain', 'x')
    // Another program changes the file: the check turns as well.
    await s.ask('switch.envPreview', { switchId: s.switchId, file })
    await s.until(() => s.check('change'), 'not-yet')
    writeFileSync(file, 'LOCK_PROVIDER=mysql\n')
    await s.go('change')
    expect((await s.run()).envChanges).toEqual([])
  })
})

it('a store that was closed starts its quiet time again', async () => {
  const [from, to] = await places()
  const s = await switching(from, to)
  await s.met('stop')
  const before = s.seen().now.watchedSince ?? 0
  await s.ask('stores.setOpen', { storeId: s.fromStoreId, open: false })
  await s.until(() => s.check('stop'), 'unknown')
  expect(s.seen().now).toMatchObject({ watchedSince: null, from: { status: 'closed', held: null } })
  expect(s.seen().run.from.storeId).toBeNull()
  await s.ask('stores.setOpen', { storeId: s.fromStoreId, open: true })
  await s.met('stop')
  expect(s.seen().now.watchedSince).toBeGreaterThan(before)
})

describe('a switch that is abandoned', () => {
  it('keeps the reason, goes no further, and lets another switch start', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    await s.go('understand')
    const { switchId } = s
    await expect(s.ask('switch.abandon', { switchId, reason: ' ' })).rejects.toThrow('reason')
    await s.ask('switch.abandon', { switchId, reason: 'the new server is too small' })
    await expect(s.pass('stop', 'x')).rejects.toThrow('abandoned already')
    await expect(s.clean()).rejects.toThrow('abandoned already')
    expect((await s.begin()).switchId).not.toBe(switchId)
    expect(await s.report('md')).toContain('the new server is too small')
    expect(auditText(s.folder)).toMatch(/"method":"switch.abandon"[^\n]*too small/)
  })
})

describe('when the audit log cannot be written', () => {
  it('no step is passed without its check, and no file is changed', async () => {
    const [from, to] = await places()
    const folder = dataFolder()
    mkdirSync(join(folder, 'audit-000001.jsonl'))
    const file = envFile('LOCK_PROVIDER=redis\n')
    const s = await switching(from, to, folder)
    await s.go('understand', 'stop')
    await from.hold('GPS')
    await s.until(() => s.check('drain'), 'not-yet')
    await expect(s.pass('drain', 'its machine is gone')).rejects.toThrow('AUDIT_FAILED')
    expect((await s.run()).step).toBe('drain')
    await from.free('GPS')
    await s.go('drain')
    await expect(s.changeEnv(file)).rejects.toThrow('AUDIT_FAILED')
    expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=redis\n')
    expect(readdirSync(join(file, '..'))).toEqual(['.env'])
  })
})

it('records the copy and the old value of a changed file even if switches.json cannot be written', async () => {
  const [from, to] = await places()
  const s = await switching(from, to)
  for (const step of ['understand', 'stop', 'drain'] as const) await s.pass(step, 'x')
  const file = envFile('LOCK_PROVIDER=redis\n')
  const preview = await s.ask('switch.envPreview', { switchId: s.switchId, file })
  // A folder in place of its lock: nobody can write to it.
  mkdirSync(join(s.folder, 'switches.lock'))
  const digest = preview?.digest ?? ''
  await expect(s.ask('switch.envChange', { switchId: s.switchId, file, digest })).rejects.toThrow(
    /The file was changed \(its copy is .*cannot be written/,
  )
  expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=mysql\n')
  const lines = auditLines(s.folder).filter(({ method }) => method === 'switch.envChange')
  expect(lines).toMatchObject([
    { event: 'settings', file, after: 'mysql' },
    { event: 'settings', file, after: 'mysql', before: 'redis', outcome: 'changed' },
    { event: 'settings', file, error: { code: 'REFUSED' } },
  ])
  expect(readFileSync(String(lines[1]?.['copy']), 'utf8')).toBe('LOCK_PROVIDER=redis\n')
})

describe('what is kept', () => {
  it('is read even if an earlier version wrote it', async () => {
    const [from, to] = await places()
    const s = await switching(from, to)
    await s.go('understand')
    await s.close()
    const path = join(s.folder, 'switches.json')
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    for (const run of kept.runs) delete run.wentBack
    writeFileSync(path, JSON.stringify(kept))
    const console = openConsole(s.folder)
    expect(await console.ask('switch.list', {})).toMatchObject([{ step: 'stop', wentBack: [] }])
    const back = await console.ask('switch.back', { switchId: s.switchId, step: 'understand' })
    expect(back).toMatchObject({ step: 'understand', wentBack: [{ step: 'understand' }] })
  })

  it('is not overwritten if it cannot be parsed', async () => {
    const [from, to] = await places()
    const folder = dataFolder()
    const path = join(folder, 'switches.json')
    writeFileSync(path, '{"version":1,"runs":[')
    const console = openConsole(folder, { stores: [from.address, to.address] })
    const ids = () => console.list()?.stores.map(({ storeId }) => storeId) ?? []
    await expect.poll(() => ids().length).toBe(2)
    const [fromStoreId = '', toStoreId = ''] = ids()
    await expect
      .poll(() => console.ask('switch.begin', { fromStoreId, toStoreId }).then(() => 'begun', String))
      .toMatch(/REFUSED.*could not be understood/)
    expect(readFileSync(path, 'utf8')).toBe('{"version":1,"runs":[')
  })
})
