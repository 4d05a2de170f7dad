import { expect, test } from 'vitest'
import { watchedFrom, worthDrawing } from '../../../renderer/features/stats/steps.ts'
import type { Gap } from '../../../shared/stats.ts'
import { down } from './a-history.ts'

const HOUR = 3_600_000
const day = { from: 0, to: 24 * HOUR }
const away = (from: number, until: number | null): Gap => ({ from, until, why: 'away', message: null })

test('a window begins where the first of its stores was watched', () => {
  const early = { gaps: [away(-HOUR, 22 * HOUR)] }
  const late = { gaps: [away(0, 23 * HOUR)] }
  expect(watchedFrom(day, [late, early])).toBe(22 * HOUR)
  expect(worthDrawing(day, 22 * HOUR)).toEqual({ from: 22 * HOUR, to: 24 * HOUR })
})

test('a watched time is never cut off: neither an outage at the beginning nor a later gap', () => {
  expect(watchedFrom(day, [{ gaps: [down(0, 20 * HOUR)] }])).toBeNull()
  expect(watchedFrom(day, [{ gaps: [away(HOUR, 20 * HOUR)] }])).toBeNull()
  expect(watchedFrom(day, [{ gaps: [away(0, 20 * HOUR)] }, { gaps: [] }])).toBeNull()
  expect(worthDrawing(day, null)).toEqual(day)
})

test('without any watching, the window stays as requested', () => {
  expect(watchedFrom(day, [{ gaps: [away(0, null)] }])).toBeNull()
  expect(watchedFrom(day, [])).toBeNull()
})

test('a chart is never shorter than five minutes, nor longer than the window', () => {
  expect(worthDrawing(day, day.to - 10_000).from).toBe(day.to - 300_000)
  expect(worthDrawing({ from: 0, to: 120_000 }, 100_000)).toEqual({ from: 0, to: 120_000 })
})
