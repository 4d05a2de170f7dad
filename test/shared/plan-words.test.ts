import { expect, test } from 'vitest'
import type { FormatInfo } from '../../shared/locks.ts'
import { type PlanWarning, planOutcome, planWarnings } from '../../shared/plan-words.ts'
import { noResults, type PlanEntry, type PlanHeader, type ResultCounts } from '../../shared/plans.ts'

const NOW = Date.UTC(2027, 0, 15, 8)

function entry(n: number, change: Partial<PlanEntry> = {}): PlanEntry {
  return {
    n,
    store: 0,
    id: `lock:${n}`,
    key: `lock:${n}`,
    format: 'token',
    owner: 'worker-1',
    holder: null,
    state: 'held',
    endsAt: NOW + 60_000,
    heldSince: NOW - 3_600_000,
    observedAt: NOW,
    renewals: 0,
    alike: false,
    fence: 'f',
    ...change,
  }
}

type Header = Pick<PlanHeader, 'kind' | 'watchedMs' | 'stores' | 'left'>
const STORE: PlanHeader['stores'][number] = {
  name: 'cache',
  address: 'redis://cache',
  kind: 'redis',
  production: false,
  unread: [],
}
const HEADER: Header = { kind: 'release', watchedMs: 3_600_000, stores: [STORE], left: 0 }

const TOKEN: FormatInfo = {
  id: 'token',
  store: 'redis',
  title: 'Token',
  writtenBy: 'x',
  recognisedBy: 'x',
  ownerIs: 'name',
  release: 'Deletes the key.',
  notifies: null,
  holderNotices: 'at-renewal',
  holderMayCrash: false,
  mayComeBack: false,
  noUndo: null,
}

function warnings(
  entries: readonly PlanEntry[],
  header: Partial<Header> = {},
  format: Partial<FormatInfo> = {},
): PlanWarning[] {
  return planWarnings({ ...HEADER, ...header }, entries, new Map([['token', { ...TOKEN, ...format }]]))
}

test('a plan without risks has no warnings', () => {
  expect(warnings([entry(0), entry(1)])).toEqual([])
})

type Case = [
  code: PlanWarning['code'],
  entry: Partial<PlanEntry>,
  header: Partial<Header>,
  format: Partial<FormatInfo>,
  one: RegExp,
  two: RegExp,
]
const CASES: Case[] = [
  [
    'production',
    {},
    { stores: [{ ...STORE, production: true }] },
    {},
    /^1 is in production: cache/,
    /^2 are in/,
  ],
  [
    'maintenance',
    { owner: 'lockkeeper:ana@jump-1:2beb7e341d8f' },
    {},
    {},
    /^1 is a maintenance hold of ana@jump-1: the job it blocks/,
    /^2 are maintenance holds of ana@jump-1: the jobs they block/,
  ],
  [
    'renewing',
    { renewals: 3 },
    {},
    {},
    /^1 is still being renewed: its holder is/,
    /^2 are .* their holders are/,
  ],
  ['young', { heldSince: NOW - 59_999 }, {}, {}, /^1 was held .* it is probably/, /^2 were .* they are/],
  [
    'runs-twice',
    {},
    {},
    { holderNotices: 'never' },
    /^The holder of 1 isn't notified/,
    /^The holders of 2 aren't/,
  ],
  [
    'runs-twice',
    {},
    {},
    { holderNotices: 'at-release' },
    /^The holder of 1 isn't notified/,
    /^The holders of 2 aren't/,
  ],
  [
    'may-crash',
    {},
    {},
    { holderMayCrash: true },
    /^The holder of 1 may crash .*: Token\.$/,
    /^The holders of 2/,
  ],
  [
    'comes-back',
    {},
    {},
    { mayComeBack: true },
    /^1 may be re-acquired by its/,
    /^2 may be re-acquired by their/,
  ],
  [
    'no-undo',
    {},
    {},
    { noUndo: 'Its queue is lost.' },
    /^1 cannot be restored .*: Its queue is lost\.$/,
    /^2 cannot/,
  ],
  ['alike', { alike: true }, {}, {}, /^1 is written identically/, /^2 are written identically/],
  ['no-end', { endsAt: null }, { kind: 'restore' }, {}, /^1 has no expiry/, /^2 have no expiry/],
]

