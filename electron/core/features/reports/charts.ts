import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import type { ReportHead, ReportSeries } from '../../../../shared/report-document.ts'
import { type Counted, FLOW_NAMES, FLOW_WORDS, type Flows, type Histogram } from '../../../../shared/stats.ts'
import type { BarChart, LineChart } from './block.ts'
import { STATES } from './words.ts'

/** The states of the stacked chart, from below. Records kept of free locks are not drawn. */
const STACKED: readonly Counted[] = ['held', 'expiring', 'expired', 'endless', 'unknown']
/** More points of a line cannot be distinguished. A point covers at least a minute. */
const MOST_STRETCHES = 60

/** How many locks there were, and what happened to them, in one store. */
export function chartsOf(history: ReportHead['history'], store: string): LineChart[] {
  const points = history.series.find(each => each.store === store)?.points ?? []
  const { stepMs } = history
  const from = Date.parse(history.from)
  return [
    {
      is: 'areas',
      title: `Locks in ${store}`,
      unit: 'locks',
      ...{ from, stepMs },
      series: STACKED.map(state => ({
        name: STATES[state].name,
        style: state,
        values: points.map(point => point?.counts[state] ?? null),
      })).filter(({ style, values }) => style === 'held' || values.some(value => (value ?? 0) > 0)),
    },
    flowChart(store, points, from, stepMs),
  ]
}

function flowChart(store: string, points: ReportSeries['points'], from: number, stepMs: number): LineChart {
  const stretchMs = Math.max(MINUTE_MS, (points.length * stepMs) / MOST_STRETCHES)
  const steps = Math.max(1, Math.round(stretchMs / stepMs))
  const perMinute = (ofStep: (flows: Flows) => number) =>
    Array.from({ length: Math.ceil(points.length / steps) }, (_, i) => {
      const seen = points.slice(i * steps, (i + 1) * steps).filter(point => point !== null)
      const sum = seen.reduce((all, { flows }) => all + ofStep(flows), 0)
      return seen.length === 0 ? null : sum / ((seen.length * stepMs) / MINUTE_MS)
    })
  return {
    is: 'lines',
    title: `What happened in ${store}`,
    unit: 'a minute',
    ...{ from, stepMs: steps * stepMs },
    series: FLOW_NAMES.map(name => ({
      name: FLOW_WORDS[name].toLowerCase(),
      style: name,
      values: perMinute(flows => flows[name]),
    })),
  }
}

/** Nothing to draw without a histogram, or if it is empty. */
export function barsOf(title: string, histogram: Histogram | null): BarChart[] {
  if (histogram === null || histogram.counts.every(value => value === 0)) return []
  const { edges, counts } = histogram
  const bars = counts.map((value, i) => ({ name: sayBetween(edges[i - 1], edges[i]), value }))
  return [{ is: 'bars', title, unit: 'locks', bars }]
}

const UNITS = [
  [DAY_MS, 'd'],
  [HOUR_MS, 'h'],
  [MINUTE_MS, 'min'],
  [1000, 's'],
] as const

/** Short enough to stand under a bar: `15–60 s`, both by the unit of the lower one. */
function sayBetween(low: number | undefined, high: number | undefined): string {
  const edge = low ?? high ?? 0
  const [ms, unit] = UNITS.find(([each]) => edge >= each) ?? UNITS[3]
  if (low === undefined) return `< ${edge / ms} ${unit}`
  return high === undefined ? `≥ ${low / ms} ${unit}` : `${low / ms}–${high / ms} ${unit}`
}
