import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openConsole } from '../console.ts'
import { planning, trust } from './planning.ts'

it('lists the files that are not used, each with its reason and what can be done here, and removes them', async () => {
  const there = await planning()
  there.hold('one')
  const foreign = await there.ask('plans.create', { storeIds: [there.storeId] })
  const p = await planning()
  p.hold('one')
  const make = () => p.ask('plans.create', { storeIds: [p.storeId] })
  const [open, kept, old, damaged] = [await make(), await make(), await make(), await make()]
  await trust(p, there, 'ana')
  await p.ask('plans.import', { text: readFileSync(foreign.file, 'utf8') })
  await p.ask('keys.forget', { name: 'ana' })
  chmodSync(open.file, 0o664)
  const edit = (file: string, from: string, to: string) =>
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  edit(old.file, '"version":2', '"version":1')
  edit(damaged.file, 'acme:one', 'acme:two')

  const c = openConsole(p.folder)
  const refused = await c.ask('plans.refused', {})
  expect(Object.fromEntries(refused.map(({ planId, reason }) => [planId, reason]))).toEqual({
    [open.planId]: `The plan file can be written by other users (mode 664), so it is not used: run chmod go-w ${open.file}`,
    [old.planId]: expect.stringContaining('an earlier version'),
    [damaged.planId]: expect.stringContaining('was modified'),
    [foreign.planId]: expect.stringContaining('not trusted here'),
  })
  expect(await c.ask('plans.list', {})).toMatchObject([{ planId: kept.planId }])
  for (const { planId } of refused) await c.ask('plans.remove', { planId })
  expect(await c.ask('plans.refused', {})).toEqual([])
  expect([open, old, damaged].filter(({ file }) => existsSync(file))).toEqual([])
  await expect(c.ask('plans.remove', { planId: open.planId })).rejects.toThrow('NOT_FOUND')
  expect(await c.ask('plans.list', {})).toMatchObject([{ planId: kept.planId }])
})

it('uses a file again once its mode is as it should be', async () => {
  const p = await planning()
  p.hold('one')
  const plan = await p.ask('plans.create', { storeIds: [p.storeId] })
  chmodSync(plan.file, 0o664)
  const c = openConsole(p.folder)
  expect(await c.ask('plans.refused', {})).toMatchObject([{ planId: plan.planId }])
  chmodSync(plan.file, 0o600)
  expect(await c.ask('plans.refused', {})).toEqual([])
  expect(await c.ask('plans.list', {})).toMatchObject([{ planId: plan.planId }])
})
