import { expect, test } from 'vitest'
import type { HistoryLine } from '../../../../electron/core/features/stats/history-file.ts'
import { StoreHistory } from '../../../../electron/core/features/stats/store-history.ts'
import type { LockEvent } from '../../../../electron/core/features/stores/subscriber.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { at } from '../lock.ts'
import { aWatchedLock, byId } from './a-watched-lock.ts'

const DAY = 86_400_000
const DOWN = { code: 'STORE_UNREACHABLE' as const, message: 'It does not answer' }

/** A history whose clock is set by hand, to milliseconds after an arbitrary moment. */
function observe(kept: readonly HistoryLine[] = [], startMs = 0) {
  let now = at(startMs)
  const lines: HistoryLine[] = []
  let requests = 0
  const history = new StoreHistory({
    keepMs: DAY,
    keep: line => lines.push(line),
    spent: () => ({ requests, units: null }),
    now: () => now,
  })
  for (const line of kept) history.recall(line)
  history.recalled()
  const happens = (what: LockEvent['what'], lock: WatchedLock) => history.onEvents([{ what, lock }])
  const pass = (ms: number, locks: readonly WatchedLock[] = [], unbroken = true, tookMs = 5) => {
    now = at(ms)
    requests += 3
    history.onPass({
      ...{
        locks: byId(...locks),
        serverTime: now,
        offsetMs: 0,
        errorMs: 1,
        scanned: 10,
        tookMs,
        unbroken,
      },
    })
  }
  const tenures = (id = 'orders') => [...history.tenures.within(0, at(10 * DAY), id)]
  const to = (ms: number) => {
    now = at(ms)
  }
  return { history, lines, happens, pass, tenures, to }
}

test('counts the flows between passes, and the observed time', () => {
  const { history, happens, pass, to } = observe()
  const lock = aWatchedLock(0)
  happens('found', lock)
  pass(0, [lock], false)
  to(1000)
  happens('renewed', lock)
  happens('taken', aWatchedLock(1000, { id: 'b' }))
  pass(1000, [lock])
  to(5000)
  happens('freed', lock)
  happens('lapsed', aWatchedLock(1000, { id: 'b' }))
  pass(5000)
  expect(history.figuresSince(at(-60_000), 's')).toMatchObject({
    flows: { taken: 1, passedOn: 0, renewed: 1, freed: 1, lapsed: 1 },
    observedMs: 5000,
  })
})

test('a lock held before watching began is no acquisition, and its length is unknown', () => {
  const { history, happens, pass, tenures, to } = observe()
  happens('found', aWatchedLock(0))
  pass(0, [aWatchedLock(0)], false)
  to(60_000)
  happens('freed', aWatchedLock(0))
  pass(60_000)
  expect(tenures()).toMatchObject([{ begin: 'before', end: 'freed', from: at(0), until: at(60_000) }])
  const figures = history.figuresSince(at(-1), 's')
  expect(figures.flows.taken).toBe(0)
  expect(figures.tenureTimes).toMatchObject({ unknown: 1 })
  expect(figures.tenureTimes.counts.every(count => count === 0)).toBe(true)
  expect(figures.longest).toBe(null)
})

test('an acquisition time in the record counts, by the clock of this machine', () => {
  const { history, happens, pass, tenures, to } = observe()
  // The store's clock is an hour ahead of ours.
  const HOUR = 3_600_000
  const lock = aWatchedLock(HOUR, { acquiredAt: at(HOUR - 120_000), acquiredAtSource: 'stored' })
  happens('found', lock)
  expect(tenures()).toMatchObject([{ begin: 'stored', from: at(-120_000), end: 'held', until: null }])
  pass(0, [lock], false)
  to(60_000)
  happens('freed', lock)
  expect(history.figuresSince(at(-1), 's').longest).toMatchObject({
    since: at(-120_000),
    until: at(60_000),
    exact: true,
  })
})

test('ignores a beginning in the future or before the calendar', () => {
  const { happens, tenures } = observe()
  for (const [id, acquiredAt] of [
    ['future', at(3_600_000)],
    ['ancient', -8e15],
    ['nothing', Number.NaN],
  ] as const)
    happens('found', aWatchedLock(0, { id, acquiredAt, acquiredAtSource: 'stored' }))
  for (const id of ['future', 'ancient', 'nothing'])
    expect(tenures(id)).toMatchObject([{ from: at(0), begin: 'before' }])
})

