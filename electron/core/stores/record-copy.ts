import { expiresAtOf } from '../../../shared/lease.ts'
import type { FormatInfo, Lock } from '../../../shared/lock.ts'
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
