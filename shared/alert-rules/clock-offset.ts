import { SECOND_MS, sayDuration } from '../duration.ts'
import { storeRule } from './rule.ts'

export const clockOffset = storeRule({
  id: 'clock-offset',
  severity: 'notice',
  title: 'Clocks differ',
  about: 'The clocks of a store and this machine differ by more than this.',
  limit: { unit: 'ms', label: 'Differ by more than' },
  defaults: { enabled: true, limit: 2 * SECOND_MS, forMs: 30 * SECOND_MS },
  *check({ offsetMs, offsetErrorMs }, limit) {
    // The offset itself may be wrong by the error of its measurement.
    if (offsetMs !== null && Math.abs(offsetMs) - offsetErrorMs > limit) yield { lock: null, value: offsetMs }
  },
  sentence: ({ store, value }) =>
    `The clock of ${store} is ${sayDuration(value ?? Number.NaN)} ${(value ?? 0) < 0 ? 'behind' : 'ahead of'} the clock of this machine.`,
  summary: ({ store }) => `The clocks of ${store} and this machine differ.`,
  advice: [
    'Check that time synchronization (NTP) runs on the store’s machine and on this one.',
    'Expiries that programs compute by their own clock end too early or too late by as much as that clock is wrong: leave leases a margin, or let the store compute them.',
    'The countdowns here use the store’s clock and stay right.',
  ],
})
