import { isPlausibleDeadline, isRepresentable, stateAt } from '../../../shared/lease.ts'
import type { Deadline, Holder, Lock, Note } from '../../../shared/locks.ts'
import { clipFields, clipText } from './clip-lock.ts'
import { makeFence } from './fence.ts'
import type { Decoded } from './types.ts'

/** Combines what a format decoded with the place of the record. */
export function lockFrom(id: string, key: string, format: string, decoded: Decoded, now: number): Lock {
  // Named one by one: this runs for every lock of a list, and copying the rest of an object is slow.
  return {
    id,
    key,
    name: decoded.name,
    format,
    owner: clipText(decoded.owner),
    holder: decoded.holder && clipHolder(decoded.holder),
    acquiredAt: decoded.acquiredAt,
    acquiredAtSource: decoded.acquiredAtSource,
    lease: decoded.lease,
    deadlines: decoded.deadlines,
    state: stateAt(decoded, now),
    fence: makeFence(format, key, decoded.seen),
    fields: clipFields(decoded.fields),
    notes: decoded.notes,
    observedAt: Math.round(now),
  }
}

/** The other parts of a holder repeat parts of its label. */
function clipHolder(holder: Holder): Holder {
  const label = clipText(holder.label)
  return label === holder.label ? holder : { label }
}

type Clocks = {
  /** The end stored in the record, epoch milliseconds; null if absent. */
  readonly storedAt?: number | null
  /** The text of that end, for the note about an implausible one. */
  readonly storedRaw?: string
  /** The end by the store's own TTL; null when the record has none; undefined where the store has no TTLs. */
  readonly ttlAt?: number | null
  readonly afterwards?: 'expired' | 'released'
}

/** Closer than this, a stored deadline and a TTL are the same deadline written by two commands. */
const AGREE_MS = 2000

/** A lock ends at the earlier of its deadlines. Deadlines that disagree or make no sense are noted. */
export function leaseFrom(clocks: Clocks, now: number): Pick<Decoded, 'lease' | 'deadlines' | 'notes'> {
  const { storedAt = null, ttlAt, afterwards = 'expired' } = clocks
  const notes: Note[] = []
  const deadlines: Deadline[] = []
  if (storedAt !== null && !isPlausibleDeadline(storedAt, now))
    notes.push({ code: 'implausible-expiry', raw: clipText(clocks.storedRaw ?? String(storedAt)) })
  if (storedAt !== null && isRepresentable(storedAt)) deadlines.push({ at: storedAt, source: 'stored' })
  if (ttlAt !== null && ttlAt !== undefined) deadlines.push({ at: ttlAt, source: 'ttl' })
  const stored = deadlines.find(deadline => deadline.source === 'stored')
  if (stored && ttlAt !== undefined && (ttlAt === null || Math.abs(ttlAt - stored.at) > AGREE_MS))
    notes.push({ code: 'clocks-disagree', storedAt: stored.at, ttlAt })
  const first = deadlines.reduce<Deadline | null>((a, b) => (a === null || b.at < a.at ? b : a), null)
  const lease = first
    ? { kind: 'deadline' as const, expiresAt: first.at, source: first.source, afterwards }
    : { kind: 'never' as const }
  return { lease, deadlines, notes }
}

/** When a lock with the library's usual lease was acquired, by its TTL. With more time left the lease was another: unknown. */
export function acquiredFromTtl(
  ttlAt: number | null,
  usualLeaseMs: number,
  now: number,
): { acquiredAt: number | null; acquiredAtSource: 'ttl' | 'unknown'; notes: Note[] } {
  if (ttlAt === null || ttlAt - now > usualLeaseMs)
    return { acquiredAt: null, acquiredAtSource: 'unknown', notes: [] }
  return {
    acquiredAt: ttlAt - usualLeaseMs,
    acquiredAtSource: 'ttl',
    notes: [{ code: 'assumed-lease', leaseMs: usualLeaseMs }],
  }
}
