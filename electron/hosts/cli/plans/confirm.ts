import type { Client } from '../../../../shared/client.ts'
import { followPlan, type LoadedPlan } from '../../../../shared/plan-state.ts'
import { confirmationOf, missingConfirmations, namesOf } from '../../../../shared/plans.ts'
import { shellText } from '../../../core/lib/shell-quote.ts'
import { unwrap, usageError } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'
import { widthOf } from '../lib/layout.ts'
import { planText } from './summary.ts'

/** The confirmations of an undo. Its id stands for exactly these locks, so that only production stores have to be named. */
export function undoConfirmations(state: LoadedPlan, names: readonly string[]): readonly string[] {
  const counts = state.countsByStore()
  return state.plan.stores.flatMap((store, i) => {
    const count = counts[i] ?? 0
    if (count === 0) return []
    const known = store.production
      ? names.filter(name => namesOf(store).includes(name))
      : [store.name, ...names]
    return known.map(name => confirmationOf(state.plan, { name }, count))
  })
}

/** Throws if a store was not confirmed. The refusal of the plan has made known which rules its stores have. */
export async function explainMissing(
  client: Client,
  planId: string,
  { confirm, isShown, isUndo }: { confirm: readonly string[]; isShown: boolean; isUndo: boolean },
  io: Io,
): Promise<void> {
  const state = unwrap(await followPlan(client, planId))
  const [missing] = missingConfirmations(state.plan, state.countsByStore(), confirm)
  if (missing === undefined) return
  if (isUndo)
    throw usageError(
      `Nothing was changed: to undo this in production, add ${confirmOptions(productionNames(state))}`,
    )
  // The confirmation of a plan is not printed without the plan.
  if (!isShown) {
    const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
    io.stderr.write(`${planText(state, formats, widthOf(io)).join('\n')}\n\n`)
  }
  throw usageError(`To apply this plan, confirm it with --confirm ${shellText(missing)}`)
}

/** The production stores in which the plan has locks. */
export function productionNames(state: LoadedPlan): string[] {
  const counts = state.countsByStore()
  return state.plan.stores.filter((store, i) => store.production && counts[i]).map(({ name }) => name)
}

/** The command that undoes a release, with what these production stores need. */
export function undoCommandLine(of: string, names: readonly string[]): string {
  return ['lockkeeper undo', of, ...(names.length > 0 ? [confirmOptions(names)] : [])].join(' ')
}

function confirmOptions(names: readonly string[]): string {
  return [...names.map(name => `--confirm ${shellText(name)}`), '--reason TEXT'].join(' ')
}
