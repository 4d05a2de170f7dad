import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { sayNumber } from '../../../../shared/numbers.ts'
import type { BarChart, Chart, LineChart } from './block.ts'
import { htmlData } from './escape.ts'

/**
 * Charts as SVG without scripts, fonts or styles: the stylesheet of the page colors their classes by day, by night and on paper.
 * Hatches and dashes repeat what the colors say, for readers who cannot see colors or print without them.
 */
const WIDTH = 760
const HEIGHT = 210
/** The plot inside. */
const LEFT = 52
const RIGHT = 740
const TOP = 30
const BOTTOM = 184
/** Average width of a letter: only the legend is laid out by it. */
const LETTER = 6.8
/** Width of a sample in the legend: enough to tell a dash from a dot. */
const SAMPLE = 28
/** Narrower gaps have no room for words. */
const WORDS_WIDTH = 84

type Scale = (value: number) => number

export function chartSvg(chart: Chart, id: string): string {
  const title = `<title id="${id}-t">${htmlData(chart.title)}</title><desc id="${id}-d">${htmlData(describe(chart))}</desc>`
  return `<svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-labelledby="${id}-t" aria-describedby="${id}-d">${title}${chart.is === 'bars' ? bars(chart) : lines(chart, id)}</svg>`
}

/** The chart in words, for screen readers. */
export function describe(chart: Chart): string {
  if (chart.is === 'bars')
    return chart.bars
      .filter(({ value }) => value > 0)
      .map(({ name, value }) => `${name}: ${sayNumber(value)}`)
      .join('; ')
  return chart.series
    .map(({ name, values }) => {
      const known = values.filter(value => value !== null)
      if (known.length === 0) return `${name}: not observed`
      const [least, most, last] = [Math.min(...known), Math.max(...known), known.at(-1) ?? 0].map(round)
      return `${name}: ${least} to ${most} ${chart.unit}, ${last} at the end`
    })
    .join('; ')
}

function lines({ is, from, stepMs, series, unit }: LineChart, id: string): string {
  const isStacked = is === 'areas'
  const steps = Math.max(1, ...series.map(({ values }) => values.length))
  const x = (i: number) => LEFT + (i / steps) * (RIGHT - LEFT)
  const tops = Array.from({ length: steps }, (_, i) => {
    const all = series.map(({ values }) => values[i] ?? 0)
    return isStacked ? all.reduce((a, b) => a + b, 0) : Math.max(0, ...all)
  })
  const shape = (style: string, d: string) => {
    if (d === '') return ''
    if (!isStacked) return `<path class="line s-${style}" d="${d}"/>`
    const over = style in HATCHES ? `<path class="over" fill="url(#${id}-${style})" d="${d}"/>` : ''
    return `<path class="area s-${style}" d="${d}"/>${over}`
  }
  /** The base of each series: the sum of those before it, if they are stacked. A gap stays empty. */
  const base = tops.map(() => 0)
  const draw = (y: Scale) =>
    series.map(({ style, values }) => {
      const runs = runsOf(values).map(run => {
        const edge = run.map(i => `${at(x(i), y((base[i] ?? 0) + (values[i] ?? 0)))}H${one(x(i + 1))}`)
        const under = run.toReversed().map(i => `L${at(x(i + 1), y(base[i] ?? 0))}H${one(x(i))}`)
        if (isStacked) for (const i of run) base[i] = (base[i] ?? 0) + (values[i] ?? 0)
        return `M${edge.join('L')}${isStacked ? `${under.join('')}Z` : ''}`
      })
      return shape(style, runs.join(''))
    })
  let place = LEFT
  const legend = series.map(({ name, style }) => {
    const start = place
    place += SAMPLE + 24 + name.length * LETTER
    const sample = isStacked ? `M${at(start, 8)}h${SAMPLE}v12h-${SAMPLE}Z` : `M${at(start, 14)}h${SAMPLE}`
    return `${shape(style, sample)}${label(start + SAMPLE + 6, 18, name, 'start', 'label strong')}`
  })
  const times = timeTicks(from, from + steps * stepMs).map(tick => {
    const left = x((tick.at - from) / stepMs)
    return `<path class="tick" d="M${at(left, BOTTOM)}v4"/>${label(left, HEIGHT - 8, tick.label)}`
  })
  const behind = `${isStacked ? hatches(id) : ''}${gapBands(series, x, steps)}`
  return (
    behind + framed(numberTicks(Math.max(...tops), isStacked), unit, y => [...draw(y), ...times, ...legend])
  )
}

