import { expect, test } from 'vitest'
import { holderText, judgement } from '../../shared/lock-words.ts'
import { type Lease, type Lock, leaseSchema, type Story, type Watched } from '../../shared/locks.ts'
import { Random } from '../random.ts'
import { aLock } from './a-lock.ts'

const NOW = Date.UTC(2027, 0, 15, 14, 4)
const [S, MIN, H, D] = [1000, 60_000, 3_600_000, 86_400_000]

const ends = (inMs: number, afterwards: 'expired' | 'released' = 'expired'): Lease => ({
  kind: 'deadline',
  expiresAt: NOW + inMs,
  source: 'stored',
  afterwards,
})
const since = (ms: number): Partial<Lock> => ({ acquiredAt: NOW - ms, acquiredAtSource: 'stored' })
const seen = (ms: number, renewals = 0): Watched => ({
  firstSeenAt: NOW - ms,
  heldSince: NOW - ms,
  renewals,
  lastRenewedAt: renewals > 0 ? NOW - ms : null,
  holders: 1,
})
const pid = { label: 'pid 4242 on worker-3', pid: 4242, host: 'worker-3' }

const ROWS: [what: string, lock: Partial<Lock>, watched: Watched | null, sentence: string][] = [
  [
    'expired',
    { holder: pid, ...since(3 * H + 12 * MIN), lease: ends(-40 * MIN) },
    null,
    'Held by pid 4242 on worker-3 for 3 h 12 min; its lease ended 40 min ago.',
  ],
  [
    'expired and watched',
    { holder: pid, ...since(3 * H + 12 * MIN), lease: ends(-40 * MIN) },
    seen(5 * MIN),
    'Held by pid 4242 on worker-3 for 3 h 12 min; its lease ended 40 min ago; nothing has renewed it in the 5 min 00 s it was watched.',
  ],
  [
    'expired, watched for a moment',
    { ...since(H), lease: ends(-500) },
    seen(300),
    'Held by worker-1 for 1 h 00 min; its lease ended just now.',
  ],
  [
    'expired after renewals',
    { lease: ends(-40 * S) },
    seen(2 * H, 14),
    'Held by worker-1 for at least 2 h 00 min; its lease ended 40 s ago; renewed 14 times since 12:04 UTC.',
  ],
  ['held', { lease: ends(90 * S) }, null, 'Held by worker-1; its lease ends in 1 min 30 s.'],
  [
    'held for less than a second',
    { ...since(300), lease: ends(900) },
    null,
    'Held by worker-1; its lease ends in less than a second.',
  ],
  [
    'held from the future',
    { ...since(-5 * MIN), lease: ends(H) },
    null,
    'Held by worker-1; its lease ends in 1 h 00 min.',
  ],
  [
    'computed from the TTL',
    { acquiredAt: NOW - 90 * S, acquiredAtSource: 'ttl', lease: ends(H) },
    null,
    'Held by worker-1 for at least 1 min 30 s; its lease ends in 1 h 00 min.',
  ],
  [
    'renewed for ever',
    { acquiredAt: NOW - 5 * S, acquiredAtSource: 'stored', lease: ends(25 * S) },
    seen(2 * H, 14),
    'Held by worker-1 for at least 2 h 00 min; renewed 14 times since 12:04 UTC; its lease ends in 25 s.',
  ],
  [
    'renewed since yesterday',
    { lease: ends(25 * S) },
    seen(D, 1),
    'Held by worker-1 for at least 24 h 00 min; renewed once since 2027-01-14 14:04 UTC; its lease ends in 25 s.',
  ],
  [
    'expiring',
    { ...since(90 * S), lease: ends(9_900) },
    seen(9 * S, 2),
    'Held by worker-1 for 1 min 30 s; renewed twice since 14:03 UTC; its lease is nearly over, with 9 s left.',
  ],
  [
    'never',
    { ...since(4 * D), lease: { kind: 'never' } },
    null,
    'Held by worker-1 for 4 days. It never expires.',
  ],
  [
    'never, since nobody knows when',
    { lease: { kind: 'never' } },
    null,
    'Held by worker-1. It never expires.',
  ],
  ['released', { ...since(H), lease: { kind: 'released' } }, null, 'Free; last held by worker-1.'],
  ['released by its deadline', { lease: ends(-H, 'released') }, null, 'Free; last held by worker-1.'],
  ['released by nobody', { owner: null, lease: { kind: 'released' } }, null, 'Free.'],
  [
    'unknown',
    { ...since(H), lease: { kind: 'unknown' } },
    null,
    'Perhaps held by worker-1 for 1 h 00 min; when its lease ends is not known.',
  ],
  [
    'a deadline that is no number',
    { owner: null, lease: ends(Number.NaN) },
    null,
    'Perhaps held; its owner is not recorded; when its lease ends is not known.',
  ],
  [
    'heartbeat',
    { lease: { kind: 'heartbeat', leaseMs: 20 * S, version: 'a' } },
    null,
    'Held by worker-1; its holder has to renew it within 20 s.',
  ],
  [
    'heartbeat that beats',
    { lease: { kind: 'heartbeat', leaseMs: 20 * S, version: 'a' } },
    seen(H, 3),
    'Held by worker-1 for at least 1 h 00 min; its holder has to renew it within 20 s; renewed 3 times since 13:04 UTC.',
  ],
  [
    'heartbeat that may still come',
    { lease: { kind: 'heartbeat', leaseMs: 20 * S, version: 'a' } },
    seen(15 * S),
    'Held by worker-1 for at least 15 s; its holder has to renew it within 20 s.',
  ],
  [
    'heartbeat that stopped',
    { lease: { kind: 'heartbeat', leaseMs: 20 * S, version: 'a' } },
    seen(H),
    'Held by worker-1 for at least 1 h 00 min; its holder has to renew it within 20 s; nothing has renewed it in the 1 h 00 min it was watched.',
  ],
  [
    'session',
    { ...since(H), lease: { kind: 'session', session: '42' } },
    null,
    'Held by worker-1 for 1 h 00 min; it ends with its session 42.',
  ],
  [
    'nobody recorded',
    { owner: null, ...since(H), lease: ends(-H) },
    null,
    'Held for 1 h 00 min; its owner is not recorded; its lease ended 1 h 00 min ago.',
  ],
  [
    'at zero, not read again yet',
    { ...since(H), lease: ends(0), observedAt: NOW - 400 },
    seen(H),
    'Held by worker-1 for 1 h 00 min; its lease just ended; it is being read again.',
  ],
  [
    'free at zero, not read again yet',
    { ...since(H), lease: ends(-2 * S, 'released'), observedAt: NOW - 3 * S },
    null,
    'Held by worker-1 for 1 h 00 min; its lease just ended; it is being read again.',
  ],
  [
    'past its end in an outage',
    { ...since(H), lease: ends(-20 * MIN), observedAt: NOW - 21 * MIN },
    seen(H),
    'Held by worker-1 for 1 h 00 min; its lease was to end 20 min ago; it has not been read since.',
  ],
]

