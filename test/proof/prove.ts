import type { CoreOptions } from '../../electron/core/compose.ts'
import { unwrap } from '../../electron/hosts/cli/lib/exit.ts'
import { followPlan, type LoadedPlan } from '../../shared/plan-state.ts'
import { confirmationOf, type PlanSummary } from '../../shared/plans.ts'
import { openConsole, profile } from '../core/features/console.ts'

/** As fast as it goes. */
export const FULL_SPEED = 100_000

/** A console at one store, that plans and applies. */
export async function proving(
  address: string,
  { roomFile, ...plans }: CoreOptions['plans'] & Pick<CoreOptions, 'roomFile'> = {},
  folder?: string,
) {
  const c = openConsole(
    folder,
    {},
    { plans: { comeBackMs: 50, ...plans }, ...(roomFile ? { roomFile } : {}) },
  )
  const { storeId } = await c.ask('stores.add', { profile: profile({ name: 'Proof', address }) })
  const plan = () => c.ask('plans.create', { storeIds: [storeId], filter: '' })
  const begin = (made: PlanSummary, rate = FULL_SPEED) =>
    c.ask('plans.apply', {
      planId: made.planId,
      confirm: made.stores.map(store => confirmationOf(made, store, made.progress.total)),
      reason: 'a proof',
      rate,
    })
  const until = async ({ planId }: PlanSummary, isDone: (state: LoadedPlan) => boolean) =>
    unwrap(await followPlan(c.client, planId, isDone))
  const over = (made: PlanSummary) => until(made, state => state.isOver)
  /** Until at least this many locks have a result. */
  const under = (made: PlanSummary, settled: number) =>
    until(made, ({ plan: { progress }, results }) => {
      const known = [...results.values()].filter(result => result.is !== 'tried').length
      return known >= settled || progress.state === 'done' || progress.state === 'stopped'
    })
  const steer = ({ planId }: PlanSummary, to: 'pause' | 'resume') => c.ask('plans.steer', { planId, to })
  const apply = async (made: PlanSummary, rate = FULL_SPEED) => {
    await begin(made, rate)
    return over(made)
  }
  /** Repeats the plan as an operator would, until no lock is left. */
  const finish = async (made: PlanSummary, rate = FULL_SPEED, most = 5) => {
    for (let times = 1; ; times++) {
      const end = await apply(made, rate)
      if (end.plan.progress.state === 'done' || times === most) return Object.assign(end, { times })
    }
  }
  return { ...c, storeId, plan, begin, over, under, steer, apply, finish }
}
