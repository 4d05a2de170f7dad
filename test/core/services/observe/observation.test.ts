import { expect, test } from 'vitest'
import type { HistoryLine } from '../../../../electron/core/services/observe/history-lines.ts'
import { Observation } from '../../../../electron/core/services/observe/observation.ts'
import type { Happening } from '../../../../electron/core/services/observe/observer.ts'
import type { WatchedLock } from '../../../../shared/lock.ts'
import { at } from '../lock.ts'
import { aWatchedLock, byId } from './a-watched-lock.ts'

const DAY = 86_400_000
const DOWN = { code: 'STORE_UNREACHABLE' as const, message: 'It does not answer' }

/** An observation whose clock is set by hand, to milliseconds after an arbitrary moment. */
function observe(kept: readonly HistoryLine[] = [], startMs = 0) {
  let now = at(startMs)
  const lines: HistoryLine[] = []
  let requests = 0
  const observation = new Observation({
    keepMs: DAY,
    keep: line => lines.push(line),
    spent: () => ({ requests, units: null }),
    now: () => now,
  })
  for (const line of kept) observation.recall(line)
  observation.recalled()
  const happens = (what: Happening['what'], lock: WatchedLock) => observation.happened([{ what, lock }])
  const pass = (ms: number, locks: readonly WatchedLock[] = [], unbroken = true) => {
    now = at(ms)
    requests += 3
    observation.passed({
      ...{
        locks: byId(...locks),
        serverTime: now,
        offsetMs: 0,
        errorMs: 1,
        scanned: 10,
        tookMs: 5,
        unbroken,
      },
    })
  }
  const holds = (id = 'orders') => [...observation.holds.within(0, at(10 * DAY), id)]
  const to = (ms: number) => {
    now = at(ms)
  }
  return { observation, lines, happens, pass, holds, to }
}

test('counts what happens between readings, and how much of the time was seen', () => {
  const { observation, happens, pass, to } = observe()
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
  expect(observation.figuresSince(at(-60_000), 's')).toMatchObject({
    flows: { taken: 1, passedOn: 0, renewed: 1, freed: 1, lapsed: 1 },
    observedMs: 5000,
  })
})

test('what was there before anybody looked was not acquired, and how long it was held is not known', () => {
  const { observation, happens, pass, holds, to } = observe()
  happens('found', aWatchedLock(0))
  pass(0, [aWatchedLock(0)], false)
  to(3_600_000)
  happens('freed', aWatchedLock(0))
  pass(3_600_000)
  expect(holds()).toMatchObject([{ begin: 'before', end: 'freed', from: at(0), until: at(3_600_000) }])
  const figures = observation.figuresSince(at(-1), 's')
  expect(figures.flows.taken).toBe(0)
  expect(figures.holdTimes).toMatchObject({ unknown: 1 })
  expect(figures.holdTimes.counts.every(count => count === 0)).toBe(true)
  expect(figures.longest).toBe(null)
})

test('a record that says when it was taken is believed, by the clock of this machine', () => {
  const { observation, happens, pass, holds, to } = observe()
  // The store's clock is an hour ahead of ours.
  const HOUR = 3_600_000
  const lock = aWatchedLock(HOUR, { acquiredAt: at(HOUR - 120_000), acquiredAtSource: 'stored' })
  happens('found', lock)
  expect(holds()).toMatchObject([{ begin: 'stored', from: at(-120_000), end: 'held', until: null }])
  pass(0, [lock], false)
  to(60_000)
  happens('freed', lock)
  expect(observation.figuresSince(at(-1), 's').longest).toMatchObject({
    since: at(-120_000),
    until: at(60_000),
    exact: true,
  })
})

test('a beginning in the future or before the calendar is not believed', () => {
  const { happens, holds } = observe()
  for (const [id, acquiredAt] of [
    ['future', at(3_600_000)],
    ['ancient', -8e15],
    ['nothing', Number.NaN],
  ] as const)
    happens('found', aWatchedLock(0, { id, acquiredAt, acquiredAtSource: 'stored' }))
  for (const id of ['future', 'ancient', 'nothing'])
    expect(holds(id)).toMatchObject([{ from: at(0), begin: 'before' }])
})

