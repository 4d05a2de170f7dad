import { expect, test } from 'vitest'
import { ServerClock } from '../../../electron/core/lib/clock.ts'
import { Random } from '../../random.ts'

const T = 1_800_000_000_000
const HOUR = 3_600_000

/** A server whose clock is off, behind a network that takes its time. */
function simulate(
  clock: ServerClock,
  offset: number,
  resolutionMs: number,
  readings: number,
  random: Random,
): void {
  for (let i = 0; i < readings; i++) {
    const sentAt = T + i * 1717 + random.below(1000)
    const answeredAt = sentAt + random.below(40)
    const receivedAt = answeredAt + random.below(40)
    const served = answeredAt + offset
    clock.observe(served - (served % resolutionMs), sentAt, receivedAt, resolutionMs)
  }
}

test('uses the local clock, with an unknown offset, until the store has answered', () => {
  const clock = new ServerClock(() => T)
  expect(clock.known).toBe(false)
  expect(clock.now()).toBe(T)
  expect(clock.reading()).toEqual({ serverTime: T, offsetMs: null, errorMs: 0 })
})

test('one reading bounds the offset by the round trip', () => {
  const clock = new ServerClock(() => T + 100)
  clock.observe(T + 5050, T, T + 100, 0)
  expect(clock.reading()).toEqual({ serverTime: T + 5100, offsetMs: 5000, errorMs: 50 })
})

test.each([HOUR, -HOUR, 0, 1, -250, 36 * HOUR])(
  'is right within its stated error for a clock that is %d ms off',
  offset => {
    for (const resolution of [1, 1000]) {
      for (let seed = 0; seed < 20; seed++) {
        const clock = new ServerClock(() => T)
        const random = new Random(seed)
        let lastError = Infinity
        for (let readings = 0; readings < 30; readings++) {
          simulate(clock, offset, resolution, 1, random)
          const { offsetMs, errorMs } = clock.reading()
          expect(Math.abs((offsetMs ?? Infinity) - offset)).toBeLessThanOrEqual(errorMs)
          expect(errorMs).toBeLessThanOrEqual(lastError)
          lastError = errorMs
        }
      }
    }
  },
)

test('whole seconds converge to a fraction of one', () => {
  const clock = new ServerClock(() => T)
  const random = new Random(5)
  simulate(clock, HOUR, 1000, 1, random)
  expect(clock.reading().errorMs).toBeGreaterThanOrEqual(500)
  simulate(clock, HOUR, 1000, 100, random)
  expect(clock.reading().errorMs).toBeLessThan(60)
})

test.each([HOUR, -HOUR, 500, -500])('starts again when the clock was set by %d ms', step => {
  const clock = new ServerClock(() => T)
  clock.observe(T, T, T + 10, 1)
  clock.observe(T + step, T, T + 10, 1)
  const { offsetMs, errorMs } = clock.reading()
  expect(Math.abs((offsetMs ?? Infinity) - step)).toBeLessThanOrEqual(errorMs)
  expect(errorMs).toBeLessThanOrEqual(6)
})

test('a slow answer does not widen the bounds of quick ones', () => {
  const clock = new ServerClock(() => T)
  clock.observe(T + 5, T, T + 10, 0)
  const before = clock.reading()
  clock.observe(T + 20_000, T, T + 30_000, 0)
  expect(clock.reading()).toEqual(before)
})

test.each([
  ['no number', Number.NaN, T, T + 10],
  ['infinite', Infinity, T, T + 10],
  ['taken while our own clock was set back', T, T + HOUR, T],
])('a reading that is %s changes nothing', (_, serverTime, sentAt, receivedAt) => {
  const clock = new ServerClock(() => T)
  clock.observe(serverTime, sentAt, receivedAt, 1)
  expect(clock.known).toBe(false)
  clock.observe(T + 5, T, T + 10, 0)
  const before = clock.reading()
  clock.observe(serverTime, sentAt, receivedAt, 1)
  expect(clock.reading()).toEqual(before)
})

test('the error of drifting clocks grows until the next reading', () => {
  let here = T
  const clock = new ServerClock(() => here, 100)
  clock.observe(T, T, T, 10)
  expect(clock.reading().errorMs).toBe(5)
  here += HOUR
  expect(clock.reading().errorMs).toBe(5 + 360)
  // Ours has fallen behind by a third of a second meanwhile: no contradiction, and no false precision.
  clock.observe(here + 300, here, here, 10)
  const { serverTime, errorMs } = clock.reading()
  expect(Math.abs(serverTime - (here + 305))).toBeLessThanOrEqual(errorMs)
  expect(errorMs).toBe(5)
})

test('drops earlier readings when told to forget, even those that later ones agree with', () => {
  const clock = new ServerClock(() => T)
  const random = new Random(7)
  simulate(clock, 0, 1000, 100, random)
  clock.forget()
  expect(clock.known).toBe(false)
  simulate(clock, 900, 1000, 1, random)
  const { offsetMs, errorMs } = clock.reading()
  expect(Math.abs((offsetMs ?? Infinity) - 900)).toBeLessThanOrEqual(errorMs)
})
