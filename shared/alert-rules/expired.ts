import { parseAddress } from '../address.ts'
import { MINUTE_MS } from '../duration.ts'
import { kindOf } from '../kinds.ts'
import { byHolder, lockRule } from './rule.ts'

export const expired = lockRule({
  id: 'expired',
  severity: 'critical',
  title: 'Past its expiry',
  about: 'The lease of a lock has ended, and its record is still stored.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: MINUTE_MS },
  // An expiry that makes no sense is one thing to look into, not two.
  check: ({ state, expiresAt, implausibleExpiry, now }) =>
    state === 'expired' && expiresAt !== null && implausibleExpiry === null
      ? { value: now - expiresAt, since: expiresAt }
      : null,
  // The record itself says since when.
  refindMs: () => 0,
  sentence: alert =>
    `The lease of ${alert.lock} in ${alert.store}, held${byHolder(alert) || ' by an unknown holder'}, ended ${alert.duration ?? 'some time'} ago, and the record is still stored.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'is past its' : 'are past their'} expiry and still stored.`,
  advice: [
    'Find out whether its holder is still at work. If it is, its lease is too short: raise the lock timeout above the longest run, or renew the lease while it runs.',
    'If the run is over, look at how it releases the lock: the release belongs in a finally block, and an error in the release itself must be logged.',
    'Once you are sure that the holder is gone, release the lock with Lockkeeper.',
  ],
  lastStep: address => kindOf(parseAddress(address).kind).afterExpiry,
})
