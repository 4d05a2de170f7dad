import { describe, expect, test } from 'vitest'
import { parseDuration } from '../../shared/duration.ts'
import { type Filter, type FilterSubject, matches, parseFilter } from '../../shared/filter.ts'
import type { Lease, Lock, WatchedLock } from '../../shared/locks.ts'
import { Random } from '../random.ts'
import { aLock } from './a-lock.ts'

const NOW = 1_800_000_000_000
const [S, MIN, H] = [1000, 60_000, 3_600_000]
const ends = (inMs: number, afterwards: 'expired' | 'released' = 'expired'): Lease => ({
  kind: 'deadline',
  expiresAt: NOW + inMs,
  source: 'stored',
  afterwards,
})
const since = (ms: number) => ({ acquiredAt: NOW - ms, acquiredAtSource: 'stored' as const })
const row = (lock: Partial<Lock>, more: Partial<FilterSubject> = {}): FilterSubject => ({
  lock: aLock(lock),
  storeName: 'Shop EU',
  storeKind: 'redis',
  production: false,
  ...more,
})

/** By a letter each, so that a table can say who is left. */
const ROWS: Record<string, FilterSubject> = {
  // held: 2 h old, 4 h left
  h: row({
    key: 'lock:auction:8841',
    name: 'auction:8841',
    owner: 'Worker-3 A',
    ...since(2 * H),
    lease: ends(4 * H),
  }),
  // expiring: 9 min old, 1 min left
  e: row(
    {
      key: 'jobs/nightly',
      name: 'nightly',
      owner: 'run-7',
      format: 'shedlock-table',
      ...since(9 * MIN),
      lease: ends(MIN),
    },
    { storeName: 'Billing', storeKind: 'mysql', production: true },
  ),
  // expired
  x: row({
    key: 'pipeline "a,b"',
    owner: null,
    holder: { label: 'pid 4242 on HOST-9' },
    ...since(40 * S),
    lease: ends(-10 * S),
  }),
  // never, and nothing known of its beginning
  n: row({ key: 'state:odd', owner: 'x-1', lease: { kind: 'never' } }, { production: true }),
  // released
  r: row(
    { key: 'free', owner: 'run-8', ...since(5 * H), lease: ends(-H, 'released') },
    { storeKind: 'dynamodb' },
  ),
  u: row({ key: 'unknowable', owner: 'ÄRGER', lease: { kind: 'unknown' } }, { storeKind: 'memory' }),
}

const who = (filter: Filter) =>
  Object.entries(ROWS)
    .filter(([, subject]) => matches(filter, subject, NOW))
    .map(([letter]) => letter)
    .join('')

