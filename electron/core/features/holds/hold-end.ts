import type { HoldEnd } from '../../../../shared/holds.ts'
import { isoTime } from '../../../../shared/lease.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { KeptHold } from './kept-hold.ts'

export const NOBODY_RENEWED = 'Nobody renewed it before its lease was over.'

/** Who has a lock, in as many words as the record has. */
export function sayHolder(holder: CurrentHolder | null): string | null {
  if (holder === null) return null
  const { owner, label } = holder
  if (owner === null || label === null || label === owner) return owner ?? label
  return `${owner} (${label})`
}

export function ended(
  hold: KeptHold,
  how: HoldEnd,
  { at, message = null, other = hold.other }: { at: number; message?: string | null; other?: string | null },
): KeptHold {
  const nothing = { keeper: null, ask: null, refusal: null, problem: null }
  return { ...hold, ...nothing, state: 'ended', other, ended: { how, at, message } }
}

/** What the audit says of a hold, whoever writes it. */
export function factsOf(hold: KeptHold): Record<string, unknown> {
  const { holdId, key, table, format, mode, reason, address, storeName } = hold
  return {
    ...{ hold: holdId, store: address, storeName, key, format, mode, reason },
    ...(table === null ? {} : { table }),
  }
}

/** Before a hold whose time is over is let go, which nobody asks for at that moment. */
export function actingEntry(hold: KeptHold): AuditEntry {
  return { event: 'acting', action: hold.action, method: 'holds.take', ...factsOf(hold) }
}

/** Something became of a hold while nobody asked for it. */
export function settledEntry(
  hold: KeptHold,
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
