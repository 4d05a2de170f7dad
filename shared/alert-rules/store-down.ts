import { SECOND_MS } from '../duration.ts'
import { outageRule } from './rule.ts'

export const storeDown = outageRule({
  id: 'store-down',
  severity: 'critical',
  title: 'Store cannot be read',
  about: 'A store does not answer, or part of it cannot be read.',
  limit: null,
  defaults: { enabled: true, limit: null, forMs: 15 * SECOND_MS },
  sentence({ store, duration, detail }) {
    const error = detail === null ? '' : ` ${/[.!?…]$/.test(detail) ? detail : `${detail}.`}`
    return `Can't read all of ${store} for ${duration ?? 'some time'}; showing older data.${error}`
  },
  summary: ({ store }) => `${store} cannot be read, or not all of it.`,
  advice: [
    'Check that the server runs and that this machine can reach it: network, firewall, account and password.',
    'Find out what the programs do without it. A program that stops is safe; one that continues without a lock, or falls back to another store, may run the same job twice.',
    'When the store is back, look for locks past their expiry and for names held in two stores before you release anything.',
  ],
})
