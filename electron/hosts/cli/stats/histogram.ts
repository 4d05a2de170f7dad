import { sayDuration } from '../../../../shared/duration.ts'
import { sayNumber } from '../../../../shared/numbers.ts'
import { column } from '../../../../shared/safe-text.ts'
import type { Figures, Histogram } from '../../../../shared/stats.ts'

const LABEL = 12
const COUNT = 7
const LONGEST_BAR = 24
const SHORTEST_BAR = 6

/** How long locks were held, and how long those that are held still have, side by side. What has nothing to show is left out. */
export function histogramLines({ tenureTimes, remaining }: Figures, width: number): string[] {
  const shown = [
    { title: 'HELD FOR', unmeasured: 'not known', ...tenureTimes },
    { title: 'TIME LEFT', unmeasured: 'no expiry', ...remaining },
  ].filter(({ counts, unknown }) => counts.some(count => count > 0) || unknown > 0)
  if (shown.length === 0) return []

  const names = labelsOf(tenureTimes.edges)
  const places = names.map((_, i) => i)
  const isThere = (i: number) => shown.some(({ counts }) => (counts[i] ?? 0) > 0)
  // From the first to the last that there is, with the empty ones between.
  const measured = places.some(isThere)
    ? places.slice(places.findIndex(isThere), places.findLastIndex(isThere) + 1)
    : []
  const bar = Math.min(LONGEST_BAR, Math.max(SHORTEST_BAR, Math.floor((width - LABEL - 2 * COUNT - 8) / 2)))
  const line = (label: string, cells: readonly string[]) =>
    `  ${column(label, LABEL)}  ${cells.join('  ')}`.trimEnd()
  const cell = (count: number, most: number) => {
    const length = count === 0 ? 0 : Math.max(1, Math.round((count / most) * bar))
    const number = count === 0 ? '' : sayNumber(count)
    return `${column('█'.repeat(length), bar)} ${column(number, COUNT, 'right')}`
  }
  const row = (label: string, countIn: (histogram: (typeof shown)[number]) => number) =>
    line(
      label,
      shown.map(each => cell(countIn(each), Math.max(...each.counts, each.unknown))),
    )
  // What could not be measured is something else in each of them.
  const unmeasured = shown.filter(({ unknown }) => unknown > 0).map(each => each.unmeasured)
  return [
    '',
    line(
      '',
      shown.map(({ title }) => column(title, bar + 1 + COUNT)),
    ),
    ...measured.map(i => row(names[i] ?? '', ({ counts }) => counts[i] ?? 0)),
    ...unmeasured.map(label => row(label, each => (each.unmeasured === label ? each.unknown : 0))),
  ]
}

function labelsOf(edges: Histogram['edges']): string[] {
  const names = edges.map(sayRound)
  return [...names.map(name => `under ${name}`), `${names.at(-1)} or more`]
}

/** `5 min` and not `5 min 00 s`. */
export function sayRound(ms: number): string {
  return sayDuration(ms, { tenths: false }).replace(/ 00 \w+$/, '')
}
