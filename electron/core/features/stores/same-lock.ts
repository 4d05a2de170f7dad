import { expiresAtOf } from '../../../../shared/lease.ts'
import type { Lock, Note } from '../../../../shared/locks.ts'
import { isSameFence } from '../../stores/fence.ts'
import { SAME_DEADLINE_MS } from './lock-history.ts'

/** Whether a screen that has one may go on showing it, and releasing by it, when the other was read. */
export function isSameLock(a: Lock, b: Lock): boolean {
  if (a.state !== b.state || a.lease.kind !== b.lease.kind || !isSameFence(a.fence, b.fence)) return false
  if (a.lease.kind === 'heartbeat' && b.lease.kind === 'heartbeat' && a.lease.version !== b.lease.version)
    return false
  if (a.notes.length !== b.notes.length || !a.notes.every((note, i) => isSameNote(note, b.notes[i])))
    return false
  return Math.abs((expiresAtOf(a.lease) ?? 0) - (expiresAtOf(b.lease) ?? 0)) <= SAME_DEADLINE_MS
}

/** Times in notes are deadlines, which are compared apart; waiters and holders come and go without the lock changing. */
function isSameNote(a: Note, b: Note | undefined): boolean {
  const count = 'count' in a ? a.count : null
  return a.code === b?.code && count === (b && 'count' in b ? b.count : null)
}
