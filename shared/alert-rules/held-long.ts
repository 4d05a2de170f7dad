import { HOUR_MS } from '../duration.ts'
import { byHolder, isHeld, lockRule, SAME_ALERT_MS } from './rule.ts'

export const heldLong = lockRule({
  id: 'held-long',
  severity: 'warning',
  title: 'Held for long',
  about: 'One holder has had a lock for longer than this.',
  limit: { unit: 'ms', label: 'Held longer than' },
  defaults: { enabled: true, limit: 2 * HOUR_MS, forMs: 0 },
  check(facts, limit) {
    const { heldSince, now } = facts
    if (!isHeld(facts) || heldSince === null || now - heldSince <= limit) return null
    return { value: now - heldSince, since: heldSince + limit }
  },
  refindMs: limit => SAME_ALERT_MS + limit,
  sentence: alert =>
    `${alert.lock} in ${alert.store} has been held${byHolder(alert)} for ${alert.duration ?? 'a long time'}.`,
  summary: ({ locks, isOne, store }) => `${locks} in ${store} ${isOne ? 'has' : 'have'} been held for long.`,
  advice: [
    'Check in the log of the job whether it still makes progress, and whether it takes longer than it used to.',
    'If the job has ended, look at whether its finally block is reached, and whether the release failed with an error.',
    'Release the lock with Lockkeeper once you are sure that no job works under it, or wait until it expires.',
    'If jobs are meant to take this long, raise the limit of this rule for the store.',
  ],
})
