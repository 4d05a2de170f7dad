import { HOUR_MS } from '../duration.ts'
import { holdersLookAlike } from '../lease.ts'
import { sayTimes } from '../numbers.ts'
import { byHolder, isHeld, lockRule, SAME_ALERT_MS } from './rule.ts'

export const renewedLong = lockRule({
  id: 'renewed-long',
  severity: 'warning',
  title: 'Renewed for long',
  about: 'One holder was seen to renew a lock for longer than this.',
  limit: { unit: 'ms', label: 'Renewed for longer than' },
  defaults: { enabled: true, limit: HOUR_MS, forMs: 0 },
  check(facts, limit) {
    const { renewals, heldSince } = facts.lock.watched
    // Where holders write alike, a renewal may as well be the next holder.
    if (!isHeld(facts) || renewals === 0 || holdersLookAlike(facts.lock)) return null
    const renewedMs = facts.now - heldSince
    return renewedMs > limit ? { value: renewedMs, since: heldSince + limit, detail: String(renewals) } : null
  },
  refindMs: limit => SAME_ALERT_MS + limit,
  sentence: alert =>
    `${alert.lock} in ${alert.store} is kept${byHolder(alert)} by renewing it: ${alert.detail === null ? 'often' : sayTimes(Number(alert.detail))} in the ${alert.duration ?? 'time'} it was watched.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has' : 'have'} been renewed for long.`,
  advice: [
    'Check the job and not just its process: renewing often continues when the work itself hangs or has failed.',
    'Stop the process that renews before you release the lock, or it may write the lock back.',
    'Have the lock renewed only while the job makes progress, and up to a longest time.',
  ],
})
