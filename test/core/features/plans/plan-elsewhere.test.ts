import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TrustedKeys } from '../../../../electron/core/features/keys/trusted-keys.ts'
import { PlanFile } from '../../../../electron/core/features/plans/plan-file.ts'
import { readPlan } from '../../../../electron/core/features/plans/plan-text.ts'
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
  const asked = { planId: plan.planId, confirm: [`Orders 3-${plan.code}`], reason: 'first' }
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
  const keys = new TrustedKeys(c.folder)
  const { file } = await PlanFile.read(path, { keys })
  const other = (await PlanFile.read(path, { keys })).file
  await other.append([{ is: 'try', at: 1, places: [0] }])
  await expect(file.append([{ is: 'end', at: 2, troubles: [] }])).rejects.toThrow(
    'another process has changed its file',
  )
  appendFileSync(path, '{"is":"end","at":1,"troubles":[]}\n{"is":"results","res')
  expect((await file.changed())?.journal.map(({ is }) => is)).toEqual(['try'])
  await file.append([{ is: 'returned', at: 2, places: [] }])
  const { contents } = await readPlan(readFileSync(path, 'utf8'), keys)
  expect(contents.journal.map(({ is }) => is)).toEqual(['try', 'returned'])
})

it('refuses a plan of an earlier version, which is not signed, in one sentence', async () => {
  const c = await planning()
  c.hold('one')
  const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
  const [header = '', entry = ''] = readFileSync(plan.file, 'utf8').split('\n')
  const unsigned = `${header.replace('"version":2', '"version":1')}\n${entry}\n`
  const frozen = createHash('sha256').update(unsigned).digest('hex')
  const text = `${unsigned}${JSON.stringify({ frozen })}\n`
  await expect(c.ask('plans.import', { text })).rejects.toThrow(
    'made by an earlier version of Lockkeeper and is not signed, so it is not used: make a new plan',
  )
})

it('refuses a file whose id leads out of its folder, or whose store has no address', async () => {
  const c = await planning()
  c.hold('one')
  const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
  const text = readFileSync(plan.file, 'utf8')
  for (const changed of [
    text.replace(plan.planId, '../x'),
    text.replace('"undoes":null', '"undoes":"../x"'),
    text.replace(c.address, 'ftp://x'),
  ])
    await expect(c.ask('plans.import', { text: changed })).rejects.toThrow(
      'BAD_INPUT: This is not a plan file that this version can read',
    )
})