const ALL = 'hexnru'
const TABLE: [text: string, left: string, ...problems: string[]][] = [
  ['', ALL],
  ['  \t\n', ALL],
  // Text, anywhere
  ['auction', 'h'],
  ['AUCTION 8841', 'h'],
  ['auction nightly', ''],
  ['lock:auction:8841', 'h'],
  ['lock:', 'h'],
  ['8841auction', ''],
  ['worker-3', 'h'],
  ['host-9', 'x'],
  ['shedlock', 'e'],
  ['billing', 'e'],
  ['ärger', 'u'],
  ['"worker-3 a"', 'h'],
  ['"worker-3 a', 'h'],
  ['worker-3" a"', ''],
  ['"', ALL],
  ['""', ALL],
  ['"a,b"', 'x'],
  ['"state:odd"', 'n'],
  ['"age>1h"', ''],
  ['a,b', 'x'],
  ['.*', ''],
  // Negated
  ['-auction', 'exnru'],
  ['-"worker-3 a"', 'exnru'],
  ['-', ALL],
  ['- auction', 'h'],
  ['-state:held', 'exru'],
  ['-state:', ALL],
  ['--1', 'hexru'],
  ['-is:production -is:stuck', 'hru'],
  // States
  ['state:', ALL],
  ['state:,', ALL],
  ['state:held', 'hn'],
  ['STATE:Held', 'hn'],
  ['state:expiring', 'e'],
  ['state:expired', 'x'],
  ['state:released', 'r'],
  ['state:unknown', 'u'],
  ['state:no-expiry', 'n'],
  ['state:noexpiry', 'n'],
  ['state:never', 'n'],
  ['state:expired,expiring', 'ex'],
  ['state:expired,', 'x'],
  ['-state:expired,expiring', 'hnru'],
  ['state:"expired"', 'x'],
  ['state:expired state:held', ''],
  ['state:sleepy', ALL, 'unknown-state sleepy'],
  ['-state:sleepy', ALL, 'unknown-state sleepy'],
  ['state:sleepy,expired', 'x', 'unknown-state sleepy'],
  ['state:__proto__', ALL, 'unknown-state __proto__'],
  // Other fields
  ['owner:run', 'er'],
  ['holder:RUN-7,run-8', 'er'],
  ['owner:"worker-3 a",x-1', 'hn'],
  ['owner:"pid 4242"', 'x'],
  ['owner:auction', ''],
  ['key:lock:auction:8841', 'h'],
  ['key:run', ''],
  ['key:"a,b"', 'x'],
  ['store:shop', 'hxnru'],
  ['store:"shop eu",billing', ALL],
  ['-store:shop', 'e'],
  ['format:TOKEN', 'hxnru'],
  ['kind:mysql', 'e'],
  ['kind:mariadb,dynamodb', 'er'],
  ['kind:', ALL],
  ['kind:etcd', ALL, 'unknown-kind etcd'],
  ['is:production', 'en'],
  ['is:stuck', 'xn'],
  ['is:attention', 'exn'],
  ['is:stuck,production', 'exn'],
  ['is:odd', ALL, 'unknown-is odd'],
  ['colour:red', ''],
  // Ages: n and u have none
  ['age>1h', 'hr'],
  ['age>=2h', 'hr'],
  ['age>2h', 'r'],
  ['age<1h', 'ex'],
  ['age<=40s', 'x'],
  ['age<40s', ''],
  ['age:>1h', 'hr'],
  ['AGE>1H', 'hr'],
  ['-age>1h', 'ex'],
  ['age>1h30m', 'hr'],
  ['age>1.5h', 'hr'],
  ['age>0', 'hexr'],
  ['age<9min1ms', 'ex'],
  ['age<9m', 'x'],
  ['age>4h59min59s999ms', 'r'],
  ['age<1d', 'hexr'],
  ['left<5m', 'ex'],
  ['remaining<5m', 'ex'],
  ['left>0', 'he'],
  ['left<0', 'x'],
  ['-left<5m', 'h'],
  ['age>', ALL],
  ['age>=', ALL],
  ['age', ''],
  ['age>soon', ALL, 'bad-duration soon'],
  ['age>5', ALL, 'bad-duration 5'],
  ['age>1h30', ALL, 'bad-duration 1h30'],
  ['age>-1h', ALL, 'bad-duration -1h'],
  ['age>1h state:sleepy left<x', 'hr', 'unknown-state sleepy', 'bad-duration x'],
]

test.each(TABLE)('%j leaves %s', (text, left, ...problems) => {
  const filter = parseFilter(text)
  expect(who(filter)).toBe(left)
  expect(filter.problems.map(({ code, text }) => `${code} ${text}`)).toEqual(problems)
})

test.each<[string, number | null]>([
  ['250ms', 250],
  ['1h30m', 5_400_000],
  ['1d2h3min4s5ms', 93_784_005],
  ['0', 0],
  ['0.5s', 500],
  ['', null],
  ['h', null],
  ['1', null],
  ['1 h', null],
  ['1e3s', null],
  ['1h!', null],
])('the duration %j is %s ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms)
})

describe('ages', () => {
  test('are those that renewals do not reset', () => {
    const watched = {
      firstSeenAt: NOW - 2 * H,
      heldSince: NOW - 2 * H,
      renewals: 90,
      lastRenewedAt: NOW,
      holders: 1,
    }
    const lock: WatchedLock = { ...aLock({ ...since(5 * S), lease: ends(MIN) }), watched }
    expect(matches(parseFilter('age>1h'), { ...row({}), lock }, NOW)).toBe(true)
  })
})

test('a lock found again with another owner is not mistaken for the previous one', () => {
  const filter = parseFilter('owner:worker-2')
  expect(matches(filter, row({ owner: 'worker-1' }), NOW)).toBe(false)
  expect(matches(filter, row({ owner: 'worker-2' }), NOW)).toBe(true)
})

test('no input throws, and every problem has a text', () => {
  const random = new Random(5)
  const pieces = [
    'state',
    'owner',
    'is',
    'age',
    'left',
    ':',
    '>',
    '<',
    '=',
    ',',
    '"',
    '-',
    ' ',
    'held',
    '1h',
    '9',
    '.',
    '漢',
    '\ud800',
    '\0',
    '\\',
    '(',
    '*',
    'x',
  ]
  for (let round = 0; round < 20_000; round++) {
    const text = random.text(pieces, 12)
    const filter = parseFilter(text)
    expect(who(filter).length).toBeLessThanOrEqual(ALL.length)
    for (const problem of filter.problems) expect(problem.text).not.toBe('')
  }
})
