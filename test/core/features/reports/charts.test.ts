import { describe, expect, it } from 'vitest'

import {
  chartSvg,
  describe as inWords,
  numberTicks,
  timeTicks,
} from '../../../../electron/core/features/reports/chart-svg.ts'
import { barsOf, chartsOf } from '../../../../electron/core/features/reports/charts.ts'
import { REPORT_STYLE } from '../../../../electron/core/features/reports/write-html.ts'
import { TIME_EDGES } from '../../../../shared/stats.ts'
import { aReport } from './a-report.ts'

const NOON = Date.parse('2026-10-02T12:00:00Z')
const HOUR = 3_600_000

describe('the axes', () => {
  it.each([
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [47, true, [0, 20, 40, 60]],
    [100_000, true, [0, 25_000, 50_000, 75_000, 100_000]],
    [0.3, false, [0, 0.1, 0.2, 0.3]],
  ])('up to %s have round numbers', (max, whole, ticks) => {
    expect(numberTicks(max, whole)).toEqual(ticks)
  })

  it.each([
    [0.25, '12:02', 8],
    [2, '12:15', 9],
    [24, '15:00', 8],
    [24 * 30, '10-08', 5],
  ])('over %s hours have round times, no more than fit', (hours, first, most) => {
    const ticks = timeTicks(NOON + 1, NOON + hours * HOUR)
    expect(ticks.length).toBeLessThanOrEqual(most)
    expect(ticks.length).toBeGreaterThan(2)
    expect(ticks[0]?.label).toBe(first)
  })
})

describe('a chart', () => {
  const [locks, happened] = chartsOf(aReport().history, 'pipelines')
  if (!locks || !happened) throw new Error('no charts')

  it('leaves gaps out of the lines and labels them', () => {
    const svg = chartSvg(locks, 'c')
    expect(svg.match(/class="gap"/g)).toHaveLength(2)
    // Wide enough for words is only one of them.
    expect(svg.match(/not observed/g)).toHaveLength(1)
    // Each area is in two pieces: before and after the first gap.
    const path = /class="area s-held" d="([^"]+)"/.exec(svg)?.[1] ?? ''
    expect(path.match(/M/g)).toHaveLength(2)
    expect(path).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('rates events per observed minute, never across a gap', () => {
    const [taken] = happened.series
    expect(happened.stepMs).toBeGreaterThanOrEqual(60_000)
    // From 2 to 5 in each half minute.
    for (const value of taken?.values ?? []) if (value !== null) expect(value).toBeCloseTo(7, -1)
    expect(taken?.values.filter(value => value === null).length).toBeGreaterThan(10)
  })

  it('has a description for screen readers', () => {
    expect(inWords(locks)).toMatch(/^held: 22 to 38 locks, \d+ at the end; expiring: 4 to 6 locks/)
    const svg = chartSvg({ ...locks, title: 'Locks in <b>"x"' }, 'c')
    expect(svg).toContain('role="img"')
    expect(svg).toContain('<title id="c-t">Locks in &#60;b&#62;&#34;x&#34;</title>')
    expect(svg).not.toMatch(/ style=| on\w+=|href/)
  })

  it('can be read without colors', () => {
    const report = aReport()
    const [areas, flows] = chartsOf(report.history, 'cache')
    if (!areas || !flows) throw new Error('no charts')
    const svg = chartSvg(areas, 'c7')
    // Each state but the plain one has a hatch, in the chart and in its legend, and the hatch is there.
    for (const state of ['expiring', 'expired', 'endless']) {
      expect(svg.match(new RegExp(`fill="url\\(#c7-${state}\\)"`, 'g'))).toHaveLength(2)
      expect(svg).toContain(`<pattern id="c7-${state}"`)
    }
    expect(svg).not.toContain('url(#c7-held)')
    const drawn = flows.series.map(({ style }) => {
      const rule = new RegExp(`\\.line\\.s-${style} \\{([^}]*)\\}`).exec(REPORT_STYLE)?.[1] ?? ''
      return ['stroke-dasharray', 'stroke-width'].map(name => new RegExp(`${name}: ([^;]+)`).exec(rule)?.[1])
    })
    expect(new Set(drawn.map(each => each.join())).size).toBe(flows.series.length)
    expect(flows.series.map(({ name }) => name)).toEqual([
      ...['acquired', 'released', 'ran out', 'renewed', 'holder changes'],
    ])
  })

  it('is empty without data', () => {
    const svg = chartSvg({ ...locks, series: [{ name: 'held', style: 'held', values: [null, null] }] }, 'c')
    expect(svg).toContain('not observed')
    expect(svg).not.toMatch(/NaN|Infinity/)
  })
})

it('a histogram names each of its bars by the unit of its lower edge', () => {
  const counts = [...TIME_EDGES.map((_, i) => i), 3]
  const [chart] = barsOf('How long', { edges: [...TIME_EDGES], counts, unknown: 0 })
  expect(chart?.bars.map(({ name }) => name)).toEqual([
    ...[
      '< 1 s',
      '1–5 s',
      '5–15 s',
      '15–60 s',
      '1–5 min',
      '5–15 min',
      '15–60 min',
      '1–6 h',
      '6–24 h',
      '≥ 1 d',
    ],
  ])
})
