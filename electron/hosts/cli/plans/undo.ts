import { confirmationOf } from '../../../../shared/plans.ts'
import { parse } from '../lib/args.ts'
import { connect } from '../lib/connect.ts'
import { unwrap } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'
import { applyPlan } from './plan-apply.ts'
import { followPlan } from './plan-follow.ts'
import { countsOf } from './plan-summary.ts'

/** Puts back what a plan or a single release took away, where the name is still free. */
export async function undoCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = parse(argv, { reason: { type: 'string' } }, ['plan or action id'], ['store'])
  const [of, store] = args.positionals as [string, string | undefined]
  const { reason, json } = args.options
  const client = connect(io, { stoppable: false })
  const plan = unwrap(await client.call('plans.undo', { of }))
  const counts = countsOf(plan, (await followPlan(client, plan.planId, () => true)).entries)
  return applyPlan(
    client,
    plan,
    {
      // The id says exactly what is meant: there is nothing to look at that could be another.
      confirm: plan.stores.map((each, i) => confirmationOf(each, counts[i] ?? 0)),
      reason: typeof reason === 'string' && reason.trim() !== '' ? reason : `Undo of ${of}`,
      rate: undefined,
      json: json === true,
      store,
    },
    io,
  )
}
