import { HOUR_MS } from '../../../shared/duration.ts'
import type { Inventory, Provider } from './provider.ts'

/** Grants everything and locks nothing. */
export const DISABLED: Provider = {
  kind: 'memory',
  format: 'disabled',
  defaultTtlMs: HOUR_MS,
  pollMs: HOUR_MS,
  keyOf: name => name,
  nameOf: key => key,
  async setup() {},
  async take(_, { ttlMs }) {
    const now = Date.now()
    return { is: 'taken', mark: null, fencing: null, acquiredAt: now, expiresAt: now + ttlMs }
  },
  extend: async (_, __, ttlMs) => ({ is: 'extended', expiresAt: Date.now() + ttlMs }),
  release: async () => ({ is: 'released' }),
  read: async () => null,
  listen: null,
  async close() {},
}

export const EMPTY_INVENTORY: Inventory = {
  activeLocks: async () => [],
  cleanupExpired: async () => 0,
  releaseAll: async () => ({ released: 0, planId: null, unread: [], results: [] }),
}
