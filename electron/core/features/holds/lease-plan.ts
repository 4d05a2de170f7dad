import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { KeptHold } from './kept-hold.ts'

/** A renewed hold is never longer than this ahead of its console: so soon it ends when the console does. */
export const LEASE_MS = MINUTE_MS
/** The last lease is so much longer than it is wanted, so that it is let go by us and does not run out a moment before. */
const AFTERWARDS_MS = 5000
/** Less than this is no difference. */
const SAME_MS = 250

export type LeasePlan = {
  /** For how long to ask now; null when nothing has to be asked. */
  readonly extendMs: number | null
  /** When to look again, by the local clock. */
  readonly nextAt: number
}

/** For how long a lock is taken that is wanted for so long. */
export function firstLease(mode: KeptHold['mode'], forMs: number, leaseMs: number): number {
  return mode === 'once' ? forMs : Math.min(leaseMs, forMs + AFTERWARDS_MS)
}

/** What has to be done about the lease of a hold at this moment. */
export function leasePlan(hold: KeptHold, now: number, leaseMs: number): LeasePlan {
  const until = hold.until ?? now
  const { leaseUntil, mode } = hold
  if (mode === 'once') {
    // It was extended by the operator, and the store does not know yet.
    if (until - leaseUntil > SAME_MS) return { extendMs: until - now, nextAt: now }
    return { extendMs: null, nextAt: Math.min(until, now + leaseMs / 3) }
  }
  const wanted = Math.min(now + leaseMs, until + AFTERWARDS_MS)
  const renewAt = leaseUntil - (leaseMs * 2) / 3
  // A lease that is longer than any: the clock was set back, and the store's was not.
  const isSetBack = leaseUntil - now > leaseMs + SAME_MS
  if (isSetBack || hold.ask === 'renew') return { extendMs: wanted - now, nextAt: now }
  if (until + AFTERWARDS_MS - leaseUntil <= SAME_MS) return { extendMs: null, nextAt: until }
  if (now >= renewAt) return { extendMs: wanted - now, nextAt: now }
  return { extendMs: null, nextAt: Math.min(until, renewAt) }
}

/** Until when one that is waited for may be held by a try whose answer nobody has: formats round up, and requests arrive late. */
export function mayBeOursUntil({ mode, forMs, waitsUntil }: KeptHold, leaseMs: number): number {
  return (waitsUntil ?? 0) + firstLease(mode, forMs, leaseMs) + AFTERWARDS_MS
}

/** Whether it comes to nothing without its store: one that was taken for its whole time goes on by itself. */
export function needsStore({ state, mode }: KeptHold): boolean {
  return state === 'waiting' || (state === 'held' && mode === 'renewed')
}

/** Whether the store has been asked for the time that the operator was promised, or for as much of it as a lease has. */
export function isAssured({ mode, ask, until, leaseUntil }: KeptHold): boolean {
  return mode === 'renewed' ? ask !== 'renew' : until === null || until - leaseUntil <= SAME_MS
}
