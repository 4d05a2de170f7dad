import { expect, test } from 'vitest'
import { csvField, csvLine } from '../../shared/csv.ts'

test.each([
  ['plain:key', 'plain:key'],
  ['', ''],
  [null, ''],
  [12, '12'],
  [-3, '-3'],
  [Number.NaN, ''],
  ['a,b', '"a,b"'],
  ['say "no"', '"say ""no"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [' padded ', '" padded "'],
])('%j is written as %s', (value, written) => {
  expect(csvField(value)).toBe(written)
})

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t1',
  '\r=1',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff@x',
  '＝1+1',
  '\n-1',
])('what begins like a formula is text: %j', value => {
  expect(csvField(value)).toBe(`"'${value}"`)
})

test.each([
  ['a;=1+1', `"a;'=1+1"`],
  ['a; @SUM(A1);-2', `"a; '@SUM(A1);'-2"`],
  ['a\t＝1', `"a\t'＝1"`],
  ['x;"=1+1";y', `"x;""'=1+1"";y"`],
  ['a;\u200b=1', `"a;\u200b'=1"`],
  ['\t=1', `"'\t'=1"`],
  ['=1;=2', `"'=1;'=2"`],
  ['a;b=1', '"a;b=1"'],
])('what begins like a formula behind a semicolon or a tab is text: %j', (value, written) => {
  expect(csvField(value)).toBe(written)
})

test('a formula with quotes and commas is one field, and still text', () => {
  expect(csvField('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`)
})

test('a line has its fields in order and ends as the standard has it', () => {
  expect(csvLine(['a', 1, null, 'b,c'])).toBe('a,1,,"b,c"\r\n')
})

test('very many tabs take no longer than they should', () => {
  const started = performance.now()
  const short = csvField(`k${'\t'.repeat(2000)}x`)
  const shortMs = performance.now() - started
  const long = csvField(`k${'\t'.repeat(200_000)}x`)
  expect([short.length, long.length]).toEqual([2004, 200_004])
  // A hundred times as long; by the square it would be ten thousand times.
  expect(performance.now() - started).toBeLessThan(Math.max(2000, shortMs * 2000))
  expect(csvField('a\t\t=1')).toBe(`"a\t\t'=1"`)
})
