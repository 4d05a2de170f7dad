import { expect, test } from 'vitest'
import {
  countSteps,
  drawn,
  groupSteps,
  rateSteps,
  stepFor,
  wholeSteps,
} from '../../../renderer/features/stats/steps.ts'
import { down, history, point, STEP_MS, series } from './a-history.ts'

const HOUR = 3_600_000
const held = (steps: ReturnType<typeof countSteps>) => steps.map(({ values }) => values?.held ?? null)

test('chooses the finest step that fits', () => {
  expect(stepFor(900_000, 500)).toBe(10_000)
  expect(stepFor(HOUR, 360)).toBe(10_000)
  expect(stepFor(24 * HOUR, 500)).toBe(300_000)
  expect(stepFor(900_000, 96, 60_000)).toBe(60_000)
  for (const span of [1, 6, 24, 400].map(hours => hours * HOUR))
    expect(span / stepFor(span, 100)).toBeLessThanOrEqual(100)
})

test('steps are aligned to the clock and stay the same while the window moves', () => {
  const early = wholeSteps({ from: 61_000, to: 299_000 }, 60_000)
  const late = wholeSteps({ from: 62_500, to: 299_999 }, 60_000)
  expect(early).toEqual({ from: 60_000, to: 300_000, points: 4 })
  expect(late).toEqual(early)
  expect(wholeSteps({ from: 60_000, to: 60_000 }, 60_000).points).toBe(1)
})

test('a gap is not shown as zero', () => {
  const steps = countSteps(
    history(series('a', [point(3), null, null, point(2)], [down(STEP_MS, 3 * STEP_MS)])),
    4 * STEP_MS,
  )
  expect(held(steps)).toEqual([3, null, null, 2])
  expect(
    drawn(
      steps.map(each => ({ ...each, values: each.values && [each.values.held] })),
      1,
      false,
    )[1],
  ).toEqual([3, 3, null, null, null, null, 2, 2])
})

test('an unobserved store counts as last observed: the sum does not fall', () => {
  const steps = countSteps(
    history(
      series('a', [point(3), point(4), point(4)]),
      series('b', [point(10), null, point(9)], [down(STEP_MS, 2 * STEP_MS)]),
    ),
    3 * STEP_MS,
  )
  expect(held(steps)).toEqual([13, 14, 13])
})

test('without any observed store, the step is a gap', () => {
  const gap = down(STEP_MS, 2 * STEP_MS)
  const steps = countSteps(
    history(series('a', [point(3), null, point(3)], [gap]), series('b', [point(1), null, point(1)], [gap])),
    3 * STEP_MS,
  )
  expect(held(steps)).toEqual([4, null, 4])
})

test('the future, and steps not read yet, are no gap', () => {
  const steps = countSteps(history(series('a', [point(3), point(4), null, null, null])), 2.5 * STEP_MS)
  expect(held(steps)).toEqual([3, 4])
  expect(steps.at(-1)?.until).toBe(2 * STEP_MS)
})

test('a rate covers the observed time only', () => {
  const steps = rateSteps(
    history(
      series('a', [point(1, 6, 4), point(1, 6, 0), null], [down(1.5 * STEP_MS, 3 * STEP_MS)]),
      series('b', [point(1, 2, 2), point(1, 2, 2), point(1, 2, 2)]),
    ),
    3 * STEP_MS,
  )
  expect(steps.map(({ values }) => values?.taken)).toEqual([8, 14, 2])
  expect(steps.map(({ values }) => values?.freed)).toEqual([6, 2, 2])
})

test('groups over time have gaps, and end with the last observed step', () => {
  const groups = [
    { name: 'a', points: [2, null, 1, 0, null] },
    { name: 'b', points: [0, null, 3, 3, null] },
  ]
  const all = { from: 0, stepMs: STEP_MS, groups, others: [5, null, 0, 1, null] }
  const steps = groupSteps(all, [series('a', [], [down(STEP_MS, 2 * STEP_MS)])], 4.5 * STEP_MS)
  expect(steps.map(({ values }) => values)).toEqual([[2, 0, 5], null, [1, 3, 0], [0, 3, 1]])
  expect(steps.at(-1)?.until).toBe(4 * STEP_MS)
})

test('no rate is shown for a few seconds', () => {
  const steps = rateSteps(history(series('a', [point(1, 6), point(1, 1)])), STEP_MS + 5000)
  expect(steps.map(({ values }) => values?.taken ?? null)).toEqual([6])
})

test('areas are stacked, and an empty one has no edge', () => {
  const steps = [
    { from: 0, until: 10, values: [1, 0, 3] },
    { from: 10, until: 20, values: null },
  ]
  const areas = [
    [1, 1, null, null],
    [1, 1, null, null],
    [4, 4, null, null],
  ]
  const nothing = [null, null, null, null]
  expect(drawn(steps, 3, true)).toEqual([[0, 9, 10, 19], ...areas, areas[0], nothing, areas[2]])
  expect(drawn([], 2, true)).toEqual([[], [], [], [], []])
  expect(drawn([], 2, false)).toEqual([[], [], []])
})
