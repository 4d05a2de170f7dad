import { expect, test } from 'vitest'
import { NO_COUNTS, NO_FLOWS } from '../../../../electron/core/features/stats/figures.ts'
import { type Sample, Samples } from '../../../../electron/core/features/stats/samples.ts'

const DAY = 86_400_000

function sample(from: number, until: number, held = 1, taken = 0): Sample {
  return {
    from,
    until,
    counts: { ...NO_COUNTS, held },
    flows: { ...NO_FLOWS, taken },
    spent: { requests: 2, units: null },
    tenureTimes: null,
  }
}

function filled(...all: Sample[]): Samples {
  const samples = new Samples(DAY)
  for (const each of all) samples.add(each)
  return samples
}

test('adjacent passes become one sample of fifteen seconds, with the last state and all flows', () => {
  const samples = new Samples(DAY)
  for (let second = 0; second < 40; second++)
    samples.add(sample(second * 1000, second * 1000 + 1000, second, 1))
  expect(samples.all.map(({ from, until }) => [from, until])).toEqual([
    [0, 15_000],
    [15_000, 30_000],
    [30_000, 40_000],
  ])
  expect(samples.all[1]).toMatchObject({
    counts: { held: 29 },
    flows: { taken: 15 },
    spent: { requests: 30 },
  })
})

test('a sample is returned once, when it is complete', () => {
  const samples = new Samples(DAY)
  const done = Array.from({ length: 30 }, (_, i) => samples.add(sample(i * 1000, i * 1000 + 1000)))
  expect(done.flatMap(each => (each ? [each.until] : []))).toEqual([15_000])
})

test('a gap is null in a chart, never zero', () => {
  const samples = filled(sample(0, 10_000, 5, 3), sample(30_000, 30_000, 7), sample(30_000, 40_000, 8, 2))
  const points = samples.points(0, 10_000, 5)
  expect(points.map(point => point?.counts.held ?? null)).toEqual([5, null, null, 8, null])
  expect(points.map(point => point?.flows.taken ?? null)).toEqual([3, null, null, 2, null])
})

test('steps shorter than a sample have its state, and their share of its flows', () => {
  const points = filled(sample(0, 8000, 4, 6)).points(0, 2000, 4)
  expect(points.map(point => point?.counts.held)).toEqual([4, 4, 4, 4])
  expect(points.map(point => point?.flows.taken)).toEqual([1.5, 1.5, 1.5, 1.5])
})

test('gaps have their reason, and an open gap has no end', () => {
  const samples = filled(sample(10_000, 20_000), sample(50_000, 60_000))
  samples.break({ at: 21_000, until: 21_000, why: 'down', message: 'Redis does not answer.' })
  expect(samples.gaps(0, 90_000, false)).toEqual([
    { from: 0, until: 10_000, why: 'away', message: null },
    { from: 20_000, until: 50_000, why: 'down', message: 'Redis does not answer.' },
    { from: 60_000, until: null, why: 'away', message: null },
  ])
})

test('a gap without watching and the outage after it are two gaps', () => {
  const samples = filled(sample(0, 10_000))
  samples.break({ at: 10_000, until: 10_000, why: 'away', message: null })
  samples.break({ at: 40_000, until: 40_000, why: 'down', message: 'no' })
  samples.add(sample(90_000, 90_000))
  expect(samples.gaps(0, 90_000, true)).toEqual([
    { from: 10_000, until: 40_000, why: 'away', message: null },
    { from: 40_000, until: 90_000, why: 'down', message: 'no' },
  ])
})

test('an outage that began before the window keeps its reason', () => {
  const samples = filled(sample(0, 10_000))
  samples.break({ at: 11_000, until: 7_000_000, why: 'down', message: 'no' })
  samples.add(sample(7_200_000, 7_200_000))
  expect(samples.gaps(3_600_000, 7_200_000, true)).toEqual([
    { from: 3_600_000, until: 7_200_000, why: 'down', message: 'no' },
  ])
  // What was over long before says nothing of what came later.
  const later = filled(sample(0, 10_000))
  later.break({ at: 11_000, until: 20_000, why: 'down', message: 'no' })
  later.break({ at: 30_000, until: 30_000, why: 'away', message: null })
  expect(later.gaps(3_600_000, 7_200_000, false)).toMatchObject([{ why: 'away', until: null }])
})

test('for a live store, the time since the last pass is no gap', () => {
  expect(filled(sample(0, 60_000)).gaps(0, 61_000, true)).toEqual([])
})

test('counts the flows of a window with its observed time', () => {
  const samples = filled(sample(0, 10_000, 1, 1), sample(10_000, 20_000, 1, 2), sample(60_000, 70_000, 1, 4))
  expect(samples.sum(5000, 65_000)).toMatchObject({ flows: { taken: 3 }, observedMs: 20_000 })
  expect(samples.sum(0, 100_000)).toMatchObject({ flows: { taken: 7 }, observedMs: 30_000 })
  expect(samples.sum(200_000, 300_000)).toMatchObject({ flows: { taken: 0 }, observedMs: 0 })
})

test.each([
  ['nobody looks at', 5013],
  ['somebody looks at', 1007],
  ['costs money', 30_021],
])('keeps a whole day of a store that %s', (_, restMs) => {
  const samples = new Samples(DAY)
  for (let at = restMs; at <= DAY; at += restMs) samples.add(sample(at - restMs, at))
  expect(samples.gaps(0, DAY, true)).toEqual([])
  expect(samples.all[0]?.from).toBe(0)
})

test('keeps a week in coarser steps', () => {
  const samples = new Samples(7 * DAY)
  for (let at = 5000; at <= 7 * DAY; at += 5000) samples.add(sample(at - 5000, at))
  expect(samples.gaps(0, 7 * DAY, true)).toEqual([])
  expect(samples.all.length).toBeLessThan(12_000)
})

test('evicted history is reported as evicted', () => {
  const samples = new Samples(DAY)
  for (let i = 0; i < 20_000; i++) samples.add(sample(i * 1000, i * 1000 + 10))
  const [gap] = samples.gaps(0, 20_000_000, true)
  expect(gap?.message).toMatch(/evicted/)
})

test('keeps a day at most, however often a store comes and goes', () => {
  const samples = new Samples(DAY)
  for (let i = 0; i < 30_000; i++) samples.add(sample(i * 16_000, i * 16_000 + 15_000))
  expect(samples.all.length).toBeLessThanOrEqual(8000)
  const brief = new Samples(DAY)
  for (let i = 0; i < 50_000; i++) brief.add(sample(i * 1000, i * 1000 + 10))
  expect(brief.all.length).toBeLessThanOrEqual(12_000)
  for (let i = 0; i < 50_000; i++) brief.break({ at: i, until: i, why: 'down', message: 'x' })
  expect(brief.gaps(0, 50_000_000, true).length).toBeLessThanOrEqual(12_001)
})

test('history after the clock was set back has plausible times', () => {
  const samples = filled(sample(0, 10_000), sample(10_000, 20_000), sample(20_000, 30_000))
  samples.forgetAfter(15_000)
  samples.add(sample(15_000, 15_000))
  expect(samples.all.map(({ until }) => until)).toEqual([10_000, 15_000])
})
