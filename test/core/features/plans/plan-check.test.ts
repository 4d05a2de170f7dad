import { describe, expect, it } from 'vitest'
import { planning } from './planning.ts'

/** A plan whose store is gone after its only lock was released, and before the check. */
async function goneAfterRelease() {
  const c = await planning({ plans: { comeBackMs: 300 } })
  c.hold('one')
  const record = c.server.records.get('acme:one')
  const plan = await c.ask('plans.create', { storeIds: [c.storeId] })
  await c.apply(plan)
  const screen = c.follow(plan.planId)
  await expect.poll(() => c.server.records.size).toBe(0)
  c.server.up = false
  await expect.poll(() => screen.known.plan?.progress.troubles).toMatchObject([{ store: 0 }])
  return { c, plan, record, screen }
}

describe('a store that is gone when its released locks are checked', () => {
  it('is asked again', async () => {
    const { c, record, screen } = await goneAfterRelease()
    c.server.records.set('acme:one', record)
    c.server.up = true
    await expect.poll(screen.state).toBe('done')
    expect(screen.known.plan?.progress).toMatchObject({ returned: 1, troubles: [] })
  })

  it('is no longer waited for once the operator stops the run', async () => {
    const { c, plan, screen } = await goneAfterRelease()
    await c.ask('plans.steer', { planId: plan.planId, to: 'stop' })
    await expect.poll(screen.state).toBe('done')
    expect(screen.known.plan?.progress.troubles).toMatchObject([
      { error: { code: 'STORE_UNREACHABLE' }, retryInMs: null },
    ])
  })
})
