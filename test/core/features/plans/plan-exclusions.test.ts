import { expect, it } from 'vitest'
import { followPlan, planning } from './planning.ts'

it('a plan sends more exclusions than fit into one answer in pages', async () => {
  const { ask, client, hold, storeId } = await planning()
  for (const name of ['a', 'b']) hold(name)
  const { planId } = await ask('plans.create', { storeIds: [storeId] })
  const holders = Array.from({ length: 5000 }, (_, i) => ({
    by: 'holder' as const,
    value: `${i}${'h'.repeat(50)}`,
  }))
  const exclusions = [...holders, { by: 'lock' as const, value: '1' }]
  const answer = await ask('plans.exclude', { planId, exclusions, excluded: true })
  expect(answer.exclusions.length + answer.exclusionsLeft).toBe(5001)
  expect(answer.exclusionsLeft).toBeGreaterThan(0)
  const { known, close } = followPlan({ client }, planId)
  await expect.poll(() => known.loaded).toBe(true)
  close()
  expect(known.events).toContain('exclusions')
  expect(known.kept().map(({ n }) => n)).toEqual([0])
  // An answer that leaves some out does not change what is known.
  known.take(answer)
  expect(known.kept().map(({ n }) => n)).toEqual([0])
})
