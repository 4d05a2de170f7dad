import { expect, test } from 'vitest'
import { lanesOf } from '../../../renderer/features/stats/timeline.ts'
import type { Hold } from '../../../shared/stats.ts'

function hold(holder: string, from: number, until: number | null, changes: Partial<Hold> = {}): Hold {
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

test('each holder has a lane, the one that held last first', () => {
  const lanes = lanesOf([hold('ana', 0, 20), hold('bob', 20, 60), hold('ana', 60, null)], 0, 100)
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

test('a bar is open where its beginning or its end is not known', () => {
  const [first, second, third, fourth] = [
    hold('a', -50, 10),
    hold('b', 10, 20, { begin: 'before' }),
    hold('c', 20, 40, { end: 'unseen' }),
    hold('d', 40, null),
  ].map(each => lanesOf([each], 0, 100)[0]?.bars[0])
  expect([first?.openLeft, first?.openRight]).toEqual([true, false])
  expect([second?.openLeft, second?.openRight]).toEqual([true, false])
  expect([third?.openLeft, third?.openRight]).toEqual([false, true])
  expect([fourth?.openLeft, fourth?.openRight]).toEqual([false, true])
})

test('a hold of a moment can still be seen, and none leaves the window', () => {
  const bars = lanesOf([hold('a', 100, 100), hold('b', 50, 50), hold('c', -20, 300)], 0, 100).flatMap(
    each => each.bars,
  )
  for (const { left, right } of bars) {
    expect(left).toBeGreaterThanOrEqual(0)
    expect(right).toBeLessThanOrEqual(1)
    expect(right - left).toBeGreaterThan(0.001)
  }
})

test('two tokens without a name are two holders', () => {
  const one = hold('x', 0, 10, { holder: null, ownerHash: 'aa' })
  const two = hold('x', 10, 20, { holder: null, ownerHash: 'bb' })
  expect(lanesOf([one, two], 0, 100)).toHaveLength(2)
})

test('of very many holders the earliest share a lane, and none is left out', () => {
  const holds = Array.from({ length: 50 }, (_, i) => hold(`worker-${i}`, i, i + 1))
  const lanes = lanesOf(holds, 0, 100)
  expect(lanes).toHaveLength(8)
  expect(lanes[0]?.holder?.holder).toBe('worker-49')
  expect(lanes.at(-1)?.holder).toBeNull()
  expect(lanes.flatMap(({ bars }) => bars)).toHaveLength(50)
})
