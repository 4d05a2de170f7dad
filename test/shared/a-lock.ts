import type { Lock } from '../../shared/locks.ts'

/** A lock that is valid in every respect, to change one thing about. */
export function aLock(change: Partial<Lock> = {}): Lock {
  return {
    id: 'orders',
    key: 'orders',
    name: 'orders',
    format: 'token',
    owner: 'worker-1',
    holder: null,
    acquiredAt: null,
    acquiredAtSource: 'unknown',
    lease: { kind: 'never' },
    deadlines: [],
    state: 'held',
    fence: 'f',
    fields: {},
    notes: [],
    observedAt: 1_800_000_000_000,
    ...change,
  }
}
