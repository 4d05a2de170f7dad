import { describe, expect, test } from 'vitest'
import {
  attentionRank,
  byAttention,
  heldSinceOf,
  isHeld,
  isoTime,
  isPlausibleDeadline,
  isUnconfirmed,
  remainingMs,
  stateAt,
  usedFraction,
} from '../../shared/lease.ts'
import type { Lease, Lock, LockState, TimeSource } from '../../shared/locks.ts'
import { Random } from '../random.ts'
import { aLock } from './a-lock.ts'

const T = 1_800_000_000_000
const YEAR_50000 = Date.UTC(50_000, 0)
const until = (expiresAt: number, afterwards: 'expired' | 'released' = 'expired'): Lease => ({
  kind: 'deadline',
  expiresAt,
  source: 'stored',
  afterwards,
})

describe('a lease with a deadline', () => {
  test.each<[string, number | null, number, number, LockState, number | null]>([
    // acquired, expires, now, state, used
    ['is held just before 80 %', T, T + 10_000, T + 7_999, 'held', 0.7999],
    ['is expiring at exactly 80 %', T, T + 10_000, T + 8_000, 'expiring', 0.8],
    ['is expiring a millisecond before its end', T, T + 10_000, T + 9_999, 'expiring', 0.9999],
    ['is expired at exactly its end', T, T + 10_000, T + 10_000, 'expired', 1],
    ['is expired a millisecond later', T, T + 10_000, T + 10_001, 'expired', 1],
    ['is held when it was acquired in the future', T + 5_000, T + 10_000, T, 'held', 0],
    ['has no length when it ends before it began', T + 20_000, T + 10_000, T, 'held', null],
    ['has no length when it ends as it begins', T, T, T - 1, 'held', null],
    ['has no length when nobody knows its beginning', null, T + 1, T, 'held', null],
    ['has no length when its beginning is no number', Number.NaN, T + 1, T, 'held', null],
    ['is held until the year 50,000', T, YEAR_50000, T + 1000, 'held', expect.closeTo(0) as number],
    ['is held when it never comes', T, Infinity, T + 1000, 'held', 0],
    ['is expired when it was before 1970', T - 1, -5, T, 'expired', null],
    ['is unknown when it is no number', T, Number.NaN, T + 1000, 'unknown', null],
  ])('%s', (_, acquiredAt, expiresAt, now, state, used) => {
    const lock = { acquiredAt, lease: until(expiresAt) }
    expect(stateAt(lock, now)).toBe(state)
    expect(usedFraction(lock, now)).toEqual(used)
  })

  test('that leaves an ordinary record behind is released afterwards, not expired', () => {
    const lock = { acquiredAt: T, lease: until(T + 10, 'released') }
    expect([T + 9, T + 10, T + 11].map(now => stateAt(lock, now))).toEqual([
      'expiring',
      'released',
      'released',
    ])
  })

  test('has time remaining exactly as long as its deadline has not come, also between two milliseconds', () => {
    const lock = { acquiredAt: T, lease: until(T + 10) }
    const left = [0, 9, 9.6, 10, 10.4, 11, 3_600_010].map(ms => remainingMs(lock, T + ms))
    expect(left).toEqual([10, 1, 1, 0, 0, -1, -3_600_000])
    expect(remainingMs({ acquiredAt: T, lease: until(Number.NaN) }, T)).toBeNull()
  })
})

test.each<[Lease, LockState]>([
  [{ kind: 'never' }, 'held'],
  [{ kind: 'session', session: '7' }, 'held'],
  [{ kind: 'heartbeat', leaseMs: 1000, version: 'a' }, 'held'],
  [{ kind: 'released' }, 'released'],
  [{ kind: 'unknown' }, 'unknown'],
])('a lease without a deadline (%j) is %s at any time and has no remaining time', (lease, state) => {
  for (const now of [0, T, Infinity]) {
    expect(stateAt({ acquiredAt: 0, lease }, now)).toBe(state)
    expect(remainingMs({ acquiredAt: 0, lease }, now)).toBeNull()
    expect(usedFraction({ acquiredAt: 0, lease }, now)).toBeNull()
  }
})

