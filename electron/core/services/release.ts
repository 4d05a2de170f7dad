import { isoTime } from '../../../shared/lease.ts'
import type { ReleaseOutcome } from '../../../shared/lock.ts'
import { only } from '../stores/settle.ts'
import type { LockStore, Target } from '../stores/types.ts'
import { auditedLock } from './audit/audited.ts'
import type { AuditLog } from './audit.ts'

export type SingleRelease = {
  readonly store: LockStore
  readonly target: Target
  /** What the audit calls it. */
  readonly action: string
  readonly audit: AuditLog
}

/** Releases one lock. The lock as it was just read, by the store's clock, is on record before it is touched. */
export async function releaseOne(
  { store, target, action, audit }: SingleRelease,
  signal: AbortSignal,
): Promise<ReleaseOutcome> {
  const settled = await store.releaseMany(
    [target],
    about =>
      audit.append(
        about.map(({ lock }) => ({
          event: 'acting',
          action,
          store: store.address,
          serverAt: isoTime(lock.observedAt),
          lock: auditedLock(lock),
        })),
      ),
    signal,
  )
  return only(settled)
}
