import { expect, test } from 'vitest'
import {
  firstPage,
  fitted,
  jsonBytes,
  PAGE_BYTES,
  pagesOf,
  shortText,
} from '../../../electron/core/lib/json-size.ts'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test.each([
  ['plain text', 'abc'],
  ['text with quotes', 'a"b\\c'],
  ['control characters', '\u0000\n\u001f\u007f'],
  ['two bytes', 'é\u0080'],
  ['three bytes', '漢\u2028'],
  ['pairs and halves of pairs', '😀\ud800a'],
  ['numbers', [0, -1.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY]],
  ['nothing', [null, undefined, true, false, [], {}]],
  ['members', { a: 1, 'b"': { c: [1, 2, { d: 'e' }] }, left: undefined }],
])('the size of %s is that of its JSON', (_, value) => {
  expect(jsonBytes(value)).toBe(bytesOf(value))
})

test('a record that fits stays the same', () => {
  const record = { id: 'a', owner: 'o'.repeat(100_000) }
  expect(fitted(record)).toBe(record)
})

test('a record that is too large keeps its id, and the start of every other text', () => {
  const id = 'i'.repeat(50_000)
  const large = '\u0001'.repeat(50_000)
  const fields = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`${i}${large.slice(0, 3000)}`, large]),
  )
  const shown = fitted({ id, owner: large, endsAt: 1, fields: { ...fields, id: large } })
  expect(shown.id).toBe(id)
  expect(shown.endsAt).toBe(1)
  expect(shown.owner).toBe(`${large.slice(0, 100)}…`)
  expect(bytesOf(shown)).toBeLessThan(PAGE_BYTES)
})

test('pages have every item once, in order, and none is larger than it may be', () => {
  const items = Array.from({ length: 5000 }, (_, i) => ({
    id: `${i}`,
    text: 'x'.repeat(i % 50 === 0 ? 90_000 : 10),
  }))
  const pages = [...pagesOf(items)]
  expect(pages.flat()).toEqual(items)
  for (const page of pages) expect(bytesOf(page)).toBeLessThanOrEqual(PAGE_BYTES + 2)
  expect([...pagesOf([])]).toEqual([])
})

test('a page has one item at least', () => {
  const id = 'x'.repeat(2 * PAGE_BYTES)
  expect(firstPage([id, 'b'])).toEqual([id])
})

test('a text is not cut within a character', () => {
  expect(shortText('a😀b', 2)).toBe('a…')
  expect(shortText('a😀b', 3)).toBe('a😀…')
  expect(shortText('abc', 3)).toBe('abc')
})
