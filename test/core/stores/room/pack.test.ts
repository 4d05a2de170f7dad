import { expect, it } from 'vitest'
import { pack, unpack } from '../../../../electron/core/stores/room/pack.ts'

const lock = (i: number, more: object = {}) => ({
  id: `lock-${i}`,
  owner: null,
  lease: { kind: 'deadline', at: 1000 + i },
  deadlines: [{ at: 1000 + i, source: 'store' }],
  fields: { run: `run-${i}` },
  notes: [],
  ...more,
})

it('restores every item as it was', () => {
  const items = [
    lock(1),
    lock(2),
    lock(3, { notes: [{ code: 'waiters', count: 3 }] }),
    lock(4, { owner: undefined, age: Number.NaN, size: -0 }),
    lock(5),
    { ...lock(6), fields: {} },
    {},
  ]
  expect(unpack(structuredClone(pack(items)))).toStrictEqual(items)
})

it('keeps apart an absent field and one without a value, an array and an object', () => {
  const items = [
    { a: undefined },
    {},
    { a: [] },
    { a: {} },
    { a: null },
    { b: null },
    { a: ['x'] },
    { a: { 0: 'x' } },
  ]
  expect(unpack(pack(items))).toStrictEqual(items)
})

it('restores fields with the names of properties that every object has', () => {
  const items = [JSON.parse('{"__proto__":"evil","constructor":1,"toString":null}'), { a: 1 }]
  const [first] = unpack<object>(structuredClone(pack(items)))
  expect(Object.entries(first as object)).toEqual(Object.entries(items[0]))
  expect(Object.getPrototypeOf(first)).toBe(Object.prototype)
})

it('sends the names of fields once for all items of a shape', () => {
  const { shapes } = pack(Array.from({ length: 500 }, (_, i) => lock(i)))
  expect(shapes).toHaveLength(1)
})
