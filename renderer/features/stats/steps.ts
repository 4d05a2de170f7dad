import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/duration.ts'
import {
  addNumbers,
  type Counts,
  type Flows,
  type Gap,
  type GroupHistory,
  type History,
  perMinute,
  RATED_MS,
  type Series,
} from '../../../shared/stats.ts'
import { sameParts } from '../../state/same-parts.ts'

/** Numbers over time as charts and tables show them. Times are this machine's, in milliseconds. */

export type Span = { readonly from: number; readonly to: number }

/** Core keeps nothing finer than the first. */
const STEPS = [
  ...[10, 20, 30].map(seconds => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30, 60].map(minutes => minutes * MINUTE_MS),
]

/** The finest step that divides a span into at most `most` steps. */
export function stepFor(spanMs: number, most: number, finest = 0): number {
  const fitting = STEPS.find(step => step >= finest && spanMs / step <= most)
  return fitting ?? Math.ceil(spanMs / most / HOUR_MS) * HOUR_MS
}

/** Steps aligned to the clock, so that they stay the same while the window moves. */
export function wholeSteps({ from, to }: Span, stepMs: number): Span & { readonly points: number } {
  const first = Math.floor(from / stepMs)
  const last = Math.max(first + 1, Math.ceil(to / stepMs))
  return { from: first * stepMs, to: last * stepMs, points: last - first }
}

/** A shorter chart shows nothing. */
const SHORTEST_MS = 5 * MINUTE_MS

/** When the first of the stores was watched, if nothing watched them at the start of the window. */
export function watchedFrom({ from, to }: Span, series: readonly Pick<Series, 'gaps'>[]): number | null {
  const start = Math.min(
    ...series.map(({ gaps }) => {
      const first = gaps.find(gap => gap.from <= from)
      // A store that was down was watched: otherwise the outage would be unknown.
      return first?.why === 'away' ? (first.until ?? to) : from
    }),
  )
  return start > from && start < to ? start : null
}

/** Minutes of history would be a sliver at the edge of a day, so the chart starts where watching did. */
export function worthDrawing({ from, to }: Span, watched: number | null): Span {
  return { from: watched === null ? from : Math.max(from, Math.min(watched, to - SHORTEST_MS)), to }
}

/** `values` is null in a gap. */
export type Step<T> = { readonly from: number; readonly until: number; readonly values: T | null }

/**
 * The state of all stores at the end of each step. An unobserved store counts as last seen, because leaving it out would look as if
 * its locks had gone; `shadesOf` marks those times.
 */
export function countSteps(history: History, end: number): Step<Counts>[] {
  const last = new Map<string, Counts>()
  return stepsOf(history, history.series, end, i => {
    const observed = history.series.flatMap(({ storeId, points }) => {
      const counts = points[i]?.counts
      return counts ? [[storeId, counts] as const] : []
    })
    for (const [storeId, counts] of observed) last.set(storeId, counts)
    return observed.length > 0 ? [...last.values()].reduce(addNumbers) : null
  })
}

/** Per minute of the observed part of each step. */
export function rateSteps(history: History, end: number): Step<Flows>[] {
  return stepsOf(history, history.series, end, (i, from, until) => {
    const rates = history.series.flatMap(({ points, gaps }) => {
      const flows = points[i]?.flows
      const observedMs = until - from - overlap(gaps, from, until)
      const isRated = observedMs >= Math.min(RATED_MS, history.stepMs / 2)
      return flows && isRated ? [perMinute(flows, observedMs)] : []
    })
    return rates.length > 0 ? rates.reduce(addNumbers) : null
  })
}

/** The groups in order, then all others together. */
export function groupSteps(
  { groups, others, ...grid }: GroupHistory,
  series: readonly Series[],
  end: number,
): Step<number[]>[] {
  return stepsOf(grid, series, end, i => {
    const other = others[i] ?? null
    return other === null ? null : [...groups.map(({ points }) => points[i] ?? 0), other]
  })
}