describe('by attention', () => {
  test('expired comes first, then without expiry, expiring, held, unknown, released', () => {
    const leases: Lease[] = [
      until(T - 1),
      { kind: 'never' },
      until(T + 100),
      until(T + 100_000),
      { kind: 'unknown' },
      { kind: 'released' },
    ]
    const locks = leases.map(lease => ({ acquiredAt: T - 1000, observedAt: T, lease }))
    expect(locks.map(lock => attentionRank(lock, T))).toEqual([0, 1, 2, 3, 4, 5])
    // Its end came after it was read: that it is expired is not known.
    expect(attentionRank({ acquiredAt: T - 1000, observedAt: T - 2, lease: until(T - 1) }, T)).toBe(2)
    expect(attentionRank({ acquiredAt: 0, observedAt: T, lease: until(T - 1, 'released') }, T)).toBe(5)
  })

  test('the nearest deadline comes first, then the longest held, then key and id', () => {
    const make = (id: string, key: string, lease: Lease, acquiredAt: number | null) =>
      aLock({ id, key, lease, acquiredAt })
    const sorted = [
      make('1', 'z', { kind: 'never' }, 5),
      make('2', 'a', { kind: 'never' }, null),
      make('3', 'b', { kind: 'never' }, null),
      make('4', 'b', { kind: 'never' }, null),
      make('5', 'z', until(T + 1e9), T),
      make('6', 'a', until(T + 2e9), T),
    ]
    expect([...sorted].reverse().sort(byAttention(T))).toEqual(sorted)
  })

  test('the order is total, and the same from any start', () => {
    const random = new Random(3)
    const times = [Number.NaN, Infinity, -Infinity, -5, 0, T - 1, T, T + 1, T + 5000, YEAR_50000]
    const lease = (): Lease =>
      random.pick<Lease>([
        until(random.pick(times)),
        until(random.pick(times), 'released'),
        { kind: 'never' },
        { kind: 'unknown' },
      ])
    const locks: Lock[] = Array.from({ length: 40 }, (_, i) =>
      aLock({
        id: String(i),
        key: random.pick(['a', 'b']),
        lease: lease(),
        acquiredAt: random.pick([null, ...times]),
      }),
    )
    const compare = byAttention(T)
    for (const a of locks)
      for (const b of locks) {
        expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0)
        if (a !== b) expect(compare(a, b)).not.toBe(0)
        for (const c of locks)
          if (compare(a, b) < 0 && compare(b, c) < 0 && !(compare(a, c) < 0)) expect.fail()
      }
    const once = [...locks].sort(compare)
    expect([...locks].reverse().sort(compare)).toEqual(once)
  })
})

const [H, D] = [3_600_000, 86_400_000]
test.each<readonly [number | null, string | null]>([
  [0, '1970-01-01T00:00:00.000Z'],
  [-1, '1969-12-31T23:59:59.999Z'],
  [YEAR_50000, '+050000-01-01T00:00:00.000Z'],
  [8.64e15, '+275760-09-13T00:00:00.000Z'],
  ...[8.64e15 + 1, -8.64e15 - 1, 2 ** 63, Infinity, -Infinity, Number.NaN, null].map(
    time => [time, null] as const,
  ),
])('the time %s is written as %s, and as nothing when no calendar reaches it', (time, iso) => {
  expect(isoTime(time)).toEqual(iso)
})

test.each([
  [T, true],
  [T + 3650 * D - 1, true],
  [T + 3650 * D, false],
  [946_684_799_999, false],
  [T / 1000, false],
  [T * 1000, false],
  [Infinity, false],
  [Number.NaN, false],
])('a deadline at %d is plausible: %s', (expiresAt, plausible) => {
  expect(isPlausibleDeadline(expiresAt, T)).toBe(plausible)
})

