import { expect, test } from 'vitest'
import { plural, sayNumber, sayTimes } from '../../shared/numbers.ts'

test.each([
  [0, '0 locks', '0 times'],
  [1, '1 lock', 'once'],
  [2, '2 locks', 'twice'],
  [1204, '1,204 locks', '1,204 times'],
  [1.5, '1.5 locks', '1.5 times'],
])('%d of something is %s, and happened %s', (n, counted, happened) => {
  expect(plural(n, 'lock', 'locks')).toBe(counted)
  expect(sayTimes(n)).toBe(happened)
})

test('large numbers are grouped', () => {
  expect(sayNumber(1_234_567)).toBe('1,234,567')
})
