import { expect, test } from 'vitest'
import { attentionOf, byUrgency } from '../../../../electron/core/features/reports/attention.ts'
import type { ReportScope } from '../../../../electron/core/features/reports/sources.ts'
import { type StoreTenure, TenureBook } from '../../../../electron/core/features/stats/tenure-book.ts'
import { TopList } from '../../../../electron/core/lib/top-list.ts'
import { parseFilter } from '../../../../shared/filter.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { aWatchedLock } from '../stats/a-watched-lock.ts'

const NOON = Date.parse('2026-10-02T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function aTenure(id: string, from: number, change: Partial<StoreTenure> = {}): StoreTenure {
  return {
    ...{ id, key: id, format: 'pipeline-run', holder: `run-${from}`, ownerHash: null, group: 'runs' },
    ...{ from: NOON + from * MINUTE, begin: 'seen', until: NOON + (from + 1) * MINUTE, end: 'freed' },
    ...{ renewals: 0, ...change },
  }
}

function ended(
  tenures: readonly StoreTenure[],
  { released = new Map<string, { at: number }[]>(), stored = [] as WatchedLock[] } = {},
) {
  const book = new TenureBook(24 * HOUR)
  for (const tenure of tenures) book.add(tenure)
  const sources = { histories: { get: () => ({ history: { tenures: book } }) } }
  const open = {
    ...{ store: { kind: 'redis', address: 'redis://h' }, production: false },
    watcher: { storyOf: () => null },
  }
  const scope = {
    ...{ sources, stores: new Map([['s', { name: 'cache', open }]]), filter: parseFilter(''), request: {} },
    ...{ from: NOON, to: NOON + 10 * HOUR, now: NOON + 10 * HOUR },
  }
  const needy: Parameters<typeof attentionOf>[1] = new TopList(10, byUrgency)
  for (const lock of stored) needy.add({ storeId: 's', lock, now: scope.now, why: ['endless'] })
  return attentionOf(scope as unknown as ReportScope, needy, { alerted: new Set(), released })
}

test('a contended lock is one entry with one history, and does not push out the others', () => {
  const busy = Array.from({ length: 300 }, (_, i) => aTenure('busy', i, { end: 'lapsed' }))
  const { locks, more } = ended([...busy, aTenure('quiet', 5, { end: 'lapsed' }), aTenure('fine', 6)])
  expect(more).toBe(0)
  expect(locks.map(({ key, why }) => ({ key, why }))).toEqual([
    { key: 'busy', why: ['lapsed'] },
    { key: 'quiet', why: ['lapsed'] },
  ])
  expect(locks[0]).toMatchObject({ holder: 'run-299', earlierHolds: 294 })
  expect(locks[0]?.says).toMatch(/last of 300 tenures in the window that needed attention\.$/)
  expect(locks[1]?.says).toMatch(/its lease ran out\.$/)
})

test('has all the reasons of its tenures', () => {
  const until = NOON + 5 * HOUR
  const { locks } = ended([aTenure('k', 1, { end: 'lapsed' }), aTenure('k', 10, { until })], {
    released: new Map([['redis://h k', [{ at: until - 1000 }]]]),
  })
  expect(locks).toMatchObject([{ why: ['lapsed', 'held-long', 'released-here'] }])
  expect(locks[0]?.says).toMatch(/It was released with Lockkeeper/)
})

test('reports a release only for the tenure that an operator released', () => {
  const { locks } = ended([aTenure('k', 1), aTenure('k', 10), aTenure('k', 20)], {
    released: new Map([['redis://h k', [{ at: NOON + 10.5 * MINUTE }]]]),
  })
  expect(locks).toMatchObject([{ holder: 'run-10', why: ['released-here'] }])
})

test('a lock that is still stored is listed once, with the reasons of its ended tenures', () => {
  const stored = [aWatchedLock(NOON, { id: 'k', key: 'k' })]
  const { locks, more } = ended([aTenure('k', 1, { end: 'lapsed' })], { stored })
  expect(more).toBe(0)
  expect(locks).toMatchObject([{ key: 'k', ended: false, why: ['endless', 'lapsed'] }])
})

test('counts locks, and not tenures', () => {
  const tenures = Array.from({ length: 130 }, (_, i) => [
    aTenure(`k${i}`, 1, { end: 'lapsed' }),
    aTenure(`k${i}`, 3, { end: 'lapsed' }),
  ])
  const { locks, more } = ended(tenures.flat())
  expect([locks.length, more]).toEqual([100, 30])
})