function stepsOf<T>(
  { from, stepMs }: Pick<History, 'from' | 'stepMs'>,
  series: readonly Series[],
  end: number,
  valuesAt: (i: number, from: number, until: number) => T | null,
): Step<T>[] {
  const steps: Step<T>[] = []
  for (let at = from; at < end; at += stepMs) {
    const until = Math.min(at + stepMs, end)
    steps.push({ from: at, until, values: valuesAt(steps.length, at, until) })
  }
  // The last steps may not have been read yet: that is no gap.
  const last = steps.findLastIndex(
    ({ values, ...step }) =>
      values !== null || series.some(({ gaps }) => overlap(gaps, step.from, step.until) > 0),
  )
  return steps.slice(0, last + 1)
}

function overlap(gaps: readonly Gap[], from: number, until: number): number {
  return gaps.reduce(
    (sum, gap) => sum + Math.max(0, Math.min(gap.until ?? until, until) - Math.max(gap.from, from)),
    0,
  )
}

/**
 * The data of a chart: the start and the end of each step, so that a value is a line as long as its step, and visible even between
 * two gaps. A stack has its areas first and then their upper edges. An empty area has no edge, which would cover the one below.
 */
export function drawn(
  steps: readonly Step<readonly number[]>[],
  lines: number,
  stacked: boolean,
): [xs: number[], ...ys: (number | null)[][]] {
  const xs: number[] = []
  const values: (number | null)[][] = Array.from({ length: lines }, () => [])
  const edges: (number | null)[][] = Array.from({ length: stacked ? lines : 0 }, () => [])
  for (const step of steps) {
    xs.push(step.from, Math.max(step.from + 1, step.until - 1))
    let sum = 0
    for (let i = 0; i < lines; i++) {
      const own = step.values?.[i] ?? 0
      sum = stacked ? sum + own : own
      const y = step.values === null ? null : sum
      values[i]?.push(y, y)
      const edge = own > 0 ? y : null
      edges[i]?.push(edge, edge)
    }
  }
  return [xs, ...values, ...edges]
}

type Missing = { readonly name: string } & Pick<Gap, 'why' | 'message'>

/** A time in which some stores were not observed; `whole` if none was. */
export type Shade = {
  readonly from: number
  readonly until: number
  readonly whole: boolean
  readonly missing: readonly Missing[]
}

/** The times in which the sum over all stores is unknown, with the stores that were not observed. */
export function shadesOf(
  series: readonly Pick<Series, 'name' | 'gaps'>[],
  from: number,
  to: number,
): Shade[] {
  const inside = (time: number) => Math.min(to, Math.max(from, time))
  const edges = series.flatMap(({ gaps }) => gaps.flatMap(gap => [inside(gap.from), inside(gap.until ?? to)]))
  const sorted = [...new Set(edges)].sort((a, b) => a - b)
  const shades: Shade[] = []
  for (const [i, start] of sorted.entries()) {
    const end = sorted[i + 1]
    if (end === undefined) break
    const missing = series.flatMap(({ name, gaps }) => {
      const gap = gaps.find(each => each.from < end && (each.until ?? to) > start)
      return gap ? [{ name, why: gap.why, message: gap.message }] : []
    })
    if (missing.length === 0) continue
    const before = shades.at(-1)
    if (before?.until === start && sameParts(before.missing, missing) === before.missing)
      shades[shades.length - 1] = { ...before, until: end }
    else shades.push({ from: start, until: end, whole: missing.length === series.length, missing })
  }
  return shades
}

/** The shade that covers most of a step. */
export function shadeWithin(shades: readonly Shade[], from: number, until: number): Shade | null {
  let found: Shade | null = null
  let longest = 0
  for (const shade of shades) {
    const ms = Math.min(until, shade.until) - Math.max(from, shade.from)
    if (ms <= longest) continue
    found = shade
    longest = ms
  }
  return found
}

/** The observed part of a step, if a gap covers one of its ends. */
export function observedPart<T extends Pick<Shade, 'from' | 'until'>>(step: T, shades: readonly Shade[]): T {
  let { from, until } = step
  for (const shade of shades) {
    if (!shade.whole) continue
    if (shade.from <= from && shade.until > from && shade.until < until) from = shade.until
    if (shade.until >= until && shade.from < until && shade.from > from) until = shade.from
  }
  return { ...step, from, until }
}