test.each(CASES)('%s: %j %j %j', (code, change, header, format, one, two) => {
  const single = warnings([entry(0, change)], header, format)
  const both = warnings([entry(0, change), entry(1, change)], header, format)
  expect(single).toMatchObject([{ code, count: 1, sentence: expect.stringMatching(one) }])
  expect(both).toMatchObject([{ code, count: 2, sentence: expect.stringMatching(two) }])
  for (const { sentence } of [...single, ...both]) expect(sentence).toMatch(/^\S.*\.$/)
})

test('requested locks that had changed are counted', () => {
  expect(warnings([entry(0)], { left: 1 })[0]?.sentence).toMatch(
    /^1 requested lock had changed .* is not in the plan/,
  )
  expect(warnings([entry(0)], { left: 1204 })[0]?.sentence).toMatch(/^1,204 requested locks/)
  expect(warnings([entry(0)], { left: 2, kind: 'restore' })[0]?.sentence).toMatch(/^2 cannot be restored/)
})

test('each store names its unread parts, with hostile names escaped', () => {
  const stores = [
    { ...STORE, unread: ['node\u001b[2J'] },
    { ...STORE, name: 'sql', unread: ['a', 'b', 'c', 'd', 'e', 'f'] },
  ]
  const said = warnings([entry(0)], { stores })
  expect(said.map(({ code, count }) => [code, count])).toEqual([
    ['unread', 1],
    ['unread', 6],
  ])
  expect(said[0]?.sentence).toContain('(node\\x1b[2J)')
  expect(said[1]?.sentence).toContain('(a, b, c, d and 2 more)')
})

test('stores that were not watched are warned about', () => {
  expect(warnings([entry(0)], { watchedMs: 0 })[0]).toMatchObject({
    code: 'unwatched',
    sentence: expect.stringMatching(/not watched before/),
  })
  expect(warnings([entry(0)], { watchedMs: 12_000 })[0]?.sentence).toMatch(/watched for 12 s only/)
  expect(warnings([entry(0, { renewals: 1 })], { watchedMs: 12_000 }).map(each => each.code)).toEqual([
    'renewing',
  ])
})

test('a renewal that may be a new holder is not reported as a certain renewal', () => {
  const said = warnings([entry(0, { renewals: 1, alike: true })])
  expect(said[0]?.sentence).toMatch(/^1 is being renewed or re-acquired/)
})

test('the kept record of a released lock has no holder to warn about', () => {
  const freed = entry(0, { state: 'released', renewals: 2, alike: true, heldSince: NOW })
  expect(warnings([freed], {}, { holderNotices: 'never', holderMayCrash: true, mayComeBack: true })).toEqual(
    [],
  )
})

test('restoring locks harms no holder', () => {
  const busy = entry(0, { renewals: 2, alike: true, heldSince: NOW })
  expect(
    warnings([busy], { kind: 'restore', watchedMs: 0 }, { holderNotices: 'never', noUndo: 'No.' }),
  ).toEqual([])
})

test('warnings are ordered by severity', () => {
  const all = warnings(
    [
      entry(0, { renewals: 1, alike: true, heldSince: NOW, owner: 'lockkeeper:ana@jump-1:2beb7e341d8f' }),
      entry(1),
    ],
    { left: 1, watchedMs: 0, stores: [{ ...STORE, production: true, unread: ['x'] }] },
    { holderNotices: 'never', holderMayCrash: true, mayComeBack: true, noUndo: 'No.' },
  )
  expect(all.map(each => each.code)).toEqual([
    ...['production', 'maintenance', 'renewing', 'young', 'runs-twice', 'may-crash', 'comes-back'],
    ...['no-undo', 'alike', 'left', 'unread', 'unwatched'],
  ])
})

test('the outcome names every result, and its numbers add up', () => {
  const counts: ResultCounts = {
    ...{ released: 1, restored: 2, changed: 3, taken: 4, gone: 5, ended: 6, failed: 7, tried: 8, pending: 9 },
  }
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0)
  const said = planOutcome({ total, counts })
  const [of = '', ...parts] = said.split(/[:;] /)
  expect(of).toBe(`Of ${total} locks`)
  expect(parts.map(part => Number.parseInt(part, 10)).reduce((sum, n) => sum + n, 0)).toBe(total)
  expect(Object.keys(noResults())).toEqual(Object.keys(counts))
})

test('the outcome of one lock is in the singular', () => {
  expect(planOutcome({ total: 1, counts: { ...noResults(), gone: 1 } })).toBe(
    'Of 1 lock: 1 was already gone.',
  )
  expect(planOutcome({ total: 2, counts: noResults() })).toBe('Of 2 locks, none was attempted.')
})