test('a next holder ends the tenure before it and begins its own', () => {
  const { history, happens, pass, tenures, to } = observe()
  happens('found', aWatchedLock(0))
  pass(0, [aWatchedLock(0)], false)
  to(1000)
  happens('passed-on', aWatchedLock(1000, { owner: 'run-2' }))
  pass(1000)
  expect(tenures()).toMatchObject([
    { end: 'passed-on', until: at(1000) },
    { end: 'held', from: at(1000), begin: 'seen' },
  ])
  expect(history.figuresSince(at(-1), 's').flows.passedOn).toBe(1)
})

test('two never hold a lock at once, whatever a record says of its beginning', () => {
  const { happens, pass, tenures, to } = observe()
  happens('found', aWatchedLock(0))
  pass(0, [aWatchedLock(0)], false)
  to(60_000)
  const early = { acquiredAt: at(-500_000), acquiredAtSource: 'stored' } as const
  const next = aWatchedLock(60_000, { owner: 'run-2', ...early })
  happens('passed-on', next)
  pass(60_000, [next])
  expect(tenures()).toMatchObject([{ until: at(60_000) }, { from: at(60_000), begin: 'seen' }])

  // What can be true is believed: it was taken after the last look.
  to(70_000)
  const then = { acquiredAt: at(65_000), acquiredAtSource: 'stored' } as const
  happens('passed-on', aWatchedLock(70_000, { owner: 'run-3', ...then }))
  expect(tenures().at(-1)).toMatchObject({ from: at(65_000), begin: 'stored' })
})

test('tokens are never kept, and the same token is recognized by its hash', () => {
  const { lines, happens, pass, to } = observe()
  const secret = 'b1946ac9-2492-4234-8a7e-d1f6b9a4c3e2'
  const lock = aWatchedLock(0, { owner: secret, holder: { label: secret } })
  happens('found', lock)
  pass(0, [lock], false)
  to(1000)
  happens('freed', lock)
  pass(20_000)
  const written = JSON.stringify(lines)
  expect(written).toContain('sha256:')
  for (const part of secret.split('-')) if (part.length > 4) expect(written).not.toContain(part)
})

test('after an outage, a lock with the same owner was held on, and a missing one ended at an unknown time', () => {
  const { history, happens, pass, tenures, to } = observe()
  const stays = aWatchedLock(0)
  const goes = aWatchedLock(0, { id: 'b' })
  for (const lock of [stays, goes]) happens('found', lock)
  pass(0, [stays, goes], false)
  to(5000)
  history.onFailure('down', DOWN)
  expect(history.isLive).toBe(false)
  to(60_000)
  happens('freed', goes)
  pass(60_000, [stays], false)
  expect(tenures()).toMatchObject([{ end: 'held', from: at(0) }])
  expect(tenures('b')).toMatchObject([{ end: 'unseen', until: at(0) }])
  const figures = history.figuresSince(at(-1), 's')
  expect(figures).toMatchObject({ flows: { freed: 0 }, observedMs: 0 })
  expect(history.samples.gaps(at(0), at(60_000), true)).toEqual([
    { from: at(0), until: at(60_000), why: 'down', message: 'It does not answer' },
  ])
})

test('a restart continues the kept history, with a gap in between', () => {
  const first = observe()
  const lock = aWatchedLock(0)
  first.happens('found', lock)
  first.happens('found', aWatchedLock(0, { id: 'b' }))
  first.pass(0, [lock, aWatchedLock(0, { id: 'b' })], false)
  first.pass(9000, [lock, aWatchedLock(0, { id: 'b' })])
  first.history.close()

  const second = observe(JSON.parse(JSON.stringify(first.lines)), 300_000)
  second.happens('found', lock)
  second.pass(300_000, [lock], false)
  expect(second.tenures()).toMatchObject([{ from: at(0), end: 'held' }])
  expect(second.tenures('b')).toMatchObject([{ end: 'unseen', until: at(9000) }])
  expect(second.history.samples.gaps(at(0), at(300_000), true)).toMatchObject([
    { from: at(9000), until: at(300_000), why: 'away' },
  ])
  expect(second.history.figuresSince(at(-1), 's').observedMs).toBe(9000)
})

