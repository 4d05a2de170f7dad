import { expect, test } from 'vitest'
import { sameParts } from '../../../renderer/state/same-parts.ts'

const told = () => ({ at: 1, locks: [{ key: 'a' }, { key: 'b' }], env: null as null | { value: string } })

test('an equal value keeps its objects', () => {
  const before = told()
  expect(sameParts(before, told())).toBe(before)
})

test('only changed parts are new objects', () => {
  const before = told()
  const after = sameParts(before, { ...told(), locks: [{ key: 'a' }, { key: 'c' }] })
  expect(after.locks).not.toBe(before.locks)
  expect(after.locks[0]).toBe(before.locks[0])
  expect(after.locks[1]).toEqual({ key: 'c' })
})

test.each([
  ['one more', [1, 2], [1, 2, 3]],
  ['one less', [1, 2, 3], [1, 2]],
  ['none', [1], []],
  ['something where nothing was', { env: null }, { env: { value: 'x' } }],
  ['nothing where something was', { env: { value: 'x' } }, { env: null }],
  ['a list where a record was', { 0: 'x' }, ['x']],
  ['a name that is gone', { a: 1, b: 2 }, { a: 1 }],
  ['another name', { a: undefined }, { b: undefined }],
] as [string, unknown, unknown][])('%s is told as it is', (_, before, after) => {
  expect(sameParts(before, after)).toStrictEqual(after)
})
