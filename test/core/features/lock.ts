import type { Lock } from '../../../shared/locks.ts'

const DAY = 1_800_000_000_000

/** A lock with a deadline, as a store would have read it. Times count from an arbitrary moment. */
export function lockAt(observed: number, more: Partial<Lock> & { endsAt?: number } = {}): Lock {
  const { endsAt = 60_000, ...rest } = more
  return {
    id: 'orders',
    key: 'orders',
    name: 'orders',
    format: 'token',
    owner: 'run-1',
    holder: null,
    acquiredAt: null,
    acquiredAtSource: 'unknown',
    lease: { kind: 'deadline', expiresAt: DAY + endsAt, source: 'ttl', afterwards: 'expired' },
    deadlines: [],
    state: 'held',
    fence: 'f',
    fields: {},
    notes: [],
    observedAt: DAY + observed,
    ...rest,
  }
}

export const at = (offset: number): number => DAY + offset
