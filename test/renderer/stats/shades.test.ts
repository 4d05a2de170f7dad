import { expect, test } from 'vitest'
import { observedPart, shadesOf, shadeWithin } from '../../../renderer/features/stats/steps.ts'
import { down } from './a-history.ts'

test('the gap of the only store is whole, with its reason', () => {
  expect(shadesOf([{ name: 'a', gaps: [down(10, 20, 'refused')] }], 0, 100)).toEqual([
    { from: 10, until: 20, whole: true, missing: [{ name: 'a', why: 'down', message: 'refused' }] },
  ])
})

test('if one of several stores was not observed, the sum is incomplete and names it', () => {
  const shades = shadesOf(
    [
      { name: 'a', gaps: [down(10, 30)] },
      { name: 'b', gaps: [down(20, 40)] },
    ],
    0,
    100,
  )
  expect(
    shades.map(({ from, until, whole, missing }) => [from, until, whole, missing.map(each => each.name)]),
  ).toEqual([
    [10, 20, false, ['a']],
    [20, 30, true, ['a', 'b']],
    [30, 40, false, ['b']],
  ])
})

test('gaps are clipped to the window', () => {
  const shades = shadesOf([{ name: 'a', gaps: [down(-50, 10), down(90, null)] }], 0, 100)
  expect(shades.map(({ from, until }) => [from, until])).toEqual([
    [0, 10],
    [90, 100],
  ])
})

test('neighbouring gaps of the same kind are one, also when another store ends in between', () => {
  const shades = shadesOf(
    [
      { name: 'a', gaps: [down(0, 10), down(10, 20)] },
      { name: 'b', gaps: [] },
    ],
    0,
    100,
  )
  expect(shades).toHaveLength(1)
})

test('a step has the shade that covers most of it', () => {
  const shades = shadesOf(
    [
      { name: 'a', gaps: [down(0, 12)] },
      { name: 'b', gaps: [down(10, 30)] },
    ],
    0,
    100,
  )
  expect(shadeWithin(shades, 10, 20)?.missing.map(each => each.name)).toEqual(['b'])
  expect(shadeWithin(shades, 40, 50)).toBeNull()
})

test('a value is drawn for the observed part of its step', () => {
  const shades = shadesOf([{ name: 'a', gaps: [down(0, 14), down(37, 60)] }], 0, 100)
  expect(observedPart({ from: 10, until: 20 }, shades)).toEqual({ from: 14, until: 20 })
  expect(observedPart({ from: 30, until: 40 }, shades)).toEqual({ from: 30, until: 37 })
  expect(observedPart({ from: 20, until: 30 }, shades)).toEqual({ from: 20, until: 30 })
})
