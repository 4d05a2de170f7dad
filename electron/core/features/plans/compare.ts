import { expiresAtOf } from '../../../../shared/lease.ts'
import type { PlanChange, PlanComparison, PlanEntry, PlanStore } from '../../../../shared/plans.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { isSameFence } from '../../stores/fence.ts'
import type { RecordState } from '../../stores/types.ts'
import { SAME_DEADLINE_MS } from '../stores/lock-history.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { Plan } from './plan.ts'

/** Ids per request. */
const READ_AT_ONCE = 200

/** Reads the locks again, some at a time. If a request fails, its error is the answer for all of its locks. */
export async function* readEach<T extends { readonly id: string }>(
  { store, signal }: Pick<OpenStore, 'store' | 'signal'>,
  entries: readonly T[],
): AsyncGenerator<readonly [T, Settled<RecordState>]> {
  for (let start = 0; start < entries.length; start += READ_AT_ONCE) {
    const batch = entries.slice(start, start + READ_AT_ONCE)
    const ids = batch.map(({ id }) => id)
    const answers = await settle(() => store.look(ids, signal))
    for (const [i, entry] of batch.entries())
      yield [entry, answers.ok ? (answers.value[i] as Settled<RecordState>) : answers]
  }
}

/** How the locks that the plan would still act on have changed in their stores. */
export async function compare(plan: Plan, find: (wanted: PlanStore) => OpenStore): Promise<PlanComparison> {
  const changes: PlanChange[] = []
  let same = 0
  await Promise.all(
    plan.header.stores.map(async (wanted, store) => {
      const entries = plan.openIn(store)
      if (entries.length === 0) return
      for await (const [entry, answer] of readEach(find(wanted), entries)) {
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

function changeOf(entry: PlanEntry, now: RecordState): PlanChange | null {
  const { n } = entry
  if (now.is === 'absent') return { n, now: 'gone', owner: null }
  if (now.is === 'other') return { n, now: 'changed', owner: null }
  const { lock } = now
  if (lock.state === 'released') return { n, now: 'gone', owner: null }
  if (!isSameFence(lock.fence, entry.fence)) return { n, now: 'changed', owner: lock.owner }
  const endsAt = expiresAtOf(lock.lease)
  const renewed = endsAt !== null && entry.endsAt !== null && endsAt - entry.endsAt > SAME_DEADLINE_MS
  return renewed ? { n, now: 'renewed', owner: lock.owner } : null
}

/** The released locks of one store that their previous holder has re-acquired. */
export async function findReacquired(open: OpenStore, plan: Plan, store: number): Promise<number[]> {
  const released = plan.entries.filter(
    entry => entry.store === store && plan.results[entry.n]?.is === 'released',
  )
  const reacquired: number[] = []
  for await (const [entry, answer] of readEach(open, released)) {
    if (!answer.ok) throw answer.error
    if (hasSameHolder(entry, answer.value)) reacquired.push(entry.n)
  }
  return reacquired
}

function hasSameHolder(entry: PlanEntry, now: RecordState): boolean {
  if (now.is !== 'lock' || now.lock.state === 'released') return false
  const { lock } = now
  if (isSameFence(lock.fence, entry.fence)) return true
  // Where all holders write the same value, it does not identify one.
  return !entry.alike && entry.owner !== null && lock.owner === entry.owner && lock.format === entry.format
}
