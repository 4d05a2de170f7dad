import { createHash } from 'node:crypto'
import { expiresAtOf, isoTime } from '../../../shared/lease.ts'
import type { Lock } from '../../../shared/lock.ts'
import type { PlanEntry } from '../../../shared/plan.ts'

export function auditedLock(lock: Lock): Record<string, unknown> {
  const { id, key, format, state, fence } = lock
  return {
    id,
    key,
    format,
    state,
    ownerHash: hashed(lock.owner),
    endsAt: isoTime(expiresAtOf(lock.lease)),
    fence,
  }
}

export function auditedEntry(entry: PlanEntry): Record<string, unknown> {
  const { id, key, format, state, fence } = entry
  return { id, key, format, state, ownerHash: hashed(entry.owner), endsAt: isoTime(entry.endsAt), fence }
}

function hashed(owner: string | null): string | null {
  return owner === null ? null : `sha256:${createHash('sha256').update(owner).digest('hex').slice(0, 16)}`
}
