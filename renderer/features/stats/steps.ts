import {
  addCounts,
  addFlows,
  type Counts,
  type Flows,
  type Gap,
  type GroupHistory,
  type History,
  perMinute,
  RATED_MS,
  type Series,
} from '../../../shared/stats.ts'

/** Numbers over time as they are drawn and listed. Times are this machine's, in milliseconds. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export type Span = { readonly from: number; readonly to: number }

/** What core keeps is not finer than the first of them. */
const STEPS = [
  10 * SECOND,
  20 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
]

/** The finest step with which a span has no more than `most` of them. */
export function stepFor(spanMs: number, most: number, finest = 0): number {
  const fitting = STEPS.find(step => step >= finest && spanMs / step <= most)
  return fitting ?? Math.ceil(spanMs / most / HOUR) * HOUR
}

/** Whole steps by the clock, so that a step stays the same one while the window moves. */
export function wholeSteps({ from, to }: Span, stepMs: number): Span & { readonly points: number } {
  const first = Math.floor(from / stepMs)
  const last = Math.max(first + 1, Math.ceil(to / stepMs))
  return { from: first * stepMs, to: last * stepMs, points: last - first }
}

/** `values` is null where nobody looked. */
export type Step<T> = { readonly from: number; readonly until: number; readonly values: T | null }

/**
 * The state of all stores at the end of each step. A store that was not observed counts as it was last seen, because leaving
 * it out would look as if its locks had gone; `shadesOf` tells where that is so.
 */
export function countSteps({ from, stepMs, series }: History, now: number): Step<Counts>[] {
  const last = new Map<string, Counts>()
  const steps: Step<Counts>[] = []
  const length = series[0]?.points.length ?? 0
  for (let i = 0; i < length; i++) {
    const at = from + i * stepMs
    if (at >= now) break
    let observed = false
    for (const { storeId, points } of series) {
      const counts = points[i]?.counts
      if (!counts) continue
      observed = true
      last.set(storeId, counts)
    }
    const values = observed ? [...last.values()].reduce(addCounts) : null
    steps.push({ from: at, until: Math.min(at + stepMs, now), values })
  }
  return withoutUnread(steps, series)
}

/** In a minute, while somebody looked. */
export function rateSteps({ from, stepMs, series }: History, now: number): Step<Flows>[] {
  const steps: Step<Flows>[] = []
  const length = series[0]?.points.length ?? 0
  for (let i = 0; i < length; i++) {
    const at = from + i * stepMs
    if (at >= now) break
    const until = Math.min(at + stepMs, now)
    let values: Flows | null = null
    for (const { points, gaps } of series) {
      const flows = points[i]?.flows
      const observedMs = until - at - overlap(gaps, at, until)
      if (!flows || observedMs < Math.min(RATED_MS, stepMs / 2)) continue
      const rates = perMinute(flows, observedMs)
      values = values === null ? rates : addFlows(values, rates)
    }
    steps.push({ from: at, until, values })
  }
  return withoutUnread(steps, series)
}

/** Each of the groups, then all the others. `series` tells what is no gap and only not read yet. */
export function groupSteps(
  { from, stepMs, groups, others }: GroupHistory,
  series: readonly Series[],
  now: number,
): Step<number[]>[] {
  const steps: Step<number[]>[] = []
  for (const [i, other] of others.entries()) {
    const at = from + i * stepMs
    if (at >= now) break
    const values = other === null ? null : [...groups.map(({ points }) => points[i] ?? 0), other]
    steps.push({ from: at, until: Math.min(at + stepMs, now), values })
  }
  return withoutUnread(steps, series)
}

/** The last steps have not been read yet: that is no gap. */
function withoutUnread<T>(steps: Step<T>[], series: readonly Series[]): Step<T>[] {
  const end = steps.findLastIndex(
    ({ values, from, until }) => values !== null || series.some(each => overlap(each.gaps, from, until) > 0),
  )
  return steps.slice(0, end + 1)
}

function overlap(gaps: readonly Gap[], from: number, until: number): number {
  let sum = 0
  for (const gap of gaps) sum += Math.max(0, Math.min(gap.until ?? until, until) - Math.max(gap.from, from))
  return sum
}

/**
 * What a chart is drawn from: each step with its beginning and its end, so that a value is a line as long as its step and
 * one between two gaps is seen, too. Of a stack the areas come first and then their upper edges: what is not there has none,
 * or the edge of nothing would lie on that of what is below it.
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
