import { expect, test } from 'vitest'
import { groupsOverTime } from '../../../../electron/core/features/stats/groups-over-time.ts'
import type { StoreTenure } from '../../../../electron/core/features/stats/tenure-book.ts'
import type { GroupBy } from '../../../../shared/stats.ts'

const STEPS = { from: 0, stepMs: 10, count: 5 }

function tenure(group: string, from: number, until: number | null, key = 'acme:billing'): StoreTenure {
  return {
    ...{ id: key, key, format: 'token', holder: group, ownerHash: null, group, from, until },
    ...{ begin: 'seen', end: until === null ? 'held' : 'freed', renewals: 0 },
  }
}

function over(by: GroupBy, tenures: readonly StoreTenure[], most = 5) {
  return groupsOverTime(by, STEPS, most, () => tenures)
}

test('a lock counts in the steps at whose end it was held', async () => {
  const { groups } = await over('holder', [tenure('a', 5, 25), tenure('a', 20, null), tenure('b', -100, 11)])
  expect(groups).toEqual([
    { name: 'a', counts: [1, 2, 1, 1, 1] },
    { name: 'b', counts: [1, 0, 0, 0, 0] },
  ])
})

test('a tenure within one step is in none', async () => {
  expect(await over('holder', [tenure('a', 11, 19), tenure('b', 60, null), tenure('c', -20, -10)])).toEqual({
    groups: [],
    others: [0, 0, 0, 0, 0],
  })
})

test('groups by prefix, name and format of the key', async () => {
  const tenures = [tenure('a', 0, null, 'p:acme:billing'), tenure('b', 0, null, 'p:globex:billing')]
  const names = async (by: GroupBy) => (await over(by, tenures)).groups.map(({ name }) => name)
  expect(await names('prefix')).toEqual(['p:acme', 'p:globex'])
  expect(await names('name')).toEqual(['billing'])
  expect(await names('format')).toEqual(['token'])
})

test('beyond the largest, the others are counted together', async () => {
  const tenures = Array.from({ length: 30 }, (_, i) => tenure(`h${i}`, 0, i < 3 ? null : 15))
  const { groups, others } = await over('holder', tenures, 3)
  expect(groups.map(({ name }) => name)).toEqual(['h0', 'h1', 'h2'])
  expect(others).toEqual([27, 0, 0, 0, 0])
})
