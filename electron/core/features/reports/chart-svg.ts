import { sayNumber } from '../../../../shared/numbers.ts'
import type { BarChart, Chart, LineChart } from './block.ts'
import { hatches, hatchOf } from './chart-hatch.ts'
import { numberTicks, timeTicks } from './chart-scale.ts'
import { escapeHtml, shownData } from './html-text.ts'

/**
 * Charts as SVG that needs no script, no font and no style of its own: classes name what a thing is, and the stylesheet of the
 * page gives it its colour by day, by night and on paper. Hatches and dashes say the same as the colours, for whoever does not
 * see those or prints without them.
 */
const WIDTH = 760
const HEIGHT = 210
const LEFT = 52
const RIGHT = 20
const TOP = 30
const BOTTOM = 26
const INNER = { width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }
/** Of a letter, on the average: only the legend is laid out by it. */
const LETTER = 6.8
/** How wide the piece is that stands beside its name: enough for a dash to be told from a dot. */
const SAMPLE = 28
/** Narrower gaps have no room for words. */
const WORDS_WIDTH = 84

export function chartSvg(chart: Chart, id: string): string {
  const body = chart.is === 'bars' ? bars(chart) : lines(chart, id)
  const title = `<title id="${id}-t">${text(chart.title)}</title><desc id="${id}-d">${text(describe(chart))}</desc>`
  return `<svg class="chart" role="img" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-labelledby="${id}-t" aria-describedby="${id}-d">${title}${body}</svg>`
}

/** The same in words, for those who cannot see it. */
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

/** Each on top of those before it; where nobody looked there is nothing. */
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
    return `${sample(style, at, id)}<text class="label strong" x="${one(Number(at) + SAMPLE + 6)}" y="18">${text(name)}</text>`
  })
  const what = `<text class="label" text-anchor="end" x="${WIDTH - RIGHT}" y="18">${text(unit)}</text>`
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
      const label = `<text class="label" text-anchor="middle" x="${middle}" y="${HEIGHT - 8}">${text(name)}</text>`
      if (value === 0) return label
      const height = y(0) - y(value)
      return `<rect class="bar" x="${one(left + room * 0.16)}" y="${one(y(value))}" width="${one(room * 0.68)}" height="${one(height)}"/><text class="label strong" text-anchor="middle" x="${middle}" y="${one(y(value) - 4)}">${sayNumber(value)}</text>${label}`
    }),
    axis(),
    `<text class="label" text-anchor="end" x="${WIDTH - RIGHT}" y="18">${text(unit)}</text>`,
  ].join('')
}

function text(of: string): string {
  return escapeHtml(shownData(of))
}

function one(n: number): string {
  return String(Math.round(n * 10) / 10)
}

function round(n: number): string {
  return sayNumber(n < 10 ? Math.round(n * 10) / 10 : Math.round(n))
}
