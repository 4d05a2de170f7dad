import { expect, it } from 'vitest'
import { KeySet } from '../../../../electron/core/stores/redis/key-set.ts'

const keyOf = (i: number) => Buffer.from(`session:${i}`)

it('adds each key once', () => {
  const keys = new KeySet()
  for (let i = 0; i < 200_000; i++) if (!keys.add(keyOf(i))) throw new Error(`${i} was taken for another`)
  for (let i = 0; i < 200_000; i++) if (keys.add(keyOf(i))) throw new Error(`${i} was not known`)
  expect(keys.size).toBe(200_000)
})

it('tells apart keys that differ in length, order or one bit', () => {
  const keys = new KeySet()
  const texts = [
    '',
    '\0',
    '\0\0',
    'a',
    'b',
    'ab',
    'ba',
    'lock:ab',
    'lock:ba',
    'a'.repeat(1000),
    'a'.repeat(1001),
  ]
  expect(texts.map(text => keys.add(Buffer.from(text)))).toEqual(texts.map(() => true))
})

it('takes less than 24 bytes for a key, however long it is', () => {
  const keys = new KeySet()
  for (let i = 0; i < 100_000; i++) keys.add(Buffer.from(`${i}`.padStart(100, 'x')))
  expect(keys.bytes / keys.size).toBeLessThan(24)
})

it('is full after so many keys', () => {
  const keys = new KeySet(2)
  keys.add(keyOf(1))
  keys.add(keyOf(1))
  expect(keys.isFull).toBe(false)
  keys.add(keyOf(2))
  expect(keys.isFull).toBe(true)
})
