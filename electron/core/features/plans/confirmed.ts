import type { Input } from '../../../../shared/contract.ts'
import { confirmationOf } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from '../stores/open-store.ts'
import { checkChange } from '../stores/store-rules.ts'
import type { Plan } from './plan.ts'

/** The stores of a plan, if they may be changed and the operator typed what that means. Null for what is excluded whole. */
export function confirmedStores(
  plan: Plan,
  { confirm, reason }: Pick<Input<'plans.apply'>, 'confirm' | 'reason'>,
  stores: Pick<OpenStores, 'at'>,
): (OpenStore | null)[] {
  const counts = plan.countsByStore()
  if (counts.every(count => count === 0))
    throw new StoreError('REFUSED', 'Everything was excluded from this plan: there is nothing left to do')
  // A run is not bound to the screen that asked for it.
  const { signal } = new AbortController()
  return plan.header.stores.map((wanted, i) => {
    const count = counts[i] ?? 0
    // Also when all of it was done in an earlier attempt: such a store need not even be there any more.
    if (count === 0 || plan.openIn(i).length === 0) return null
    const open = storeOf(stores, wanted, signal)
    const expected = confirmationOf(asKnownHere(stores, wanted), count)
    const missing = `The name of the store and the number of its locks, "${expected}", were not typed`
    checkChange({
      store: open,
      confirmation: { expected, typed: confirm, missing, reason, subject: 'A plan' },
    })
    return open
  })
}
