import { MINUTE_MS } from '../duration.ts'
import { byHolder, isHeld, lockRule } from './rule.ts'

export const noExpiry = lockRule({
  id: 'no-expiry',
  severity: 'warning',
  title: 'No expiry',
  about: 'A lock is held and never ends by itself.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: MINUTE_MS },
  check(facts) {
    const { lock, heldSince, now } = facts
    if (!isHeld(facts) || lock.lease.kind !== 'never') return null
    return { value: heldSince === null ? null : Math.max(0, now - heldSince), since: heldSince }
  },
  sentence: alert => {
    const held = alert.duration === null ? 'is held' : 'has been held'
    const atLeast = alert.duration === null ? '' : ` for at least ${alert.duration}`
    return `${alert.lock} in ${alert.store} ${held}${byHolder(alert)}${atLeast} and has no expiry: if its holder dies, it stays.`
  },
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'is held and has' : 'are held and have'} no expiry.`,
  advice: [
    'Check that its holder is alive: if it dies without releasing the lock, nothing ever frees it.',
    'Once you are sure that the holder is gone, release the lock with Lockkeeper.',
    'Have the lock taken with a time to live from now on, and renewed where the work takes longer.',
  ],
})
