import { expiresAtOf, isoTime, remainingMs, stateAt } from '../../../../shared/lease.ts'
import { noteSentence } from '../../../../shared/lock-words.ts'
import type { Lock } from '../../../../shared/locks.ts'

/** A lock as the command line prints it in JSON: times in ISO 8601, and the remaining time at the moment of printing. */
export function lockJson(lock: Lock, now: number): Record<string, unknown> {
  return {
    key: lock.key,
    name: lock.name,
    format: lock.format,
    owner: lock.owner,
    holder: lock.holder,
    acquiredAt: isoTime(lock.acquiredAt),
    acquiredAtSource: lock.acquiredAtSource,
    expiresAt: isoTime(expiresAtOf(lock.lease)),
    expiresAtSource: lock.lease.kind === 'deadline' ? lock.lease.source : 'unknown',
    remainingMs: remainingMs(lock, now),
    state: stateAt(lock, now),
    fence: lock.fence,
    id: lock.id,
    lease: lock.lease.kind,
    deadlines: lock.deadlines.map(({ at, source }) => ({ at: isoTime(at), source })),
    fields: lock.fields,
    notes: lock.notes.map(note => ({ code: note.code, text: noteSentence(note) })),
  }
}
