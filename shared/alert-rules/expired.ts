import { parseAddress } from '../address.ts'
import { MINUTE_MS } from '../duration.ts'
import type { StoreKind } from '../locks.ts'
import { byHolder, lockRule } from './rule.ts'

/** What becomes of a leftover differs from store to store. */
const AFTERWARDS: Readonly<Record<StoreKind, string>> = {
  redis:
    'The key goes by itself only if it has a TTL: where only the value has an expiry, a clean-up job must delete it.',
  mysql: 'Rows do not go by themselves: check that the clean-up of expired locks runs, and often enough.',
  dynamodb: 'The next run may take over an expired item; DynamoDB’s own TTL deletes it hours or days later.',
  memory: 'The next program that asks for the lock clears it away, and so does a restart of the process.',
}

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
  lastStep: address => AFTERWARDS[parseAddress(address).kind],
})