test('a console that was killed, and a store that is down when the next one starts, are two gaps', () => {
  const first = observe()
  first.pass(0, [], false)
  first.pass(11_000)
  first.pass(22_000)
  // Nobody closed it: what was not complete is lost.
  const second = observe(first.lines, 300_000)
  second.history.onFailure('down', DOWN)
  second.to(400_000)
  expect(second.history.samples.gaps(at(11_000), at(400_000), false)).toEqual([
    { from: at(11_000), until: at(300_000), why: 'away', message: null },
    { from: at(300_000), until: null, why: 'down', message: 'It does not answer' },
  ])
})

test('two consoles that kept the same time are not counted twice', () => {
  const first = observe()
  first.pass(0, [], false)
  first.to(4000)
  first.happens('taken', aWatchedLock(4000))
  first.pass(5000)
  first.happens('freed', aWatchedLock(4000))
  first.history.close()
  const again = observe([...first.lines, ...first.lines], 6000)
  expect(again.tenures()).toHaveLength(1)
  expect(again.history.figuresSince(at(-1), 's')).toMatchObject({ flows: { taken: 1 }, observedMs: 5000 })
})

test('a clock that is set back loses what it cannot place and says so', () => {
  const { history, pass } = observe()
  for (let ms = 0; ms <= 7_200_000; ms += 60_000) pass(ms, [], ms > 0)
  pass(3_570_000)
  pass(3_600_000)
  expect(history.samples.gaps(at(0), at(3_600_000), true)).toEqual([
    {
      from: at(3_540_000),
      until: at(3_570_000),
      why: 'away',
      message: 'The clock of this machine was set back.',
    },
  ])
  const inOrder = history.samples.all.every(({ from, until }) => from <= until && until <= at(3_600_000))
  expect(inOrder).toBe(true)
})

test('a machine that slept saw nothing of it, and nothing that changed in its sleep was seen to happen', () => {
  const { history, happens, pass, tenures, to } = observe()
  const lock = aWatchedLock(0)
  happens('found', lock)
  pass(0, [lock], false)
  const HOURS = 8 * 3_600_000
  to(HOURS)
  happens('freed', lock)
  happens('taken', aWatchedLock(HOURS, { id: 'b' }))
  pass(HOURS, [aWatchedLock(HOURS, { id: 'b' })])
  expect(history.figuresSince(at(-1), 's')).toMatchObject({
    flows: { taken: 0, freed: 0 },
    observedMs: 0,
  })
  expect(tenures()).toMatchObject([{ end: 'unseen', until: at(0) }])
  expect(tenures('b')).toMatchObject([{ begin: 'before' }])
  expect(history.samples.gaps(at(0), at(HOURS), true)).toMatchObject([
    { from: at(0), until: at(HOURS), message: 'This machine slept, or its clock was set forward.' },
  ])
  pass(HOURS + 1000, [aWatchedLock(HOURS, { id: 'b' })])
  expect(history.figuresSince(at(-1), 's').observedMs).toBe(1000)
})

test('a reading that takes very long is no sleep', () => {
  const { history, pass } = observe()
  pass(0, [], false)
  pass(80_000, [], true, 75_000)
  pass(240_000, [], true, 150_000)
  expect(history.samples.gaps(at(0), at(240_000), true)).toEqual([])
})

test('what changed hands in an outage is not counted as seen', () => {
  const { history, happens, pass, to } = observe()
  const lock = aWatchedLock(0)
  happens('found', lock)
  pass(0, [lock], false)
  to(1000)
  history.onFailure('down', DOWN)
  to(60_000)
  happens('passed-on', aWatchedLock(60_000, { owner: 'run-2' }))
  happens('renewed', aWatchedLock(60_000, { id: 'b' }))
  pass(60_000, [aWatchedLock(60_000, { owner: 'run-2' })], false)
  pass(61_000, [aWatchedLock(60_000, { owner: 'run-2' })])
  expect(history.figuresSince(at(-1), 's').flows).toMatchObject({ passedOn: 0, renewed: 0, taken: 0 })
  expect(history.totals).toMatchObject({ passedOn: 0, renewed: 0 })
})

