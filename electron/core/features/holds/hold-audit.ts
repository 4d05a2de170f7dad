import { isoTime } from '../../../../shared/lease.ts'
import type { Facts } from '../../lib/handler.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { HoldRecord } from './hold-record.ts'

/** The facts of a hold in every audit entry about it. */
export function factsOf({ holdId, address, table, ...hold }: HoldRecord): Facts {
  const { storeName, key, format, mode, reason } = hold
  return { hold: holdId, store: address, storeName, key, format, mode, reason, ...(table && { table }) }
}

/** Before a hold is released because its time is over, without an operator's request. */
export function actingEntry(hold: HoldRecord): AuditEntry {
  return { event: 'acting', action: hold.action, method: 'holds.take', ...factsOf(hold) }
}

/** A hold changed without an operator's request. */
export function settledEntry(
  hold: HoldRecord,
  outcome: string,
  { holder, message }: { holder?: CurrentHolder | null; message?: string | null } = {},
): AuditEntry {
  const { until, leaseEndsAt } = hold
  return {
    ...actingEntry(hold),
    event: 'settled',
    outcome,
    ...(until !== null && { until: isoTime(until) }),
    ...(leaseEndsAt !== null && { endsAt: isoTime(leaseEndsAt) }),
    ...(holder && { current: { owner: holder.owner, label: holder.label } }),
    ...(message && { message }),
  }
}
