import type { Client } from '../../../../shared/client.ts'
import { followPlan } from '../../../../shared/plan-state.ts'
import { confirmationOf, type PlanSummary } from '../../../../shared/plans.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'
import { widthOf } from '../lib/wrap.ts'
import { applyPlan } from '../plans/apply.ts'
import { planText } from '../plans/summary.ts'
import { type SwitchOperator, WalkStopped } from './switch-operator.ts'
import type { SwitchTeller } from './switch-tell.ts'

export type CleanOptions = {
  readonly io: Io
  readonly client: Client
  readonly operator: SwitchOperator
  readonly teller: SwitchTeller
  readonly switchId: string
  /** What confirms the plan that cleans the old store, given beforehand. */
  readonly clean: string | null
  readonly reason: string | null
  /** The address as it was given: it may have the password in it. */
  readonly from: string
}

/** Releases what is left in the old store, as a plan that was agreed to. False when the store went away meanwhile. */
export async function releaseRest(options: CleanOptions): Promise<boolean> {
  try {
    await planAndApply(options)
    return true
  } catch (error) {
    if (!(error instanceof CliError) || error.failure.code !== 'STORE_UNREACHABLE') throw error
    await options.teller.tell(`${error.failure.message.replace(/\.$/, '')}.`, '  ! ')
    return false
  }
}

async function planAndApply(options: CleanOptions): Promise<void> {
  const { client, switchId, operator, teller, io, clean, reason } = options
  const made = await client.call('switch.plan', { switchId })
  // It is clean by now, which the next look will see.
  if (!made.ok && made.error.code === 'NOT_FOUND') return
  const plan = unwrap(made)
  const state = unwrap(await followPlan(client, plan.planId))
  const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
  for (const text of planText(state, formats, widthOf(io))) await teller.say(text)
  const [store] = plan.stores
  const wanted = store ? confirmationOf(store, state.countsByStore()[0] ?? 0) : ''
  if (clean !== null && reason !== null)
    return apply(options, plan, clean, reason).catch(error => {
      if (!(error instanceof CliError) || error.failure.code !== 'BAD_INPUT' || clean === wanted) throw error
      // It is refused, which is on record. How many are left changes by itself: whoever is no person meets this often.
      throw new WalkStopped(`--clean ${JSON.stringify(clean)} does not confirm this plan`, [
        ...['--clean', wanted, '--reason', reason],
      ])
    })
  if (!operator.isThere)
    throw new WalkStopped('What is left has to be released first', ['--clean', wanted, '--reason', 'TEXT'])
  const question = `To release them, type "${wanted}"; Enter leaves them:`
  let typed = await operator.answer(question)
  while (typed !== '' && typed !== wanted) {
    await teller.tell('That is something else, and nothing was released.', '  ')
    typed = await operator.answer(question)
  }
  const why = typed === wanted ? await operator.answer('Reason, for the audit log:') : ''
  if (why === '') await teller.tell('They are left: this goes on when they are gone.', '  ')
  else await apply(options, plan, typed, why)
}

async function apply(
  options: CleanOptions,
  plan: PlanSummary,
  confirm: string,
  reason: string,
): Promise<void> {
  const { client, io, operator, teller, from } = options
  teller.clear()
  // Beside JSON, what a person would read is told elsewhere.
  const told = teller.isJson ? { ...io, stdout: io.stderr } : io
  const code = await applyPlan(
    client,
    plan,
    { confirm: [confirm], reason, rate: undefined, json: false, store: from },
    told,
  )
  operator.stopIfAborted()
  if (code !== EXIT.done && !operator.isThere)
    throw new WalkStopped('Not everything could be released', ['--clean', confirm, '--reason', reason])
}
