import { expect, test } from 'vitest'
import {
  DAY_MS as D,
  HOUR_MS as H,
  MINUTE_MS as MIN,
  SECOND_MS as S,
  sayDuration,
} from '../../shared/duration.ts'

test.each([
  [0, '0.0 s'],
  [-0, '0.0 s'],
  [99, '0.0 s'],
  [5_400, '5.4 s'],
  [-5_400, '5.4 s'],
  [9_999, '9.9 s'],
  [10 * S, '10 s'],
  [59_950, '59 s'],
  [59_999.9, '59 s'],
  [MIN, '1 min 00 s'],
  [2 * MIN - 1, '1 min 59 s'],
  [168 * S, '2 min 48 s'],
  [H - 1, '59 min 59 s'],
  [H, '1 h 00 min'],
  [26 * H + 4 * MIN, '26 h 04 min'],
  [3 * D - 1, '71 h 59 min'],
  [3 * D, '3 days'],
  [3652 * D, '3652 days'],
  [3653 * D, '10 years'],
  [2 ** 63, '292,271,023 years'],
  [Infinity, 'an unknown time'],
  [Number.NaN, 'an unknown time'],
])('%d ms are said as %s', (ms, said) => {
  expect(sayDuration(ms)).toBe(said)
})

test.each([
  [0, '0 s'],
  [999, '0 s'],
  [5_400, '5 s'],
  [-9_999, '9 s'],
  [10 * S, '10 s'],
  [168 * S, '2 min 48 s'],
  [Number.NaN, 'an unknown time'],
])('%d ms without tenths are said as %s', (ms, said) => {
  expect(sayDuration(ms, { tenths: false })).toBe(said)
})

test('a duration never names a full unit as sixty of the smaller one', () => {
  for (let ms = 0; ms < 3 * H; ms += 997) expect(sayDuration(ms)).not.toMatch(/\b60(\.0)? (s|min)/)
})

test.each([
  [5_400, '5 s'],
  [168_000, '2 min 48 s'],
  [599_999, '9 min 59 s'],
  [2_413_000, '40 min'],
  [11_520_000, '3 h 12 min'],
])('%i ms, coarsely, is %s', (ms, said) => {
  expect(sayDuration(ms, { coarse: true })).toBe(said)
})
