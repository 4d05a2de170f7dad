import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { PlanFile, readPlan } from '../../../../electron/core/features/plans/plan-file.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { openConsole } from '../console.ts'
import { followPlan, planning } from './planning.ts'

it('resumes from what another console has done with the same plan', async () => {
  const folder = dataFolder()
  const c = await planning({}, folder)
  for (const name of ['one', 'two', 'three']) c.hold(name)
  const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
  const other = openConsole(folder, {}, { plans: { comeBackMs: 20 } })
  const elsewhere = followPlan(other, plan.planId)
  const asked = { planId: plan.planId, confirm: ['Orders 3'], reason: 'first' }
  await expect.poll(() => other.client.call('plans.apply', asked)).toMatchObject({ ok: true })
  await expect.poll(elsewhere.state).toBe('done')
  await other.close()

  await c.apply(plan)
  const here = c.follow(plan.planId)
  await expect.poll(here.state).toBe('done')
  expect(new Set(Object.values(here.outcomes()))).toEqual(new Set(['released']))
})

it('cuts off only the partial line that a dead process left', async () => {
  const c = await planning()
  c.hold('one')
  const { file: path } = await c.ask('plans.create', { storeIds: [c.storeId] })
  const { file } = await PlanFile.read(path)
  const other = (await PlanFile.read(path)).file
  await other.append([{ is: 'try', at: 1, places: [0] }])
  appendFileSync(path, '{"is":"results","res')
  await file.append([{ is: 'end', at: 2, troubles: [] }])
  expect((await readPlan(readFileSync(path, 'utf8'))).journal.map(({ is }) => is)).toEqual(['try', 'end'])
})

it('reads the exclusions of a plan file that calls them strikes', async () => {
  const c = await planning()
  c.hold('one')
  const { file: path } = await c.ask('plans.create', { storeIds: [c.storeId] })
  const strikes = [{ by: 'lock', value: '0' }]
  const by = { user: 'ana', host: 'desk', pid: 1 }
  appendFileSync(path, `${JSON.stringify({ is: 'strike', at: 1, by, strikes, struck: true })}\n`)
  const { journal } = await readPlan(readFileSync(path, 'utf8'))
  expect(journal).toEqual([{ is: 'exclude', at: 1, by, exclusions: strikes, excluded: true }])
})

it('refuses a file whose id leads out of its folder, with a matching digest', async () => {
  const c = await planning()
  c.hold('one')
  const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
  const [header = '', entry = ''] = readFileSync(plan.file, 'utf8').split('\n')
  for (const changed of [
    header.replace(plan.planId, '../x'),
    header.replace('"undoes":null', '"undoes":"../x"'),
  ]) {
    const frozen = createHash('sha256').update(`${changed}\n${entry}\n`).digest('hex')
    const text = `${changed}\n${entry}\n${JSON.stringify({ frozen })}\n`
    await expect(c.ask('plans.import', { text })).rejects.toThrow('BAD_INPUT')
  }
})