test('a next holder ends the hold before it and begins its own', () => {
  const { observation, happens, pass, holds, to } = observe()
  happens('found', aWatchedLock(0))
  pass(0, [aWatchedLock(0)], false)
  to(1000)
  happens('passed-on', aWatchedLock(1000, { owner: 'run-2' }))
  pass(1000)
  expect(holds()).toMatchObject([
    { end: 'passed-on', until: at(1000) },
    { end: 'held', from: at(1000), begin: 'seen' },
  ])
  expect(observation.figuresSince(at(-1), 's').flows.passedOn).toBe(1)
})

test('tokens are in nothing that is kept, and the same token is known again by its hash', () => {
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

test('after an outage a lock with the same owner was held on, and what is not there ended at an unknown time', () => {
  const { observation, happens, pass, holds, to } = observe()
  const stays = aWatchedLock(0)
  const goes = aWatchedLock(0, { id: 'b' })
  for (const lock of [stays, goes]) happens('found', lock)
  pass(0, [stays, goes], false)
  to(5000)
  observation.failed('down', DOWN)
  expect(observation.isLive).toBe(false)
  to(60_000)
  happens('freed', goes)
  pass(60_000, [stays], false)
  expect(holds()).toMatchObject([{ end: 'held', from: at(0) }])
  expect(holds('b')).toMatchObject([{ end: 'unseen', until: at(0) }])
  const figures = observation.figuresSince(at(-1), 's')
  expect(figures).toMatchObject({ flows: { freed: 0 }, observedMs: 0 })
  expect(observation.samples.gaps(at(0), at(60_000), true)).toEqual([
    { from: at(0), until: at(60_000), why: 'down', message: 'It does not answer' },
  ])
})

test('a restart goes on with what was kept, and knows that nobody looked in between', () => {
  const first = observe()
  const lock = aWatchedLock(0)
  first.happens('found', lock)
  first.happens('found', aWatchedLock(0, { id: 'b' }))
  first.pass(0, [lock, aWatchedLock(0, { id: 'b' })], false)
  first.pass(9000, [lock, aWatchedLock(0, { id: 'b' })])
  first.observation.close()

  const second = observe(JSON.parse(JSON.stringify(first.lines)), 300_000)
  second.happens('found', lock)
  second.pass(300_000, [lock], false)
  expect(second.holds()).toMatchObject([{ from: at(0), end: 'held' }])
  expect(second.holds('b')).toMatchObject([{ end: 'unseen', until: at(9000) }])
  expect(second.observation.samples.gaps(at(0), at(300_000), true)).toMatchObject([
    { from: at(9000), until: at(300_000), why: 'away' },
  ])
  expect(second.observation.figuresSince(at(-1), 's').observedMs).toBe(9000)
})

test('a console that was killed, and a store that is down when the next one starts, are two gaps', () => {
  const first = observe()
  first.pass(0, [], false)
  first.pass(11_000)
  first.pass(22_000)
  // Nobody closed it: what was not complete is lost.
  const second = observe(first.lines, 300_000)
  second.observation.failed('down', DOWN)
  second.to(400_000)
  expect(second.observation.samples.gaps(at(11_000), at(400_000), false)).toEqual([
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
  first.observation.close()
  const again = observe([...first.lines, ...first.lines], 6000)
  expect(again.holds()).toHaveLength(1)
  expect(again.observation.figuresSince(at(-1), 's')).toMatchObject({ flows: { taken: 1 }, observedMs: 5000 })
})

test('a clock that is set back loses what it cannot place and says so', () => {
  const { observation, pass, to } = observe()
  pass(0, [], false)
  pass(7_200_000)
  pass(3_600_000)
  to(3_660_000)
  pass(3_660_000)
  const [gap] = observation.samples.gaps(at(0), at(3_660_000), true)
  expect(gap).toMatchObject({ why: 'away', message: 'The clock of this machine was set back.' })
  expect(observation.samples.all.every(({ from, until }) => from <= until && until <= at(3_660_000))).toBe(
    true,
  )
})

test('what watching costs is told with each step', () => {
  const { observation, pass } = observe()
  pass(0, [], false)
  pass(20_000)
  pass(40_000)
  expect(observation.samples.all.map(({ spent }) => spent.requests)).toEqual([3, 3, 3])
})
