import { sayNumber } from '../../../../shared/numbers.ts'
import type { BarChart, Chart, LineChart } from './block.ts'
import { numberTicks, timeTicks } from './chart-scale.ts'
import { htmlData } from './escape.ts'

/**
 * Charts as SVG without scripts, fonts or styles of its own: classes name what a thing is, and the stylesheet of the page gives it
 * its color by day, by night and on paper. Hatches and dashes say the same as the colors, for readers who do not see those or
 * print without them.
 */
const WIDTH = 760
const HEIGHT = 210
const LEFT = 52
const RIGHT = 20
const TOP = 30
const BOTTOM = 26
const INNER = { width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }
/** Average width of a letter: only the legend is laid out by it. */
const LETTER = 6.8
/** Width of a sample in the legend: enough to tell a dash from a dot. */
const SAMPLE = 28
/** Narrower gaps have no room for words. */
const WORDS_WIDTH = 84

export function chartSvg(chart: Chart, id: string): string {
  const body = chart.is === 'bars' ? bars(chart) : lines(chart, id)
  const title = `<title id="${id}-t">${htmlData(chart.title)}</title><desc id="${id}-d">${htmlData(describe(chart))}</desc>`
  return `<svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-labelledby="${id}-t" aria-describedby="${id}-d">${title}${body}</svg>`
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
      const [least, most] = known.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, 0])
      return `${name}: ${round(least)} to ${round(most)} ${chart.unit}, ${round(known.at(-1) ?? 0)} at the end`
    })
    .join('; ')
}

function lines(chart: LineChart, id: string): string {
  const { from, stepMs, series } = chart
  const steps = Math.max(1, ...series.map(({ values }) => values.length))
  const to = from + steps * stepMs
  const tops = Array.from({ length: steps }, (_, i) => {
    const all = series.map(({ values }) => values[i] ?? 0)
    return chart.is === 'areas' ? all.reduce((a, b) => a + b, 0) : Math.max(0, ...all)
  })
  const ticks = numberTicks(Math.max(...tops), chart.is === 'areas')
  const top = ticks.at(-1) ?? 1
  const x = (i: number) => LEFT + (i / steps) * INNER.width
  const y = (value: number) => TOP + INNER.height * (1 - value / top)
  const drawn = chart.is === 'areas' ? stacked(series, x, y, steps, id) : stepped(series, x, y)
  return [
    chart.is === 'areas' ? hatches(id) : '',
    gapBands(series, x, steps),
    grid(ticks, y),
    ...drawn,
    ...timeTicks(from, to).map(({ at, label }) => {
      const place = LEFT + ((at - from) / (to - from)) * INNER.width
      return `<path class="tick" d="M${one(place)} ${HEIGHT - BOTTOM}v4"/><text class="label" text-anchor="middle" x="${one(place)}" y="${HEIGHT - 8}">${label}</text>`
    }),
    axis(),
    legend(chart, id),
  ].join('')
}

type Series = LineChart['series']
type Scale = (value: number) => number

/** Each series on top of those before it; a step that was not observed is left empty. */
function stacked(series: Series, x: Scale, y: Scale, steps: number, id: string): string[] {
  const base = Array.from({ length: steps }, () => 0)
  return series.map(({ style, values }) => {
    const path = runsOf(values)
      .map(({ start, end }) => {
        let up = ''
        let down = ''
        for (let i = start; i < end; i++) {
          const under = base[i] ?? 0
          const over = under + (values[i] ?? 0)
          up += `${i === start ? 'M' : 'L'}${one(x(i))} ${one(y(over))}H${one(x(i + 1))}`
          down = `L${one(x(i + 1))} ${one(y(under))}H${one(x(i))}${down}`
          base[i] = over
        }
        return `${up}${down}Z`
      })
      .join('')
    if (path === '') return ''
    const hatch = hatchOf(style, id)
    const over = hatch === null ? '' : `<path class="over" fill="${hatch}" d="${path}"/>`
    return `<path class="area s-${style}" d="${path}"/>${over}`
  })
}

function stepped(series: Series, x: Scale, y: Scale): string[] {
  return series.map(({ style, values }) => {
    const path = runsOf(values)
      .map(({ start, end }) => {
        let run = ''
        for (let i = start; i < end; i++)
          run += `${i === start ? 'M' : 'L'}${one(x(i))} ${one(y(values[i] ?? 0))}H${one(x(i + 1))}`
        return run
      })
      .join('')
    return path === '' ? '' : `<path class="line s-${style}" d="${path}"/>`
  })
}

