import { isoTime } from '../../../../shared/lease.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { HoldRecord } from './hold-record.ts'

/** The hold in every audit entry about it. */
export function factsOf(hold: HoldRecord): Record<string, unknown> {
  const { holdId, key, table, format, mode, reason, address, storeName } = hold
  return {
    hold: holdId,
    store: address,
    storeName,
    key,
    format,
    mode,
    reason,
    ...(table === null ? {} : { table }),
  }
}

/** Before a hold is released because its time is over: no request of an operator precedes it. */
export function actingEntry(hold: HoldRecord): AuditEntry {
  return { event: 'acting', action: hold.action, method: 'holds.take', ...factsOf(hold) }
}

/** A hold changed without a request of an operator. */
export function settledEntry(
  hold: HoldRecord,
  outcome: string,
  more: { holder?: CurrentHolder | null; message?: string | null } = {},
): AuditEntry {
  const { holder = null, message = null } = more
  return {
    event: 'settled',
    action: hold.action,
    method: 'holds.take',
    ...factsOf(hold),
    outcome,
    ...(hold.until === null ? {} : { until: isoTime(hold.until) }),
    ...(hold.leaseEndsAt === null ? {} : { endsAt: isoTime(hold.leaseEndsAt) }),
    ...(holder === null ? {} : { current: { owner: holder.owner, label: holder.label } }),
    ...(message === null ? {} : { message }),
  }
}
