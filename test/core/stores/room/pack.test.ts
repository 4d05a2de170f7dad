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

it('sends what is the same in all items once, and lets nobody change it', () => {
  const items = Array.from({ length: 500 }, (_, i) => ({ ...lock(i), key: `lock-${i}`, holder: { pid: 7 } }))
  const packed = structuredClone(pack(items))
  expect(JSON.stringify(packed).length).toBeLessThan(500 * 60)
  expect(unpack(structuredClone(pack(items.slice(0, 1))))).toEqual(items.slice(0, 1))
  const [one, two] = unpack<(typeof items)[number]>(packed)
  expect(two).toEqual(items[1])
  expect(one?.holder).toBe(two?.holder)
  expect(Object.isFrozen(one?.holder)).toBe(true)
})

it('tells values of the column before from values like them', () => {
  const items = [
    { a: 0, b: -0, c: 'x' },
    { a: 1, b: 1, c: 'x' },
    { a: Number.NaN, b: Number.NaN, c: 'x' },
  ]
  expect(unpack(structuredClone(pack(items)))).toStrictEqual(items)
  const alike = items.slice(1).map(({ a, c }) => ({ a, b: a, c, d: [a], e: { a } }))
  expect(unpack(structuredClone(pack(alike)))).toStrictEqual(alike)
})

it('sends the names of fields once for all items of a shape', () => {
  const { groups } = pack(Array.from({ length: 500 }, (_, i) => lock(i)))
  expect(groups).toHaveLength(1)
})
