import { describe, expect, it } from 'vitest'
import { openConsole, profile } from '../console.ts'
import { planning } from '../plans/planning.ts'

const reason = 'it is stuck'

describe('the name of a production store', () => {
  it('is quoted for a shell wherever it is to be typed', async () => {
    const c = openConsole()
    const name = 'Bob $(touch x) "x"'
    const { storeId } = await c.ask('stores.add', { profile: profile({ name, production: true }) })
    const release = { storeId, id: 'acme:a', fence: 'f', reason }
    await expect(c.ask('locks.release', release)).rejects.toThrow(`--confirm 'Bob $(touch x) "x"')`)
  })

  it('confirms a plan, whichever of the production stores at its place it is', async () => {
    const p = await planning()
    const more = { address: p.address, production: true }
    for (const name of ['Billing', 'Billing DR'])
      await p.ask('stores.add', { profile: profile({ ...more, name }) })
    for (const name of ['a', 'b', 'c']) p.hold(name)
    const plan = await p.ask('plans.create', { storeIds: [p.storeId] })
    expect(plan.stores).toMatchObject([{ name: 'Billing', otherNames: ['Billing DR'], production: true }])
    const typed = (name: string) => `${name} 3-${plan.code}`
    await expect(p.apply(plan, { confirm: [typed('Orders')] })).rejects.toThrow(`"${typed('Billing')}"`)
    await p.apply(plan, { confirm: [typed('Billing DR')] })
    await expect.poll(p.follow(plan.planId).state).toBe('done')
    expect(p.runOf('a')).toBeUndefined()
  })
})
