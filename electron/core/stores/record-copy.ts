import { expiresAtOf } from '../../../shared/lease.ts'
import type { FormatInfo, Lock } from '../../../shared/locks.ts'
import { badInput, type StoreError } from '../lib/errors.ts'
import { checkFence } from './fence.ts'
import type { CurrentRecord } from './fenced-release.ts'
import type { RecordCopy } from './types.ts'

/** The copy of a record that is about to be released; null if there is no data, or if the format rules out restoring it. */
export function copyOf(lock: Lock, { noUndo }: FormatInfo, data: unknown): RecordCopy | null {
  if (data === undefined || noUndo !== null) return null
  // A lock that had expired is restored as the leftover it was.
  const endsAt = lock.state === 'expired' ? null : expiresAtOf(lock.lease)
  return { id: lock.id, format: lock.format, fence: lock.fence, endsAt, data }
}

/** Whether the lease has ended since: its holder knows that the lock is lost, so the name stays free. */
export function hasEnded(copy: RecordCopy, now: number): boolean {
  return copy.endsAt !== null && copy.endsAt <= now
}

/** A copy comes from a file, which may have been edited: it must have the format and the fence of the released lock. */
export function checkCopy(copy: RecordCopy, made: CurrentRecord<unknown> | null): void {
  const isSame =
    made?.lock &&
    made.lock.format === copy.format &&
    checkFence(copy.fence, made.lock.format, made.lock.key, made.seen).same
  if (!isSame) throw damagedCopy()
}

export function damagedCopy(): StoreError {
  return badInput(
    'The saved copy of this lock is damaged: it does not match the released lock, so nothing was restored',
  )
}
