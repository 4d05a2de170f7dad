import type { PlanEntry } from '../../../../shared/plan.ts'
import type { StoreError } from '../../errors.ts'
import { isSameFence } from '../../stores/fence.ts'
import { settle } from '../../stores/settle.ts'
import type { Looked } from '../../stores/types.ts'
import type { OpenStore } from './open-stores.ts'
import type { Plan } from './plan.ts'

const LOOK_AT = 200

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
  for (let start = 0; start < released.length; start += LOOK_AT) {
    const some = released.slice(start, start + LOOK_AT)
    const looked = await settle(() =>
      open.store.look(
        some.map(({ id }) => id),
        open.signal,
      ),
    )
    if (!looked.ok) return looked.error
    const failed = looked.value.find(each => !each.ok)
    if (failed && !failed.ok) return failed.error
    some.forEach((entry, i) => {
      const answer = looked.value[i]
      if (answer?.ok && isSameHolder(entry, answer.value)) returned.push(entry.n)
    })
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
