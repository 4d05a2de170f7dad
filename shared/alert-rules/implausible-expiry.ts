import { byHolder, lockRule } from './rule.ts'

export const implausibleExpiry = lockRule({
  id: 'implausible-expiry',
  severity: 'warning',
  title: 'Implausible expiry',
  about: 'The expiry in a record is before 2000 or more than ten years away.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: 0 },
  check: ({ implausibleExpiry: detail }) => (detail === null ? null : { detail }),
  sentence: alert =>
    `${alert.lock} in ${alert.store}${alert.holder === null ? '' : `, held${byHolder(alert)},`} expires at ${alert.detail ?? 'a time'}, which cannot be right; perhaps seconds and milliseconds were mixed up.`,
  summary: ({ locks, isOne, store }) =>
    `${locks} in ${store} ${isOne ? 'has' : 'have'} an expiry that cannot be right.`,
  advice: [
    'Look at the program that writes the expiry: seconds instead of milliseconds, or the other way round, are the usual cause.',
    'Until it is fixed, do not rely on the lock: other programs take it for one that ended long ago and start too, or for one that never ends and wait forever.',
    'When its holder is done, release the record with Lockkeeper, so that the next one is written correctly.',
  ],
})
