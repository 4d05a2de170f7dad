import { describe, expect, it } from 'vitest'
import type { Exclusion, PlanSummary } from '../../../../shared/plans.ts'
import { everythingIn } from '../console.ts'
import { planning } from './planning.ts'

async function twoLocks() {
  const c = await planning()
  c.hold('one')
  c.hold('two')
  const create = () => c.ask('plans.create', { storeIds: [c.storeId] })
  const apply = ({ planId }: PlanSummary, ...confirm: string[]) =>
    c.ask('plans.apply', { planId, confirm, reason: 'stuck' })
  const exclude = ({ planId }: PlanSummary, place: number, excluded = true) => {
    const exclusions: Exclusion[] = [{ by: 'lock', value: String(place) }]
    return c.ask('plans.exclude', { planId, exclusions, excluded })
  }
  return { ...c, create, applyBy: apply, exclude }
}

describe('a plan', () => {
  it.each([
    ['another number', ['Orders 3-CODE'], 'stuck'],
    ['another name', ['orders 2-CODE'], 'stuck'],
    ['another code', ['Orders 2-000000'], 'stuck'],
    ['no code', ['Orders 2'], 'stuck'],
    ['nothing', [], 'stuck'],
    ['no reason', ['Orders 2-CODE'], '  '],
  ])('is not applied with %s', async (_, typed, reason) => {
    const c = await planning()
    c.hold('one')
    c.hold('two')
    const { planId, code } = await c.ask('plans.create', { storeIds: [c.storeId] })
    const confirm = typed.map(text => text.replace('CODE', code))
    await expect(c.ask('plans.apply', { planId, confirm, reason })).rejects.toThrow('REFUSED')
    expect(c.server.records.size).toBe(2)
    expect((await c.ask('plans.list', {}))[0]?.progress.state).toBe('ready')
    expect(everythingIn(c.folder)).toMatch(/"event":"outcome".*REFUSED/)
  })

  it('is applied with its code in capital letters', async () => {
    const c = await twoLocks()
    const plan = await c.create()
    await c.applyBy(plan, `Orders 2-${plan.code.toUpperCase()}`)
    await expect.poll(() => c.server.records.size).toBe(0)
  })
})

describe('the code of a plan', () => {
  it('is the same for the same locks, whenever the plan was made, and in any order', async () => {
    const c = await twoLocks()
    const { code } = await c.create()
    expect(code).toMatch(/^[0-9a-f]{6}$/)
    const [one, two] = [...c.server.records]
    c.server.records.clear()
    for (const [key, record] of [two, one] as [string, unknown][]) c.server.records.set(key, record as never)
    expect((await c.create()).code).toBe(code)
  })

  it('differs once one of the locks has another holder', async () => {
    const c = await twoLocks()
    const { code } = await c.create()
    c.server.records.delete('acme:two')
    c.hold('two', 'another run')
    const again = await c.create()
    expect([again.count, again.code === code]).toEqual([2, false])
    await expect(c.applyBy(again, `Orders 2-${code}`)).rejects.toThrow(`"Orders 2-${again.code}"`)
    expect(c.server.records.size).toBe(2)
  })

  it('covers which locks are excluded, not only how many', async () => {
    const c = await twoLocks()
    const plan = await c.create()
    const first = await c.exclude(plan, 0)
    await c.exclude(plan, 0, false)
    const second = await c.exclude(plan, 1)
    expect(new Set([plan.code, first.code, second.code]).size).toBe(3)
    await expect(c.applyBy(plan, `Orders 1-${first.code}`)).rejects.toThrow(`"Orders 1-${second.code}"`)
    expect((await c.exclude(plan, 1, false)).code).toBe(plan.code)
  })

  it('stays the same for a plan that is resumed', async () => {
    const c = await planning()
    for (let i = 0; i < 30; i++) c.hold(`job-${i}`)
    const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
    await c.apply(plan, { rate: 10 })
    await expect.poll(() => c.server.records.size).toBeLessThan(30)
    await c.ask('plans.steer', { planId: plan.planId, to: 'stop' })
    await expect.poll(c.follow(plan.planId).state).toBe('stopped')
    await c.apply(plan, { confirm: [`Orders 30-${plan.code}`], rate: 10_000 })
    await expect.poll(() => c.server.records.size).toBe(0)
  })
})
