import type { PlanEntry } from '../../../../shared/plans.ts'
import type { StoreError } from '../../lib/errors.ts'
import { isSameFence } from '../../stores/fence.ts'
import type { Looked } from '../../stores/types.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { lookAt } from './look-at.ts'
import type { Plan } from './plan.ts'

/** The released locks of one store that are there again with the same token, or why that cannot be told. */
export async function findReturned(
  open: OpenStore,
  plan: Plan,
  store: number,
): Promise<number[] | StoreError> {
  const released = plan.entries.filter(
    entry => entry.store === store && plan.results[entry.n]?.is === 'released',
  )
  const returned: number[] = []
  for await (const some of lookAt(open, released))
    for (const [entry, answer] of some) {
      if (!answer.ok) return answer.error
      if (isSameHolder(entry, answer.value)) returned.push(entry.n)
    }
  return returned
}

/** Whether who holds it now is who held it when the plan was made. */
export function isSameHolder(entry: PlanEntry, looked: Looked): boolean {
  if (looked.is !== 'lock' || looked.lock.state === 'released') return false
  const { lock } = looked
  if (isSameFence(lock.fence, entry.fence)) return true
  // Where holders write alike, the same value says nothing about who it is.
  return !entry.alike && entry.owner !== null && lock.owner === entry.owner && lock.format === entry.format
}
