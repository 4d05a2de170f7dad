import { describe, expect, it } from 'vitest'
import {
  alertAdvice,
  alertHeadline,
  alertSentence,
  alertsSentence,
  sayUnacknowledged,
} from '../../shared/alert-words.ts'
import { ALERT_RULES, type Alert, type AlertRule, RULES } from '../../shared/alerts.ts'
import { allKinds } from '../../shared/kinds.ts'
import { neutralise } from '../../shared/safe-text.ts'

const MINUTE = 60_000
const ADDRESSES = ['redis://cache/0', 'mysql://root@db/shop', 'dynamodb://eu-west-1/locks', 'memory:practice']

function told(rule: AlertRule, more: Partial<Alert> = {}): Alert {
  return {
    alertId: 'a',
    rule,
    severity: RULES[rule].severity,
    storeId: 's',
    storeName: 'recharges',
    address: 'redis://cache/0',
    lockId: 'GPS_PROCESS',
    key: 'GPS_PROCESS',
    holder: 'worker-1',
    since: 0,
    until: null,
    count: 1,
    value: null,
    limit: null,
    detail: null,
    acknowledged: null,
    muteId: null,
    ...more,
  }
}

describe('an alert states its finding with its numbers', () => {
  it.each<[AlertRule, Partial<Alert>, string]>([
    [
      'store-down',
      { key: null, holder: null, value: 130_000, detail: 'The server does not answer ("ECONNREFUSED")' },
      'Can\'t read all of recharges for 2 min 10 s; showing older data. The server does not answer ("ECONNREFUSED").',
    ],
    [
      'expired',
      { value: 192 * MINUTE },
      'The lease of GPS_PROCESS in recharges, held by worker-1, ended 3 h 12 min ago, and the record is still stored.',
    ],
    [
      'two-stores',
      { detail: 'recharges-mysql' },
      'GPS_PROCESS is held in recharges by worker-1, and at the same time by another holder in recharges-mysql: the same job may be running twice.',
    ],
    [
      'implausible-expiry',
      { detail: '1703127056' },
      'GPS_PROCESS in recharges, held by worker-1, expires at 1703127056, which cannot be right; perhaps seconds and milliseconds were mixed up.',
    ],
    [
      'lease-used',
      { value: 0.9999 },
      'GPS_PROCESS in recharges, held by worker-1, has used 99 % of its present lease, and the lease has not been renewed since.',
    ],
    [
      'lease-used',
      { value: 0.8, holder: null },
      'GPS_PROCESS in recharges, held by an unknown holder, has used 80 % of its present lease, and the lease has not been renewed since.',
    ],
    [
      'no-expiry',
      { value: 300_000 },
      'GPS_PROCESS in recharges has been held by worker-1 for at least 5 min 00 s and has no expiry: if its holder dies, it stays.',
    ],
    [
      'no-expiry',
      { holder: null, value: null },
      'GPS_PROCESS in recharges is held and has no expiry: if its holder dies, it stays.',
    ],
    [
      'held-long',
      { value: 180 * MINUTE },
      'GPS_PROCESS in recharges has been held by worker-1 for 3 h 00 min.',
    ],
    [
      'renewed-long',
      { value: 90 * MINUTE, detail: '1204' },
      'GPS_PROCESS in recharges is kept by worker-1 by renewing it: 1,204 times in the 1 h 30 min it was watched.',
    ],
    ['contention', { value: 41 }, 'GPS_PROCESS in recharges changed holder 41 times within 5 minutes.'],
    [
      'clock-offset',
      { key: null, holder: null, value: -3400 },
      'The clock of recharges is 3.4 s behind the clock of this machine.',
    ],
  ])('%s', (rule, more, sentence) => {
    expect(alertSentence(told(rule, more))).toBe(sentence)
  })

  it('with little else known', () => {
    for (const rule of ALERT_RULES) {
      const sentence = alertSentence(told(rule, { key: null, holder: null }))
      expect(sentence).toMatch(/^[A-Z].*\.$/)
      expect(sentence).not.toMatch(/NaN|null|undefined|Infinity| {2}/)
    }
  })

  it('in a list, without the numbers that change', () => {
    expect(alertHeadline(told('expired'))).toBe('Past its expiry: GPS_PROCESS in recharges')
    expect(alertHeadline(told('store-down', { key: null }))).toBe('Store cannot be read: recharges')
  })

  it('together with others of its rule, in one sentence', () => {
    expect(alertsSentence('expired', 14, 'recharges')).toBe(
      '14 locks in recharges are past their expiry and still stored.',
    )
    expect(alertsSentence('no-expiry', 1, 'recharges')).toBe('1 lock in recharges is held and has no expiry.')
    expect(alertsSentence('contention', 12_000, 'recharges')).toBe(
      '12,000 locks in recharges change their holders often.',
    )
    for (const rule of ALERT_RULES)
      for (const count of [1, 2])
        expect(alertsSentence(rule, count, 'shop')).toMatch(/^(?=.*\bshop\b)[\dTs].*\.$/)
    expect([0, 1, 2].map(sayUnacknowledged)).toEqual([
      'No alerts',
      '1 alert to look at',
      '2 alerts to look at',
    ])
  })
})

describe('a hostile name in an alert', () => {
  const HOSTILE = `\u001b[2Jlock\u202egpj.\n\r<script>alert(1)</script>\u0007${'x'.repeat(500)}`

  it.each(ALERT_RULES)('%s moves no cursor, reorders nothing and leaves room for the rest', rule => {
    const hostile = { key: HOSTILE, holder: HOSTILE, storeName: HOSTILE, detail: HOSTILE }
    const alert = told(rule, hostile)
    for (const sentence of [alertSentence(alert), alertHeadline(alert), alertsSentence(rule, 3, HOSTILE)]) {
      expect(neutralise(sentence)).toBe(sentence)
      expect(sentence.length).toBeLessThan(700)
    }
  })

  it('is not escaped twice', () => {
    const sentence = alertSentence(told('held-long', { key: 'a\\x1b[31m', value: 1000 }))
    expect(sentence).toContain('a\\\\x1b[31m')
  })
})

describe('every rule', () => {
  it.each(ALERT_RULES)('%s has its words, and two to four steps of advice', rule => {
    const { title, about, limit } = RULES[rule]
    expect(title).toMatch(/^[A-Z]/)
    expect(about).toMatch(/^[A-Z].*\.$/)
    expect(limit === null).toBe(RULES[rule].defaults.limit === null)
    for (const address of ADDRESSES) {
      const steps = alertAdvice({ rule, address })
      expect(steps.length).toBeGreaterThanOrEqual(2)
      expect(steps.length).toBeLessThanOrEqual(4)
      for (const step of steps) expect(step).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('advises on an expired record by the kind of store', () => {
    const last = ADDRESSES.map(address => alertAdvice({ rule: 'expired', address }).at(-1))
    expect(new Set(last).size).toBe(allKinds().length)
    expect(last[1]).toContain('clean-up')
  })
})