/** Stretches of steps that were observed. */
function runsOf(values: Series[number]['values']): { start: number; end: number }[] {
  const runs: { start: number; end: number }[] = []
  for (const [i, value] of values.entries()) {
    const last = runs.at(-1)
    if (value === null) continue
    if (last?.end === i) last.end = i + 1
    else runs.push({ start: i, end: i + 1 })
  }
  return runs
}

function gapBands(series: Series, x: Scale, steps: number): string {
  const seen = Array.from({ length: steps }, (_, i) =>
    series.some(({ values }) => values[i] != null) ? null : 0,
  )
  return runsOf(seen)
    .map(({ start, end }) => {
      const [left, width] = [x(start), x(end) - x(start)]
      const words =
        width < WORDS_WIDTH
          ? ''
          : `<text class="label" text-anchor="middle" x="${one(left + width / 2)}" y="${one(TOP + INNER.height / 2)}">not observed</text>`
      return `<rect class="gap" x="${one(left)}" y="${TOP}" width="${one(width)}" height="${INNER.height}"/>${words}`
    })
    .join('')
}

function grid(ticks: readonly number[], y: Scale): string {
  return ticks
    .map(
      value =>
        `<path class="grid" d="M${LEFT} ${one(y(value))}H${WIDTH - RIGHT}"/><text class="label" text-anchor="end" x="${LEFT - 7}" y="${one(y(value) + 3.5)}">${sayNumber(value)}</text>`,
    )
    .join('')
}

function axis(): string {
  return `<path class="axis" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}"/>`
}

function legend({ is, series, unit }: LineChart, id: string): string {
  const sample = is === 'areas' ? areaSample : lineSample
  let place = LEFT
  const named = series.map(({ name, style }) => {
    const at = one(place)
    place += SAMPLE + 24 + name.length * LETTER
    return `${sample(style, at, id)}<text class="label strong" x="${one(Number(at) + SAMPLE + 6)}" y="18">${htmlData(name)}</text>`
  })
  const what = `<text class="label" text-anchor="end" x="${WIDTH - RIGHT}" y="18">${htmlData(unit)}</text>`
  return named.join('') + what
}

function areaSample(style: string, at: string, id: string): string {
  const place = `x="${at}" y="8" width="${SAMPLE}" height="12"`
  const hatch = hatchOf(style, id)
  return `<rect class="area s-${style}" ${place}/>${hatch === null ? '' : `<rect class="over" fill="${hatch}" ${place}/>`}`
}

function lineSample(style: string, at: string): string {
  return `<path class="line s-${style}" d="M${at} 14h${SAMPLE}"/>`
}

function bars({ bars: all, unit }: BarChart): string {
  const ticks = numberTicks(Math.max(...all.map(({ value }) => value)), true)
  const top = ticks.at(-1) ?? 1
  const y = (value: number) => TOP + INNER.height * (1 - value / top)
  const room = INNER.width / all.length
  return [
    grid(ticks, y),
    ...all.map(({ name, value }, i) => {
      const left = LEFT + i * room
      const middle = one(left + room / 2)
      const label = `<text class="label" text-anchor="middle" x="${middle}" y="${HEIGHT - 8}">${htmlData(name)}</text>`
      if (value === 0) return label
      const height = y(0) - y(value)
      return `<rect class="bar" x="${one(left + room * 0.16)}" y="${one(y(value))}" width="${one(room * 0.68)}" height="${one(height)}"/><text class="label strong" text-anchor="middle" x="${middle}" y="${one(y(value) - 4)}">${sayNumber(value)}</text>${label}`
    }),
    axis(),
    `<text class="label" text-anchor="end" x="${WIDTH - RIGHT}" y="18">${htmlData(unit)}</text>`,
  ].join('')
}

function one(n: number): string {
  return String(Math.round(n * 10) / 10)
}

function round(n: number): string {
  return sayNumber(n < 10 ? Math.round(n * 10) / 10 : Math.round(n))
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

/** Null for what is plain. */
function hatchOf(style: string, id: string): string | null {
  return style in HATCHES ? `url(#${id}-${style})` : null
}
