import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { isoTime } from '../../../../shared/lease.ts'

/** A hold as the command line prints it in JSON: times in ISO 8601. */
export function holdJson(hold: MaintenanceHold): Record<string, unknown> {
  const { storeId: _, ended, ...rest } = hold
  return {
    ...rest,
    askedAt: isoTime(hold.askedAt),
    heldSince: isoTime(hold.heldSince),
    until: isoTime(hold.until),
    leaseEndsAt: isoTime(hold.leaseEndsAt),
    waitsUntil: isoTime(hold.waitsUntil),
    ended: ended && { ...ended, at: isoTime(ended.at) },
  }
}
