import { StoreError } from '../../lib/errors.ts'
import type { Provider, Refusal } from '../../locks/provider.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { HoldBook } from './hold-book.ts'
import type { HoldRecord } from './hold-record.ts'
import { firstLease } from './lease-plan.ts'

const LONGEST_REASON = 200

export class NotOpenHere extends StoreError {
  constructor() {
    super('NOT_FOUND', 'Its store is not open here, so it is not renewed')
  }
}

/** The store of a hold, and the provider of its lock. */
export type Reached = { readonly open: OpenStore; readonly provider: Provider }

/** One attempt. Null if it acquired the lock: the hold has its terms then. */
export async function acquireHold(
  hold: HoldRecord,
  { open, provider }: Reached,
  { book, now }: { readonly book: HoldBook; readonly now: () => number },
): Promise<Refusal | null> {
  const ttlMs = firstLease(hold)
  const sentAt = now()
  const metadata = {
    reason: shortened(hold.reason),
    until: new Date(sentAt + hold.forMs).toISOString(),
    ...(provider.kind === 'memory' ? { locked_by: hold.by } : {}),
  }
  const answer = await provider.take(hold.name, { owner: hold.owner, ttlMs, metadata }, open.signal)
  // An earlier attempt succeeded, but its answer was lost: only this hold has this owner.
  const isOurs = answer.is === 'held' && answer.holder.owner === hold.owner
  if (answer.is === 'held' && !isOurs) return answer
  const lease =
    answer.is === 'taken'
      ? { mark: answer.mark, leaseEndsAt: answer.expiresAt, leaseUntil: sentAt + ttlMs }
      : { mark: null, leaseEndsAt: answer.holder.expiresAt, leaseUntil: sentAt + (answer.leftMs ?? ttlMs) }
  // A lock acquired earlier has used some of its time.
  const takenAt = isOurs ? Math.min(sentAt, lease.leaseUntil - ttlMs) : sentAt
  const lockId = await lockIdOf(hold, open)
  await book.note(hold.holdId, each => ({
    ...each,
    ...lease,
    lockId,
    state: 'held',
    heldSince: takenAt,
    until: takenAt + each.forMs,
    other: null,
    problem: null,
  }))
  open.watcher.poke()
  return null
}

/** Short, and valid Unicode, as every store can keep it. */
function shortened(reason: string): string {
  return [...reason.replace(/\p{Cs}/gu, '')].slice(0, LONGEST_REASON).join('')
}

/** The id of the lock in lists; its key if the id cannot be read now. */
async function lockIdOf({ key, table }: HoldRecord, { store, signal }: OpenStore): Promise<string> {
  const id = recordIdOf(key, table)
  const [looked] = await store.look([id], signal).catch(() => [])
  return looked?.ok && looked.value.is === 'lock' ? looked.value.lock.id : key
}

/** The id of a record, in stores with one table or several. */
export function recordIdOf(key: string, table: string | null): string {
  return table === null ? key : `${table}/${key}`
}