const make = (change: Partial<Lock>) => aLock({ observedAt: NOW, ...change })

test.each(ROWS)('%s', (_, change, watched, sentence) => {
  const lock = make(change)
  expect(judgement(watched === null ? lock : { ...lock, watched }, null, NOW)).toBe(sentence)
  // The story knows what watching knows, and needs no watched lock.
  if (watched !== null) {
    const story: Story = { ...watched, lastRenewedAt: null, tenures: [] }
    expect(judgement(lock, story, NOW)).toBe(sentence)
  }
})

test('every kind of lease has its sentence here', () => {
  const kinds = leaseSchema.options.map(option => option.shape.kind.value)
  expect(new Set(ROWS.map(([, { lease }]) => lease?.kind))).toEqual(new Set(kinds))
})

test('the story tells when it was last renewed', () => {
  const story: Story = { ...seen(2 * H, 14), lastRenewedAt: NOW - 90 * S, tenures: [] }
  expect(judgement(make({ lease: ends(-60 * S) }), story, NOW)).toBe(
    'Held by worker-1 for at least 2 h 00 min; its lease ended 1 min 00 s ago; renewed 14 times since 12:04 UTC, the last time 1 min 30 s ago.',
  )
})

test('a long token does not fill the sentence', () => {
  expect(judgement(make({ owner: 'x'.repeat(5000) }), null, NOW).length).toBeLessThan(200)
})

test.each<[string | null, string | null, string]>([
  ['a', null, 'a'],
  ['a', 'a', 'a'],
  ['a', 'pid 1', 'a (pid 1)'],
  [null, 'pid 1', 'pid 1'],
  [null, null, 'not recorded'],
])('the owner %s with the label %s is %s', (owner, label, text) => {
  expect(holderText({ owner, holder: label === null ? null : { label } })).toBe(text)
})

test('every number gives whole sentences', () => {
  const random = new Random(7)
  const times = [Number.NaN, Infinity, -Infinity, 0, -1, NOW - H, NOW - 1, NOW, NOW + 1, NOW + H, 2 ** 63]
  const time = () => random.pick(times)
  const leases = (): Lease[] => [
    { kind: 'deadline', expiresAt: time(), source: 'ttl', afterwards: random.pick(['expired', 'released']) },
    { kind: 'heartbeat', leaseMs: time(), version: '' },
    { kind: 'session', session: '' },
    { kind: 'never' },
    { kind: 'released' },
    { kind: 'unknown' },
  ]
  for (let round = 0; round < 20_000; round++) {
    const lock = make({
      owner: random.pick([null, '', 'a']),
      holder: random.pick([null, { label: '' }, { label: 'b' }]),
      acquiredAt: random.pick([null, time()]),
      acquiredAtSource: random.pick(['stored', 'ttl', 'token', 'unknown']),
      lease: random.pick(leases()),
      observedAt: time(),
    })
    const watched: Watched = {
      ...{
        firstSeenAt: time(),
        heldSince: time(),
        renewals: random.below(4),
        lastRenewedAt: null,
        holders: 1,
      },
    }
    const story: Story = { ...watched, lastRenewedAt: random.pick([null, time()]), tenures: [] }
    for (const said of [
      judgement(lock, null, NOW),
      judgement({ ...lock, watched }, null, NOW),
      judgement(lock, story, NOW),
    ]) {
      expect(said).toMatch(/^(Held|Free|Perhaps held)\b.*\.$/)
      expect(said).not.toMatch(/undefined|null|NaN|Infinity|\[object|-\d+ s| {2}|;\.|\.\./)
    }
  }
})
