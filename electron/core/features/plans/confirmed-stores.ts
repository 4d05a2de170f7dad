import type { Input } from '../../../../shared/contract.ts'
import { confirmationOf, typedConfirmation } from '../../../../shared/plans.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Confirmation, StoreChange } from '../../lib/handler.ts'
import { NEVER } from '../../lib/timers.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from '../stores/open-store.ts'
import { checkChange, checkWritable } from '../stores/store-rules.ts'
import type { Plan } from './plan.ts'

/** A store of a plan that is applied. */
export type ConfirmedStore = OpenStore & {
  /** Checks its rules before a batch. */
  readonly checkBatch: () => Promise<void>
}

type Typed = Pick<Input<'plans.apply'>, 'confirm' | 'reason'>

const REST = 'the rest of the plan was not applied'

/** The stores of a plan, each confirmed by the operator. Null for a store without locks left to attempt. */
export async function confirmedStores(
  plan: Plan,
  typed: Typed,
  stores: Pick<OpenStores, 'at'>,
): Promise<(ConfirmedStore | null)[]> {
  const included = plan.entries.filter(entry => !plan.isExcluded(entry))
  if (included.length === 0)
    throw new StoreError('REFUSED', 'Every lock of this plan is excluded: nothing was changed')
  const confirmed = plan.header.stores.map(async (wanted, i) => {
    // A store whose locks were all done in an earlier attempt need not be open.
    if (plan.openIn(i).length === 0) return null
    const count = included.filter(({ store }) => store === i).length
    // A run outlives the screen that started it.
    const open = storeOf(stores, wanted, NEVER)
    return confirmedStore(open, ({ productionNames }) => {
      const names = productionNames.length > 0 ? productionNames : [asKnownHere(stores, wanted).name]
      return confirmation(plan, names, count, typed)
    })
  })
  return Promise.all(confirmed)
}

/** Any of the names of the store will do. */
function confirmation(
  plan: Plan,
  names: readonly string[],
  count: number,
  { confirm, reason }: Typed,
): Confirmation {
  const expected = names.map(name => confirmationOf(plan, { name }, count))
  const missing = `The store, the number of its locks and the code of the plan, "${expected[0]}", were not typed`
  return { expected, typed: confirm.map(typedConfirmation), missing, reason, subject: 'A plan' }
}

/**
 * A store that does not answer must not keep the others waiting. It is confirmed as it is known, and again before its first batch, when
 * it may turn out to be in production.
 */
async function confirmedStore(
  open: OpenStore,
  confirmation: StoreChange['confirmation'],
): Promise<ConfirmedStore> {
  const change = { store: open, confirmation }
  const asked = await settle(() => checkChange(change))
  if (!asked.ok && asked.error.code !== 'STORE_UNREACHABLE') throw asked.error
  if (!asked.ok) await checkChange({ ...change, store: { ...open, rules: async () => open.knownRules() } })
  let isConfirmed = asked.ok
  const checkBatch = async () => {
    if (isConfirmed) await checkWritable(open, REST)
    else await checkChange(change, REST)
    isConfirmed = true
  }
  return { ...open, checkBatch }
}
