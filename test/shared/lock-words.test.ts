import { expect, test } from 'vitest'
import { noteSentence, releaseConsequences, sayRemaining } from '../../shared/lock-words.ts'
import {
  type FormatInfo,
  HOLDER_NOTICES,
  type Lease,
  leaseSchema,
  type Note,
  noteSchema,
} from '../../shared/locks.ts'

const T = Date.UTC(2027, 0, 15, 8)
const NO_DATE = 2 ** 63
const BROKEN = /undefined|null|NaN|Infinity|\[object|Invalid/

const NOTES: [Note, RegExp][] = [
  [{ code: 'implausible-expiry', raw: '1800000000' }, /expiry 1800000000 is implausible/],
  [
    { code: 'clocks-disagree', storedAt: T, ttlAt: T + 1000 },
    /ends at 2027-01-15T08:00:00.000Z, .* says 2027-01-15T08:00:01/,
  ],
  [{ code: 'clocks-disagree', storedAt: T, ttlAt: null }, /ends at 2027-.*, but the key has no TTL/],
  [{ code: 'clocks-disagree', storedAt: T, ttlAt: NO_DATE }, /TTL says 9223372036854776000 ms after 1970/],
  [
    { code: 'clocks-disagree', storedAt: NO_DATE, ttlAt: null },
    /beyond any calendar, but the key has no TTL/,
  ],
  [
    { code: 'wrong-type', field: 'pid', found: 'text', wanted: 'a number' },
    /^pid is stored as text where a number/,
  ],
  [{ code: 'missing-field', field: 'owner' }, /^owner is missing/],
  [{ code: 'assumed-lease', leaseMs: 90_000 }, /usual lease of 1 min 30 s/],
  [{ code: 'weak-fence', byDeadline: true }, /told apart by its deadline/],
  [{ code: 'weak-fence', byDeadline: false }, /cannot be told from this one/],
  [{ code: 'looks-like-cache' }, /make sure that this key is a lock/],
  [{ code: 'zone-unknown', field: 'lock_until' }, /lock_until carries no time zone/],
  [{ code: 'several-holders', count: 3 }, /^3 holders/],
  [{ code: 'waiters', count: 1 }, /^1 process is/],
  [{ code: 'waiters', count: 2 }, /^2 processes are/],
]

test.each(NOTES)('the note %j is one whole sentence', (note, words) => {
  const sentence = noteSentence(note)
  expect(sentence).toMatch(words)
  expect(sentence).toMatch(/^\S.*\.$/)
  expect(sentence).not.toMatch(BROKEN)
})

test('every code of a note has its sentence here', () => {
  const codes = noteSchema.options.map(option => option.shape.code.value)
  expect(new Set(NOTES.map(([note]) => note.code))).toEqual(new Set(codes))
})

const ends = (afterwards: 'expired' | 'released'): Lease => ({
  kind: 'deadline',
  expiresAt: T,
  source: 'ttl',
  afterwards,
})
const REMAINING: [Lease, number | null, string][] = [
  [ends('expired'), 1, '0.0 s'],
  [ends('expired'), 168_000, '2 min 48 s'],
  [ends('expired'), 0, 'ended 0.0 s ago'],
  [ends('expired'), -5400, 'ended 5.4 s ago'],
  [ends('released'), 5000, '5.0 s'],
  [ends('released'), 0, 'free'],
  [ends('released'), -5400, 'free'],
  [ends('expired'), null, 'unknown'],
  [{ kind: 'never' }, null, 'no expiry'],
  [{ kind: 'session', session: '7' }, null, 'with its session'],
  [{ kind: 'heartbeat', leaseMs: 1, version: 'a' }, null, 'while renewed'],
  [{ kind: 'released' }, null, 'free'],
  [{ kind: 'unknown' }, null, 'unknown'],
]

test.each(REMAINING)('a lease %j with %s ms left reads %s', (lease, remaining, words) => {
  expect(sayRemaining({ lease }, remaining)).toBe(words)
})

test('every kind of lease has its words here', () => {
  const kinds = leaseSchema.options.map(option => option.shape.kind.value)
  expect(new Set(REMAINING.map(([lease]) => lease.kind))).toEqual(new Set(kinds))
})

test.each(HOLDER_NOTICES)('whole sentences describe a holder that notices %s', holderNotices => {
  const info: FormatInfo = {
    id: 'x',
    store: 'redis',
    title: 'X',
    writtenBy: 'x',
    recognisedBy: 'x',
    ownerIs: 'name',
    release: 'Deletes the key.',
    notifies: null,
    holderNotices,
    holderMayCrash: true,
    mayComeBack: true,
    noUndo: null,
  }
  const all = releaseConsequences(info)
  expect(all).toHaveLength(5)
  for (const sentence of all) expect(sentence).toMatch(/^[A-Z].*\.$/)
  expect(all.join(' ')).not.toMatch(BROKEN)
  expect(
    releaseConsequences({ ...info, holderMayCrash: false, mayComeBack: false, notifies: 'Tells them.' }),
  ).toEqual(['Deletes the key.', 'Tells them.', all[2]])
})
