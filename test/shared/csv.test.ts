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
])('a field that begins like a formula becomes text: %j', value => {
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
])('a formula after a semicolon or a tab becomes text: %j', (value, written) => {
  expect(csvField(value)).toBe(written)
})

test('a formula with quotes and commas is one field, and still text', () => {
  expect(csvField('=HYPERLINK("http://x","y")')).toBe(`"'=HYPERLINK(""http://x"",""y"")"`)
})

test('a line has its fields in order and ends as the standard has it', () => {
  expect(csvLine(['a', 1, null, 'b,c'])).toBe('a,1,,"b,c"\r\n')
})

test('very many tabs are as harmless as one', () => {
  expect(csvField('a\t\t=1')).toBe(`"a\t\t'=1"`)
  // By the square of their number, this would not end in time.
  expect(csvField(`k${'\t'.repeat(300_000)}x`)).toHaveLength(300_004)
})
