import { isoTime } from '../../../../shared/lease.ts'
import type { Lock, ReleaseOutcome } from '../../../../shared/locks.ts'
import type { PlanEntry } from '../../../../shared/plans.ts'
import type { Settled } from '../../lib/concurrency.ts'
import type { Target } from '../../stores/types.ts'
import { type AuditedLock, auditedLock } from '../audit/audited.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { planStoreOf } from './freeze.ts'
import type { UndoCopies } from './undo-copies.ts'

/** Under which action of the audit log a lock is changed, by which plan and why. */
export type Cause = { readonly action: string; readonly plan?: string; readonly reason?: string }

/** What must be on disk before a lock is touched. */
type Trace = {
  readonly cause: Cause
  readonly audit: AuditLog
  readonly copies: UndoCopies
  /** The lock as its copy describes it. */
  entryAt(place: number, lock: Lock): PlanEntry
  /** Writes down more about the targets at these places. */
  announce?(places: readonly number[]): Promise<void>
}

/** The entry that is in the audit log before a lock is touched. */
export function actingEntry({ name, store }: OpenStore, cause: Cause, lock: AuditedLock): AuditEntry {
  return { event: 'acting', ...cause, store: store.address, storeName: name, lock }
}

/** Releases locks by their fences. Before one is touched, its copy for an undo and its audit entry are on disk. */
export function releaseTraced(
  open: OpenStore,
  targets: readonly Target[],
  { cause, audit, copies, entryAt, announce }: Trace,
): Promise<readonly Settled<ReleaseOutcome>[]> {
  return open.store.releaseMany(
    targets.map(({ id, fence }) => ({ id, fence })),
    async imminent => {
      const at = Date.now()
      const store = planStoreOf(open)
      // An undo names the plan or the single release.
      await copies.keep(
        cause.plan ?? cause.action,
        imminent.map(({ place, lock, copy }) => ({ at, store, entry: entryAt(place, lock), copy })),
      )
      await audit.append(
        imminent.map(({ lock }) => ({
          ...actingEntry(open, cause, auditedLock(lock)),
          serverAt: isoTime(lock.observedAt),
        })),
      )
      await announce?.(imminent.map(({ place }) => place))
    },
    open.signal,
  )
}
