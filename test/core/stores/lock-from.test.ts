import { describe, expect, test } from 'vitest'
import { checkFence } from '../../../electron/core/stores/fence.ts'
import { acquiredFromTtl, leaseFrom, lockFrom } from '../../../electron/core/stores/lock-from.ts'
import { noteSentence } from '../../../shared/lock-words.ts'
import { lockSchema } from '../../../shared/locks.ts'

const T = 1_800_000_000_000
const S = T + 60_000
const NO_DATE = 9e15

describe('a lease from two clocks', () => {
  type Row = [
    string,
    Parameters<typeof leaseFrom>[0],
    number | null,
    'stored' | 'ttl' | null,
    number,
    string[],
  ]
  test.each<Row>([
    // clocks, the end, by which clock, deadlines shown, notes
    ['nothing at all never ends', {}, null, null, 0, []],
    ['no stored end and no TTL never ends', { storedAt: null, ttlAt: null }, null, null, 0, []],
    ['a stored end alone, where there are no TTLs', { storedAt: S }, S, 'stored', 1, []],
    ['a TTL alone', { ttlAt: S }, S, 'ttl', 1, []],
    ['a TTL and no stored end', { storedAt: null, ttlAt: S }, S, 'ttl', 1, []],
    ['both the same', { storedAt: S, ttlAt: S }, S, 'stored', 2, []],
    ['close enough to be the same', { storedAt: S, ttlAt: S + 2000 }, S, 'stored', 2, []],
    ['TTL first, close enough', { storedAt: S, ttlAt: S - 2000 }, S - 2000, 'ttl', 2, []],
    ['stored ends first', { storedAt: S, ttlAt: S + 2001 }, S, 'stored', 2, ['clocks-disagree']],
    ['TTL ends first', { storedAt: S, ttlAt: S - 2001 }, S - 2001, 'ttl', 2, ['clocks-disagree']],
    ['a stored end that nothing enforces', { storedAt: S, ttlAt: null }, S, 'stored', 1, ['clocks-disagree']],
    ['a stored end in the past', { storedAt: T - 1, ttlAt: S }, T - 1, 'stored', 2, ['clocks-disagree']],
    ['seconds for milliseconds', { storedAt: T / 1000 }, T / 1000, 'stored', 1, ['implausible-expiry']],
    [
      'microseconds for milliseconds',
      { storedAt: T * 1000, ttlAt: S },
      S,
      'ttl',
      2,
      ['implausible-expiry', 'clocks-disagree'],
    ],
    ['a time that no calendar reaches', { storedAt: NO_DATE }, null, null, 0, ['implausible-expiry']],
    ['such a time, and a TTL', { storedAt: NO_DATE, ttlAt: S }, S, 'ttl', 1, ['implausible-expiry']],
    ['no number', { storedAt: Number.NaN, ttlAt: null }, null, null, 0, ['implausible-expiry']],
    ['an infinite one', { storedAt: Infinity, ttlAt: S }, S, 'ttl', 1, ['implausible-expiry']],
    ['a TTL that no calendar reaches', { storedAt: S, ttlAt: 2 ** 63 }, S, 'stored', 2, ['clocks-disagree']],
  ])('%s', (_, clocks, expiresAt, source, shown, notes) => {
    const made = leaseFrom(clocks, T)
    const lease =
      expiresAt === null ? { kind: 'never' } : { kind: 'deadline', expiresAt, source, afterwards: 'expired' }
    expect(made.lease).toEqual(lease)
    expect(made.deadlines).toHaveLength(shown)
    expect(made.notes.map(note => note.code)).toEqual(notes)
    for (const note of made.notes) expect(noteSentence(note)).not.toMatch(/undefined|null/)
  })

  test('quotes an implausible end as stored', () => {
    expect(leaseFrom({ storedAt: 7, storedRaw: '0.007' }, T).notes).toEqual([
      { code: 'implausible-expiry', raw: '0.007' },
    ])
  })

  test('states what a record means after its end', () => {
    expect(leaseFrom({ storedAt: S, afterwards: 'released' }, T).lease).toMatchObject({
      afterwards: 'released',
    })
  })
})

test.each<[string, number | null, number | null]>([
  ['just taken', T + 90_000, T],
  ['half used', T + 45_000, T - 45_000],
  ['past its end', T - 1, T - 90_001],
  ['longer than usual', T + 90_001, null],
  ['without a TTL', null, null],
])('a usual lease %s tells when it was acquired, or nothing', (_, ttlAt, acquiredAt) => {
  expect(acquiredFromTtl(ttlAt, 90_000, T)).toEqual(
    acquiredAt === null
      ? { acquiredAt, acquiredAtSource: 'unknown', notes: [] }
      : { acquiredAt, acquiredAtSource: 'ttl', notes: [{ code: 'assumed-lease', leaseMs: 90_000 }] },
  )
})

test("a lock combines its decoded record, its place, its state by the store's time and its fence", () => {
  const seen = { exact: ['token'] }
  const decoded = {
    ...leaseFrom({ ttlAt: S }, T),
    name: 'orders',
    owner: 'w',
    holder: null,
    acquiredAt: T - 1_000_000,
    acquiredAtSource: 'stored' as const,
    fields: {},
    seen,
  }
  const lock = lockFrom('id', 'key', 'token', decoded, T + 0.4)
  expect(lockSchema.strict().parse(lock)).toEqual(lock)
  expect(lock).toMatchObject({ id: 'id', key: 'key', format: 'token', state: 'expiring', observedAt: T })
  expect(checkFence(lock.fence, 'token', 'key', seen).same).toBe(true)
  expect(lockFrom('id', 'key', 'token', decoded, S).state).toBe('expired')
})
