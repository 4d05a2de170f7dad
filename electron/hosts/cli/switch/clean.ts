import type { Client } from '../../../../shared/client.ts'
import { followPlan } from '../../../../shared/plan-state.ts'
import { confirmationOf, type PlanSummary } from '../../../../shared/plans.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'
import { widthOf } from '../lib/wrap.ts'
import { applyPlan } from '../plans/apply.ts'
import { planText } from '../plans/summary.ts'
import { type SwitchOperator, SwitchStopped } from './operator.ts'
import type { SwitchPrinter } from './printer.ts'

export type CleanOptions = {
  readonly io: Io
  readonly client: Client
  readonly operator: SwitchOperator
  readonly printer: SwitchPrinter
  readonly switchId: string
  /** The confirmation of the plan that cleans the old store, if given in advance. */
  readonly clean: string | null
  readonly reason: string | null
  /** The address as it was typed, with its password if it has one. */
  readonly from: string
}

/** Releases the remaining locks of the old store by a confirmed plan. False if the store became unreachable. */
export async function releaseRest(options: CleanOptions): Promise<boolean> {
  try {
    await planAndApply(options)
    return true
  } catch (error) {
    if (!(error instanceof CliError) || error.failure.code !== 'STORE_UNREACHABLE') throw error
    await options.printer.notify(`${error.failure.message.replace(/\.$/, '')}.`, '  ! ')
    return false
  }
}

async function planAndApply(options: CleanOptions): Promise<void> {
  const { client, switchId, operator, printer, io, clean, reason } = options
  const made = await client.call('switch.plan', { switchId })
  // The store is clean by now, as the next poll will show.
  if (!made.ok && made.error.code === 'NOT_FOUND') return
  const plan = unwrap(made)
  const state = unwrap(await followPlan(client, plan.planId))
  const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
  for (const text of planText(state, formats, widthOf(io))) await printer.print(text)
  const [store] = plan.stores
  const wanted = store ? confirmationOf(store, state.countsByStore()[0] ?? 0) : ''
  if (clean !== null && reason !== null)
    return apply(options, plan, clean, reason).catch(error => {
      if (!(error instanceof CliError) || error.failure.code !== 'BAD_INPUT' || clean === wanted) throw error
      // The refusal is in the audit log. The number of remaining locks changes, so scripts meet this often.
      throw new SwitchStopped(`--clean ${JSON.stringify(clean)} does not confirm this plan`, [
        ...['--clean', wanted, '--reason', reason],
      ])
    })
  if (!operator.isThere)
    throw new SwitchStopped('The remaining locks must be released first', [
      '--clean',
      wanted,
      '--reason',
      'TEXT',
    ])
  const question = `To release them, type "${wanted}"; Enter keeps them:`
  let typed = await operator.answer(question)
  while (typed !== '' && typed !== wanted) {
    await printer.notify('That does not match; nothing was released.', '  ')
    typed = await operator.answer(question)
  }
  const why = typed === wanted ? await operator.answer('Reason, for the audit log:') : ''
  if (why === '') await printer.notify('Nothing was released. The switch continues when they are gone.', '  ')
  else await apply(options, plan, typed, why)
}

async function apply(
  options: CleanOptions,
  plan: PlanSummary,
  confirm: string,
  reason: string,
): Promise<void> {
  const { client, io, operator, printer, from } = options
  printer.clear()
  // Beside JSON, the text goes to the standard error.
  const planIo = printer.isJson ? { ...io, stdout: io.stderr } : io
  const code = await applyPlan(
    client,
    plan,
    { confirm: [confirm], reason, rate: undefined, json: false, store: from },
    planIo,
  )
  operator.stopIfAborted()
  if (code !== EXIT.done && !operator.isThere)
    throw new SwitchStopped('Some locks could not be released', ['--clean', confirm, '--reason', reason])
}
