import { StoreError } from '../../lib/errors.ts'
import type { Held, Provider } from '../../locks/provider.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { HoldBook } from './hold-book.ts'
import type { KeptHold } from './kept-hold.ts'
import { firstLease } from './lease-plan.ts'

const LONGEST_REASON = 200

/** Its store is not open in this console. */
export class NotOpenHere extends StoreError {
  constructor() {
    super('NOT_FOUND', 'Its store is not open here, so nobody renews it')
  }
}

type TakeOptions = {
  readonly book: HoldBook
  readonly now: () => number
  readonly leaseMs: number
}
export type TakeAnswer = { readonly is: 'taken' } | Held

/** One try. When it is taken, the hold has everything that is known of it. */
export async function takeHold(
  hold: KeptHold,
  provider: Provider,
  open: OpenStore,
  { book, now, leaseMs }: TakeOptions,
): Promise<TakeAnswer> {
  const ttlMs = firstLease(hold.mode, hold.forMs, leaseMs)
  const sentAt = now()
  const metadata = {
    reason: shortened(hold.reason),
    until: new Date(sentAt + hold.forMs).toISOString(),
    ...(provider.kind === 'memory' ? { locked_by: hold.by } : {}),
  }
  const answer = await provider.take(hold.name, { owner: hold.owner, ttlMs, metadata }, open.signal)
  // An earlier try of ours, whose answer was lost: nobody else has this owner.
  const isOurs = answer.is === 'held' && answer.holder.owner === hold.owner
  if (answer.is === 'held' && !isOurs) return answer
  const lease =
    answer.is === 'taken'
      ? { mark: answer.mark, leaseEndsAt: answer.expiresAt, leaseUntil: sentAt + ttlMs }
      : { mark: null, leaseEndsAt: answer.holder.expiresAt, leaseUntil: sentAt + (answer.leftMs ?? ttlMs) }
  // One that was taken earlier has not the whole time before it any more.
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
  return { is: 'taken' }
}

/** A record is no place for long texts, and for none that is no Unicode. */
function shortened(reason: string): string {
  return [...reason.replace(/\p{Cs}/gu, '')].slice(0, LONGEST_REASON).join('')
}

/** What lists call the lock. That it cannot be found out now does not make it less ours. */
async function lockIdOf({ key, table }: KeptHold, { store, signal }: OpenStore): Promise<string> {
  const id = lookIdOf(key, table)
  const [looked] = await store.look([id], signal).catch(() => [])
  return looked?.ok && looked.value.is === 'lock' ? looked.value.lock.id : key
}

/** Finds a record in every store, whether it has one table or several. */
export function lookIdOf(key: string, table: string | null): string {
  return table === null ? key : `${table}/${key}`
}