function bars({ bars: all, unit }: BarChart): string {
  const room = (RIGHT - LEFT) / all.length
  return framed(numberTicks(Math.max(...all.map(({ value }) => value)), true), unit, y =>
    all.map(({ name, value }, i) => {
      const left = LEFT + i * room
      const middle = left + room / 2
      const below = label(middle, HEIGHT - 8, name)
      if (value === 0) return below
      const count = label(middle, y(value) - 4, sayNumber(value), 'middle', 'label strong')
      return `<rect class="bar" x="${one(left + room * 0.16)}" y="${one(y(value))}" width="${one(room * 0.68)}" height="${one(y(0) - y(value))}"/>${count}${below}`
    }),
  )
}

/** Adds the grid, the axes and the unit. */
function framed(ticks: readonly number[], unit: string, draw: (y: Scale) => string[]): string {
  const top = ticks.at(-1) ?? 1
  const y = (value: number) => BOTTOM - (BOTTOM - TOP) * (value / top)
  const grid = ticks.map(
    value =>
      `<path class="grid" d="M${at(LEFT, y(value))}H${RIGHT}"/>${label(LEFT - 7, y(value) + 3.5, sayNumber(value), 'end')}`,
  )
  const axis = `<path class="axis" d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}"/>`
  return [...grid, ...draw(y), axis, label(RIGHT, 18, unit, 'end')].join('')
}

function label(x: number, y: number, text: string, anchor = 'middle', kind = 'label'): string {
  return `<text class="${kind}" text-anchor="${anchor}" x="${one(x)}" y="${one(y)}">${htmlData(text)}</text>`
}

/** The steps that were observed, in unbroken runs. */
function runsOf(values: LineChart['series'][number]['values']): number[][] {
  const runs: number[][] = []
  for (const [i, value] of values.entries()) {
    if (value === null) continue
    const last = runs.at(-1)
    if (last?.at(-1) === i - 1) last.push(i)
    else runs.push([i])
  }
  return runs
}

function gapBands(series: LineChart['series'], x: Scale, steps: number): string {
  const gaps = Array.from({ length: steps }, (_, i) =>
    series.some(({ values }) => values[i] != null) ? null : 0,
  )
  return runsOf(gaps)
    .map(run => {
      const left = x(run[0] ?? 0)
      const width = x(run.length) - LEFT
      const words = width < WORDS_WIDTH ? '' : label(left + width / 2, (TOP + BOTTOM) / 2, 'not observed')
      return `<rect class="gap" x="${one(left)}" y="${TOP}" width="${one(width)}" height="${BOTTOM - TOP}"/>${words}`
    })
    .join('')
}

/** The hatch over the color of an area. Held, the most common state, is plain. */
const HATCHES: Readonly<Record<string, string>> = {
  expiring: '<path d="M-2 8L8 -2M0 10L10 0M6 12L12 6"/>',
  expired: '<path d="M0 0L8 8M8 0L0 8"/>',
  endless: '<circle cx="2" cy="2" r="1.1"/><circle cx="6" cy="6" r="1.1"/>',
  unknown: '<path d="M0 -2L10 8M-2 0L8 10"/>',
}

/** Pattern definitions, once for every chart of a page. */
function hatches(id: string): string {
  const patterns = Object.entries(HATCHES).map(
    ([style, drawn]) =>
      `<pattern id="${id}-${style}" class="hatch" patternUnits="userSpaceOnUse" width="8" height="8">${drawn}</pattern>`,
  )
  return `<defs>${patterns.join('')}</defs>`
}

function at(x: number, y: number): string {
  return `${one(x)} ${one(y)}`
}

function one(n: number): string {
  return String(Math.round(n * 10) / 10)
}

function round(n: number): string {
  return sayNumber(n < 10 ? Math.round(n * 10) / 10 : Math.round(n))
}

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map(hours => hours * HOUR_MS),
  ...[1, 2, 7, 28].map(days => days * DAY_MS),
]
const MOST_TIMES = 8

/** Round moments between two times, no more than can be labelled side by side. */
export function timeTicks(from: number, to: number): { at: number; label: string }[] {
  const step = STEPS.find(each => (to - from) / each <= MOST_TIMES) ?? (to - from) / MOST_TIMES
  const first = Math.ceil(from / step) * step
  return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => {
    const time = first + i * step
    const iso = new Date(time).toISOString()
    return { at: time, label: step >= DAY_MS || time % DAY_MS === 0 ? iso.slice(5, 10) : iso.slice(11, 16) }
  })
}

/** Round numbers from zero to at least `max`, whole ones where only whole ones are counted. */
export function numberTicks(max: number, whole: boolean): number[] {
  const rough = Math.max(max, whole ? 1 : 0.1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const round = [1, 2, 2.5, 5, 10].map(each => each * power).find(each => each >= rough) ?? rough
  const step = whole ? Math.max(1, Math.ceil(round)) : round
  const count = Math.max(1, Math.ceil(max / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}
