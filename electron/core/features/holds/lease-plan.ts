import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { HoldRecord } from './hold-record.ts'

/** The lease of a renewed hold: it ends this soon after its console does. */
export const LEASE_MS = MINUTE_MS
/** The last lease lasts this much longer than the hold, so that we release the lock before its lease ends. */
const AFTERWARDS_MS = 5000
/** A smaller difference is none. */
const SAME_MS = 250

type LeasePlan = {
  /** The lease to request now; null for none. */
  readonly extendMs: number | null
  /** When the next step is due, by the local clock. */
  readonly nextAt: number
}

/** The first lease of a hold. */
export function firstLease({ mode, forMs }: Pick<HoldRecord, 'mode' | 'forMs'>): number {
  return mode === 'once' ? forMs : Math.min(LEASE_MS, forMs + AFTERWARDS_MS)
}

/** What to do about the lease of a hold now. */
export function leasePlan(hold: HoldRecord, now: number): LeasePlan {
  const until = hold.until ?? now
  const { leaseUntil, mode } = hold
  if (mode === 'once') {
    // The operator has extended the hold, but its lease is not extended yet.
    if (until - leaseUntil > SAME_MS) return { extendMs: until - now, nextAt: now }
    return { extendMs: null, nextAt: Math.min(until, now + LEASE_MS / 3) }
  }
  const wanted = Math.min(now + LEASE_MS, until + AFTERWARDS_MS)
  const renewAt = leaseUntil - (LEASE_MS * 2) / 3
  // Longer than any lease: the local clock was set back.
  const isSetBack = leaseUntil - now > LEASE_MS + SAME_MS
  if (isSetBack || hold.ask === 'renew') return { extendMs: wanted - now, nextAt: now }
  if (until + AFTERWARDS_MS - leaseUntil <= SAME_MS) return { extendMs: null, nextAt: until }
  if (now >= renewAt) return { extendMs: wanted - now, nextAt: now }
  return { extendMs: null, nextAt: Math.min(until, renewAt) }
}

/** Until when an attempt with a lost answer may hold the lock: formats round up, and requests arrive late. */
export function mayBeOursUntil(hold: HoldRecord): number {
  return (hold.waitsUntil ?? 0) + firstLease(hold) + AFTERWARDS_MS
}

/** Whether the hold ends without its store. A lock acquired for its whole time lasts by itself. */
export function needsStore({ state, mode }: HoldRecord): boolean {
  return state === 'waiting' || (state === 'held' && mode === 'renewed')
}

/** Whether the store has granted the time promised to the operator, as far as one lease covers it. */
export function isAssured({ mode, ask, until, leaseUntil }: HoldRecord): boolean {
  return mode === 'renewed' ? ask !== 'renew' : until === null || until - leaseUntil <= SAME_MS
}
