import { expiresAtOf } from '../../../../shared/lease.ts'
import type { PlanChange, PlanComparison, PlanEntry, PlanStore } from '../../../../shared/plans.ts'
import { isSameFence } from '../../stores/fence.ts'
import type { Looked } from '../../stores/types.ts'
import { SAME_DEADLINE_MS } from '../stores/lock-history.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { lookAt } from './look-at.ts'
import type { Plan } from './plan.ts'

/** What is there now in the place of the locks that a plan would still act on. */
export async function compare(plan: Plan, find: (wanted: PlanStore) => OpenStore): Promise<PlanComparison> {
  const changes: PlanChange[] = []
  let same = 0
  await Promise.all(
    plan.header.stores.map(async (wanted, store) => {
      const entries = plan.openIn(store)
      if (entries.length === 0) return
      const open = find(wanted)
      for await (const some of lookAt(open, entries))
        for (const [entry, answer] of some) {
          const change: PlanChange | null = answer.ok
            ? changeOf(entry, answer.value)
            : { n: entry.n, now: 'unread', owner: null }
          if (change) changes.push(change)
          else same++
        }
    }),
  )
  changes.sort((a, b) => a.n - b.n)
  return { comparedAt: Date.now(), same, changes }
}

function changeOf(entry: PlanEntry, looked: Looked): PlanChange | null {
  const { n } = entry
  if (looked.is === 'absent') return { n, now: 'gone', owner: null }
  if (looked.is === 'other') return { n, now: 'changed', owner: null }
  const { lock } = looked
  if (lock.state === 'released') return { n, now: 'gone', owner: null }
  if (!isSameFence(lock.fence, entry.fence)) return { n, now: 'changed', owner: lock.owner }
  const endsAt = expiresAtOf(lock.lease)
  const renewed = endsAt !== null && entry.endsAt !== null && endsAt - entry.endsAt > SAME_DEADLINE_MS
  return renewed ? { n, now: 'renewed', owner: lock.owner } : null
}
