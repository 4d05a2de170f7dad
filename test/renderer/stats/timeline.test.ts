import { expect, test } from 'vitest'
import { lanesOf } from '../../../renderer/features/stats/timeline.ts'
import type { LockTenure } from '../../../shared/stats.ts'

function tenure(
  holder: string,
  from: number,
  until: number | null,
  changes: Partial<LockTenure> = {},
): LockTenure {
  return {
    storeId: 'a',
    id: 'k',
    key: 'k',
    format: 'token',
    holder,
    ownerHash: holder,
    group: 'worker',
    from,
    begin: 'seen',
    until,
    end: until === null ? 'held' : 'freed',
    renewals: 0,
    ...changes,
  }
}

test('each holder has a lane, the latest first', () => {
  const lanes = lanesOf([tenure('ana', 0, 20), tenure('bob', 20, 60), tenure('ana', 60, null)], 0, 100)
  expect(
    lanes.map(({ holder, bars }) => [holder?.holder, bars.map(({ left, right }) => [left, right])]),
  ).toEqual([
    [
      'ana',
      [
        [0, 0.2],
        [0.6, 1],
      ],
    ],
    ['bob', [[0.2, 0.6]]],
  ])
})

test('a bar is open where its beginning or end is unknown', () => {
  const [first, second, third, fourth] = [
    tenure('a', -50, 10),
    tenure('b', 10, 20, { begin: 'before' }),
    tenure('c', 20, 40, { end: 'unseen' }),
    tenure('d', 40, null),
  ].map(each => lanesOf([each], 0, 100)[0]?.bars[0])
  expect([first?.openLeft, first?.openRight]).toEqual([true, false])
  expect([second?.openLeft, second?.openRight]).toEqual([true, false])
  expect([third?.openLeft, third?.openRight]).toEqual([false, true])
  expect([fourth?.openLeft, fourth?.openRight]).toEqual([false, true])
})

test('a tenure of a moment can still be seen, and none leaves the window', () => {
  const bars = lanesOf([tenure('a', 100, 100), tenure('b', 50, 50), tenure('c', -20, 300)], 0, 100).flatMap(
    each => each.bars,
  )
  for (const { left, right } of bars) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(1)
    expect(right - left).toBeGreaterThan(0.001)
  }
})

test('two tokens without a name are two holders', () => {
  const one = tenure('x', 0, 10, { holder: null, ownerHash: 'aa' })
  const two = tenure('x', 10, 20, { holder: null, ownerHash: 'bb' })
  expect(lanesOf([one, two], 0, 100)).toHaveLength(2)
})

test('the earliest of very many holders share a lane, and none is left out', () => {
  const tenures = Array.from({ length: 50 }, (_, i) => tenure(`worker-${i}`, i, i + 1))
  const lanes = lanesOf(tenures, 0, 100)
  expect(lanes).toHaveLength(8)
  expect(lanes[0]?.holder?.holder).toBe('worker-49')
  expect(lanes.at(-1)?.holder).toBeNull()
  expect(lanes.flatMap(({ bars }) => bars)).toHaveLength(50)
})
