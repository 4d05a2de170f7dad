import { expect, test } from 'vitest'
import { ExclusionIndex } from '../../shared/plan-state.ts'
import type { PlanEntry } from '../../shared/plans.ts'

const entry = (n: number) =>
  ({ n, holder: 'ana', owner: null, store: 0, format: 'f', state: 'held' }) as PlanEntry

test('a list of exclusions names single locks as ranges, and is read back as it was', () => {
  const index = new ExclusionIndex()
  for (const n of [7, 0, 2, 5, 6, 12]) index.set({ by: 'lock', value: String(n) }, true)
  index.set({ by: 'holder', value: 'bob' }, true)
  expect(index.list()).toEqual([
    { by: 'lock', value: '0,2,5-7,12' },
    { by: 'holder', value: 'bob' },
  ])
  const copy = new ExclusionIndex(index.list())
  const excluded = Array.from({ length: 20 }, (_, n) => n).filter(n => copy.covers(entry(n)))
  expect(excluded).toEqual([0, 2, 5, 6, 7, 12])
  expect(copy.covers({ ...entry(30), holder: 'bob' })).toBe(true)
})

test('the exclusions of a hundred thousand locks are short', () => {
  const index = new ExclusionIndex()
  for (let n = 0; n < 100_000; n++) index.set({ by: 'lock', value: String(n) }, true)
  expect(index.list()).toEqual([{ by: 'lock', value: '0-99999' }])
})

test('what names no lock is not listed', () => {
  const index = new ExclusionIndex()
  for (const value of ['', 'x', '-1', '1e3', '007', '1-5']) index.set({ by: 'lock', value }, true)
  expect(index.list()).toEqual([])
})
