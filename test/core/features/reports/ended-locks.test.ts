import { expect, test } from 'vitest'
import { endedLocks } from '../../../../electron/core/features/reports/ended-locks.ts'
import type { AskedStore, ReportSources } from '../../../../electron/core/features/reports/sources.ts'
import { HoldBook, type KeptHold } from '../../../../electron/core/features/stats/tenure-book.ts'
import { parseFilter } from '../../../../shared/filter.ts'

const NOON = Date.parse('2026-10-02T12:00:00Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

function aHold(id: string, from: number, change: Partial<KeptHold> = {}): KeptHold {
  return {
    ...{ id, key: id, format: 'pipeline-run', holder: `run-${from}`, ownerHash: null, group: 'runs' },
    ...{ from: NOON + from * MINUTE, begin: 'seen', until: NOON + (from + 1) * MINUTE, end: 'freed' },
    ...{ renewals: 0, ...change },
  }
}

function ended(
  holds: readonly KeptHold[],
  { released = new Map<string, number[]>(), told = new Set<string>(), alerted = new Set<string>() } = {},
) {
  const book = new HoldBook(24 * HOUR)
  for (const hold of holds) book.add(hold)
  const sources = { observatory: { get: () => ({ observation: { holds: book } }) } }
  const asked = { name: 'cache', open: { store: { kind: 'redis' }, production: false } }
  return endedLocks(
    sources as unknown as ReportSources,
    new Map([['s', asked as unknown as AskedStore]]),
    { alerted, released },
    { from: NOON, to: NOON + 10 * HOUR },
    parseFilter(''),
    name => told.has(name),
  )
}

test('a lock that many fight over is one entry with one story, and does not push out the others', () => {
  const busy = Array.from({ length: 300 }, (_, i) => aHold('busy', i, { end: 'lapsed' }))
  const { locks, more } = ended([...busy, aHold('quiet', 5, { end: 'lapsed' }), aHold('fine', 6)])
  expect(more).toBe(0)
  expect(locks.map(({ key, why }) => ({ key, why }))).toEqual([
    { key: 'busy', why: ['lapsed'] },
    { key: 'quiet', why: ['lapsed'] },
  ])
  expect(locks[0]).toMatchObject({ holder: 'run-299', earlierHolds: 294 })
  expect(locks[0]?.says).toMatch(/last of 300 holds in the window that needed attention\.$/)
  expect(locks[1]?.says).toMatch(/its lease ran out\.$/)
})

test('has all the reasons of its holds', () => {
  const until = NOON + 5 * HOUR
  const { locks } = ended([aHold('k', 1, { end: 'lapsed' }), aHold('k', 10, { until })], {
    released: new Map([['s k', [until - 1000]]]),
  })
  expect(locks).toMatchObject([{ why: ['lapsed', 'held-long', 'released-here'] }])
  expect(locks[0]?.says).toMatch(/It was released with Lockkeeper/)
})

test('only the hold that somebody released is said to have been', () => {
  const { locks } = ended([aHold('k', 1), aHold('k', 10), aHold('k', 20)], {
    released: new Map([['s k', [NOON + 10.5 * MINUTE]]]),
  })
  expect(locks).toMatchObject([{ holder: 'run-10', why: ['released-here'] }])
})

test('a lock that is told among those that are there is not told again', () => {
  const { locks, more, told } = ended([aHold('k', 1, { end: 'lapsed' })], { told: new Set(['s k']) })
  expect([locks, more]).toEqual([[], 0])
  expect(told.get('s k')).toEqual(['lapsed'])
})

test('counts locks, and not holds', () => {
  const holds = Array.from({ length: 130 }, (_, i) => [
    aHold(`k${i}`, 1, { end: 'lapsed' }),
    aHold(`k${i}`, 3, { end: 'lapsed' }),
  ])
  const { locks, more } = ended(holds.flat())
  expect([locks.length, more]).toEqual([100, 30])
})
