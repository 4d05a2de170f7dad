import type { Lock, WatchedLock } from '../../shared/locks.ts'

/** A lock as the watch tells it, held by `me` until an hour from `now`. */
export function watchedLock(id: string, changes: Partial<WatchedLock> = {}, now = Date.now()): WatchedLock {
  const lock: Lock = {
    id,
    key: id,
    name: id,
    format: 'token',
    owner: 'me',
    holder: null,
    acquiredAt: now - 60_000,
    acquiredAtSource: 'stored',
    lease: { kind: 'deadline', expiresAt: now + 3_600_000, source: 'stored', afterwards: 'expired' },
    deadlines: [],
    state: 'held',
    fence: `fence of ${id}`,
    fields: {},
    notes: [],
    observedAt: now,
  }
  return {
    ...lock,
    watched: { firstSeenAt: now, heldSince: now, renewals: 0, lastRenewedAt: null, holders: 1 },
    ...changes,
  }
}

export function endsAt(expiresAt: number): Pick<WatchedLock, 'lease'> {
  return { lease: { kind: 'deadline', expiresAt, source: 'stored', afterwards: 'expired' } }
}