test.each<[string, number | null, TimeSource, number | null, ReturnType<typeof heldSinceOf>]>([
  // acquired, its source, seen to be held since
  ['nothing is known', null, 'unknown', null, null],
  ['it is no number', Number.NaN, 'stored', null, null],
  ['it is stored', T, 'stored', null, { at: T, exact: true }],
  ['it is in the token', T, 'token', null, { at: T, exact: true }],
  ['it is computed from a TTL', T, 'ttl', null, { at: T, exact: false }],
  ['it was only seen', null, 'unknown', T, { at: T, exact: false }],
  ['it is no number, but was seen', Number.NaN, 'stored', T, { at: T, exact: false }],
  ['it is stored and was seen later', T, 'stored', T + 5, { at: T, exact: true }],
  ['it is stored and was seen just then', T, 'stored', T, { at: T, exact: true }],
  ['it is in the token and was seen later', T, 'token', T + 5, { at: T, exact: true }],
  ['what is stored moves with renewals', T + 5, 'stored', T, { at: T, exact: false }],
  ['the TTL was renewed', T + 5, 'ttl', T, { at: T, exact: false }],
  ['it is computed from a TTL and was seen later', T, 'ttl', T + 5, { at: T, exact: false }],
])('since when it is held, when %s', (_, acquiredAt, acquiredAtSource, heldSince, expected) => {
  const watched = { firstSeenAt: T, heldSince: heldSince ?? 0, renewals: 0, lastRenewedAt: null, holders: 1 }
  const lock = { acquiredAt, acquiredAtSource, ...(heldSince === null ? {} : { watched }) }
  expect(heldSinceOf(lock)).toEqual(expected)
})

test.each<[string, Lease, number, boolean]>([
  ['before its deadline', until(T + 10), T + 9, false],
  ['at its deadline, read before', until(T + 10), T + 10, true],
  ['long after its deadline, read before', until(T + 10), T + H, true],
  ['past a deadline that leaves a free record', until(T + 10, 'released'), T + 10, true],
  ['read at its deadline', until(T), T, false],
  ['read after its deadline', until(T - 1), T + 5, false],
  ['with a deadline that is no number', until(Number.NaN), T + 5, false],
  ['without a deadline', { kind: 'never' }, T + 5, false],
])('an end is unconfirmed: %s', (_, lease, now, expected) => {
  expect(isUnconfirmed({ lease, observedAt: T }, now)).toBe(expected)
})

test.each<[string, Partial<Lock>, number, boolean]>([
  ['before its deadline', { lease: until(T + 10) }, T + 9, true],
  ['near its deadline', { lease: until(T + 10), acquiredAt: T - 90 }, T + 9, true],
  ['without an expiry', { lease: { kind: 'never' } }, T, true],
  ['that lives with a session', { lease: { kind: 'session', session: '7' } }, T, true],
  ['that is kept by a heartbeat', { lease: { kind: 'heartbeat', leaseMs: 5, version: 'a' } }, T + H, true],
  ['whose end is unknown', { lease: { kind: 'unknown' } }, T, true],
  ['whose deadline is no number', { lease: until(Number.NaN) }, T, true],
  ['whose deadline passed after it was last read', { lease: until(T + 10) }, T + H, true],
  ['that was read after its deadline', { lease: until(T - 1) }, T + 5, false],
  ['kept after its deadline as the record of a freed lock', { lease: until(T - 1, 'released') }, T, false],
  ['that was freed', { lease: { kind: 'released' } }, T, false],
])('a lock %s counts as held or not: %#', (_, change, now, held) => {
  expect(isHeld(aLock({ observedAt: T, ...change }), now)).toBe(held)
})

test('an expired record counts as held for as long as the server keeps its key', () => {
  const lock = aLock({ observedAt: T, lease: until(T - 1), deadlines: [{ at: T + 50, source: 'ttl' }] })
  expect([isHeld(lock, T + 49), isHeld(lock, T + 50)]).toEqual([true, false])
})
