import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { isoTime } from '../../../../shared/lease.ts'
import type { StoreRules } from '../../../../shared/stores.ts'
import type { Facts, HandlersOf, StoreChange } from '../../lib/handler.ts'
import { type OpenStores, productionConfirmation } from '../stores/open-store.ts'
import { choicesOf, findTarget } from './hold-target.ts'
import type { Holds } from './holds.ts'

export function holdHandlers(holds: Holds, stores: OpenStores): HandlersOf<'holds'> {
  return {
    'holds.choices': async ({ storeId, key }, { signal }) => {
      const open = stores.get(storeId, signal)
      return choicesOf(open, await findTarget(open, key))
    },
    'holds.take': ({ storeId, ...input }, { signal, action }) => ({
      facts: { ...stores.factsOf(storeId), ...input },
      stores: () => {
        const store = stores.get(storeId, signal)
        const confirmation = (rules: StoreRules) => productionConfirmation(rules, input, 'A hold')
        return [{ store, revision: input.revision, confirmation }]
      },
      apply: () => holds.take({ storeId, ...input }, signal, action),
      outcome: taken =>
        taken.outcome === 'refused'
          ? { outcome: taken.outcome, current: taken.current }
          : outcomeOf(taken.hold),
    }),
    'holds.extend': async (input, { signal }) => ({
      ...(await changing(holds, input)),
      apply: () => holds.extend(input, signal),
      outcome: hold => outcomeOf(hold, 'extended'),
    }),
    'holds.release': async (input, { signal }) => ({
      ...(await changing(holds, input)),
      apply: () => holds.release(input, signal),
      outcome: hold => outcomeOf(hold),
    }),
    'holds.watch': (_, signal) => holds.watch(signal),
  }
}

/**
 * A change of a hold. Until the hold has a lock, the rules of its store do not apply. If the store is not open here, or the lock is
 * acquired meanwhile, the console that keeps the hold checks them.
 */
async function changing(holds: Holds, { holdId, ...input }: { readonly holdId: string }) {
  const { facts, store } = await holds.find(holdId)
  return {
    facts: { hold: holdId, ...facts, ...input },
    stores: (): StoreChange[] => (store ? [{ store, confirmation: () => null }] : []),
  }
}

function outcomeOf({ holdId, state, until, ended }: MaintenanceHold, otherwise: string = state): Facts {
  return { outcome: ended?.how ?? otherwise, hold: holdId, ...(until !== null && { until: isoTime(until) }) }
}
