import { SECOND_MS } from '../duration.ts'
import { leaseBeginOf } from '../lease.ts'
import { byHolder, isHeld, lockRule } from './rule.ts'

export const leaseUsed = lockRule({
  id: 'lease-used',
  severity: 'warning',
  title: 'Lease nearly used',
  about: 'Lease usage exceeds this, and the lease has not been renewed.',
  limit: { unit: 'fraction', label: 'Used more than' },
  // A short lease passes 80 % for a moment before its lock is released in time: that concerns no operator.
  defaults: { enabled: true, limit: 0.8, forMs: 10 * SECOND_MS },
  check(facts, limit) {
    const { lock, expiresAt, now } = facts
    if (!isHeld(facts) || expiresAt === null) return null
    // Where nothing tells the beginning, the first reading says too little of the lease is used, and never too much.
    const begin = leaseBeginOf(lock, now) ?? lock.watched.heldSince
    const used = (now - begin) / (expiresAt - begin)
    if (expiresAt <= begin || used < limit) return null
    return { value: Math.min(1, used), since: begin + limit * (expiresAt - begin) }
  },
  mayPredateWatching: lock => leaseBeginOf(lock, lock.observedAt) === null && lock.watched.holders === 1,
  sentence: alert =>
    // Never rounded up: at 100 % the lease would be over.
    `${alert.lock} in ${alert.store}, held${byHolder(alert) || ' by an unknown holder'}, has used ${alert.value === null ? 'most' : `${Math.floor(alert.value * 100)} %`} of its present lease, and the lease has not been renewed since.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has nearly used its lease' : 'have nearly used their leases'}.`,
  advice: [
    'Look at how far the job is. When the lease ends before the job does, another run may start beside it.',
    'If runs need longer than this, raise the lock timeout well above the longest of them, or renew the lock every few minutes while the job runs.',
    'If they used to be faster, find out what slows them down before you give them more time.',
  ],
})
