import type { RestoreOutcome } from '../../../../shared/lock.ts'
import type { PlanEntry, PlanResult } from '../../../../shared/plan.ts'
import { StoreError } from '../../errors.ts'
import { isSameFence } from '../../stores/fence.ts'
import { eachOf, settle } from '../../stores/settle.ts'
import { auditedEntry } from '../audit/audited.ts'
import type { Attempted } from './lane.ts'
import type { Plan } from './plan.ts'
import type { Asked, Task } from './run.ts'
import type { Restorable, UndoCopies } from './undo-copies.ts'

const AT_ONCE = 8

/** Puts back what a plan or a single release took away, from the copies that were kept of it. */
export function restoreTask(
  plan: Plan,
  kept: readonly Restorable[],
  copies: UndoCopies,
  { action, reason }: Asked,
): Task {
  const byPlace = new Map(kept.map(each => [nameOf(each.store.address, each.copy.id), each]))
  const copyFor = (entry: PlanEntry): Restorable | undefined =>
    byPlace.get(nameOf(plan.header.stores[entry.store]?.address ?? '', entry.id))
  return {
    async attempt(open, batch, about, signal) {
      await about(
        batch.map(({ n }) => n),
        batch.map(entry => ({
          event: 'acting',
          action,
          plan: plan.header.planId,
          store: open.store.address,
          storeName: open.name,
          reason,
          lock: auditedEntry(entry),
        })),
      )
      const answers: Attempted[] = []
      const places = batch.map((_, place) => place)
      await eachOf(places, AT_ONCE, async place => {
        const entry = batch[place] as PlanEntry
        answers[place] = await settle(async () => {
          const copy = copyFor(entry)
          if (!copy) throw new StoreError('NOT_FOUND', 'Its copy is not there any more')
          if (!copies.isInTime(copy.at))
            throw new StoreError('UNSUPPORTED', 'The time in which it could be undone is over')
          return resultOf(await open.store.restore(copy.copy, signal), entry)
        })
      })
      return answers
    },
    async settled(results) {
      const restored = results.flatMap(({ n, result }) => {
        const entry = plan.entries[n]
        return result.is === 'restored' && entry ? (copyFor(entry)?.entry.n ?? []) : []
      })
      await copies.restored(plan.header.undoes ?? '', restored)
    },
  }
}

function resultOf(outcome: RestoreOutcome, entry: PlanEntry): PlanResult {
  const at = Date.now()
  switch (outcome.outcome) {
    case 'restored':
      return { is: 'restored', at }
    case 'ended':
      return { is: 'ended', at }
    case 'taken':
      // An earlier attempt whose answer was lost: it is there as it was.
      return outcome.current && isSameFence(outcome.current.fence, entry.fence)
        ? { is: 'restored', at }
        : { is: 'taken', at, owner: outcome.current?.owner ?? null }
  }
}

function nameOf(address: string, id: string): string {
  return `${address}\n${id}`
}
