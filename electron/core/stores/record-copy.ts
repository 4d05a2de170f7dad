import { expiresAtOf } from '../../../shared/lease.ts'
import type { FormatInfo, Lock } from '../../../shared/locks.ts'
import { StoreError } from '../lib/errors.ts'
import { checkFence } from './fence.ts'
import type { CurrentRecord } from './fenced-release.ts'
import type { RecordCopy } from './types.ts'

/** The copy of a record that is about to be released; null where the format says that putting it back would be wrong. */
export function copyOf(
  lock: Lock,
  formats: readonly { readonly info: FormatInfo }[],
  data: unknown,
): RecordCopy | null {
  const format = formats.find(each => each.info.id === lock.format)
  if (!format || format.info.noUndo !== null) return null
  // What had ended when it was released is put back as the leftover that it was.
  const endsAt = lock.state === 'expired' ? null : expiresAtOf(lock.lease)
  return { id: lock.id, format: lock.format, fence: lock.fence, endsAt, data }
}

/** Whether its lease has run out since: the holder knows that it has lost it, and the name is better left free. */
export function hasEnded(copy: RecordCopy, now: number): boolean {
  return copy.endsAt !== null && copy.endsAt <= now
}

/**
 * A copy comes from a file, and anybody may have changed it. Nothing is written unless what it makes is the very lock that
 * was released: of the same format, with the fence that it had.
 */
export function checkCopy(copy: RecordCopy, made: CurrentRecord<unknown> | null): void {
  const isSame =
    made !== null &&
    made.lock !== null &&
    made.lock.format === copy.format &&
    checkFence(copy.fence, made.lock.format, made.lock.key, made.seen).same
  if (!isSame) throw damagedCopy()
}

export function damagedCopy(): StoreError {
  return new StoreError(
    'BAD_INPUT',
    'The copy that was kept of this lock is damaged: it does not make the lock that was released, so nothing was put back',
  )
}