test('why nobody knows is said for each part of a long time', () => {
  const { history, pass, to, lines } = observe()
  pass(0, [], false)
  to(1000)
  history.onFailure('partial', { ...DOWN, message: 'A node is missing' })
  to(5000)
  history.onFailure('down', DOWN)
  for (let ms = 10_000; ms < 3_600_000; ms += 5000) {
    to(ms)
    history.onFailure('down', DOWN)
  }
  to(3_600_000)
  history.onStop()
  const told = [
    { from: at(0), until: at(5000), why: 'partial' },
    { from: at(5000), until: at(3_600_000), why: 'down' },
    { from: at(3_600_000), until: null, why: 'away' },
  ]
  expect(history.samples.gaps(at(0), at(9_000_000), false)).toMatchObject(told)
  // An outage is not written down with every try.
  expect(lines.filter(line => 'break' in line).length).toBeLessThan(70)

  // A process that was killed after an hour of it told until when it knew.
  const killed = observe(lines.slice(0, -1), 9_000_000)
  killed.pass(9_000_000, [], false)
  const gaps = killed.history.samples.gaps(at(0), at(9_000_000), true)
  expect(gaps.map(({ why }) => why)).toEqual(['partial', 'down', 'away'])
  expect(gaps[2]?.from).toBeGreaterThan(at(3_500_000))
})

test('tenures that two consoles kept are told once, however often a lock changed hands', () => {
  const told = (shiftMs: number): HistoryLine[] => {
    const { lines, happens, pass, to } = observe([], shiftMs)
    pass(shiftMs, [], false)
    for (let i = 0; i < 5; i++) {
      const lock = aWatchedLock(0, { owner: `token-${i}` })
      to(i * 20_000 + shiftMs)
      happens('taken', lock)
      pass(i * 20_000 + shiftMs, [lock])
      to(i * 20_000 + 10_000 + shiftMs)
      happens('freed', lock)
      pass(i * 20_000 + 10_000 + shiftMs)
    }
    return lines
  }
  const both = observe([...told(0), ...told(700)], 200_000)
  expect(both.tenures()).toHaveLength(5)
})

test('how long locks were held is told of all of them, and the longest too, when there are too many to keep each', () => {
  const { history, happens, pass, to } = observe()
  pass(0, [], false)
  const held = (id: string, from: number, until: number) => {
    to(from)
    happens('taken', aWatchedLock(from, { id }))
    to(until)
    happens('freed', aWatchedLock(from, { id }))
  }
  held('giant', 1000, 50_000)
  for (let i = 0; i < 30_000; i++) held(`k${i}`, 50_000, 50_500)
  pass(51_000)
  const figures = history.figuresSince(at(-1), 's')
  expect(figures.tenureTimes.counts.reduce((sum, n) => sum + n, 0)).toBe(30_001)
  expect(figures.longest).toMatchObject({ id: 'giant', until: at(50_000) })
  expect(history.tenures.droppedSince(at(0))).toBeGreaterThan(0)
  expect(history.tenures.droppedSince(at(60_000))).toBe(0)
})

test('an outage is one gap, whatever else the server says in its course', () => {
  const { history, pass, to, lines } = observe()
  pass(0, [], false)
  for (let ms = 5000; ms < 3_600_000; ms += 5000) {
    to(ms)
    history.onFailure('down', { ...DOWN, message: ms % 2 ? 'refused' : ms % 10_000 ? 'timed out' : 'reset' })
  }
  pass(3_600_000, [], false)
  expect(history.samples.gaps(at(0), at(3_600_000), true)).toMatchObject([{ why: 'down' }])
  expect(lines.length).toBeLessThan(70)
})

test('a record that is kept of a free lock is held by nobody after a restart', () => {
  const first = observe()
  first.happens('found', aWatchedLock(0))
  first.pass(0, [aWatchedLock(0)], false)
  first.history.close()
  const second = observe(first.lines, 60_000)
  second.pass(60_000, [aWatchedLock(60_000, { state: 'released' })], false)
  expect(second.tenures()).toMatchObject([{ end: 'unseen', until: at(0) }])
})

test('a reading that is suddenly slow is no sleep', () => {
  const { history, happens, pass, to } = observe()
  pass(0, [], false)
  to(100_000)
  happens('taken', aWatchedLock(100_000))
  pass(120_000, [aWatchedLock(100_000)], true, 115_000)
  expect(history.figuresSince(at(-1), 's').flows.taken).toBe(1)
})

test('what watching costs is told with each step', () => {
  const { history, pass } = observe()
  pass(0, [], false)
  pass(20_000)
  pass(40_000)
  expect(history.samples.all.map(({ spent }) => spent.requests)).toEqual([3, 3, 3])
})
