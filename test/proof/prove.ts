import type { CoreOptions } from '../../electron/core/compose.ts'
import { followPlan, isOver } from '../../electron/hosts/cli/plans/plan-follow.ts'
import { confirmationOf, type PlanSummary } from '../../shared/plans.ts'
import { openConsole, profile } from '../core/features/console.ts'

/** As fast as it goes. */
export const FULL_SPEED = 100_000

/** A console at one store, that plans and applies. */
export async function proving(address: string, plans: CoreOptions['plans'] = {}, folder?: string) {
  const c = openConsole(folder, {}, { plans: { comeBackMs: 50, ...plans } })
  const { storeId } = await c.ask('stores.add', { profile: profile({ name: 'Proof', address }) })
  const plan = () => c.ask('plans.create', { storeIds: [storeId], filter: '' })
  const begin = (made: PlanSummary, rate = FULL_SPEED) =>
    c.ask('plans.apply', {
      planId: made.planId,
      confirm: made.stores.map(store => confirmationOf(store, made.progress.total)),
      reason: 'a proof',
      rate,
    })
  const over = ({ planId }: PlanSummary) => followPlan(c.client, planId, isOver)
  /** Until at least so many are settled. */
  const under = ({ planId }: PlanSummary, settled: number) =>
    followPlan(c.client, planId, ({ plan: { progress }, results }) => {
      const told = [...results.values()].filter(result => result && result.is !== 'tried').length
      return told >= settled || progress.state === 'done' || progress.state === 'stopped'
    })
  const apply = async (made: PlanSummary, rate = FULL_SPEED) => {
    await begin(made, rate)
    return over(made)
  }
  /** Again and again, as an operator would, until nothing is left to do. */
  const finish = async (made: PlanSummary, rate = FULL_SPEED, most = 5) => {
    for (let times = 1; ; times++) {
      const end = await apply(made, rate)
      if (end.plan.progress.state === 'done' || times === most) return { ...end, times }
    }
  }
  return { ...c, storeId, plan, begin, over, under, apply, finish }
}
