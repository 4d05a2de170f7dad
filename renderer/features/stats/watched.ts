import type { Series } from '../../../shared/stats.ts'
import type { Span } from './steps.ts'

/** A chart of less is no chart. */
const SHORTEST_MS = 300_000

/** The first time in a window at which one of the stores was watched, if that is not from its beginning on. */
export function watchedFrom({ from, to }: Span, series: readonly Pick<Series, 'gaps'>[]): number | null {
  const begin = Math.min(...series.map(({ gaps }) => beginOf(gaps, from, to)))
  return begin > from && begin < to ? begin : null
}

/** A store that was down was watched: nobody else would know. */
function beginOf(gaps: Series['gaps'], from: number, to: number): number {
  const first = gaps.find(gap => gap.from <= from)
  return first?.why === 'away' ? (first.until ?? to) : from
}

/** What is worth drawing: what was seen in minutes would be a sliver at the edge of a day. */
export function worthDrawing({ from, to }: Span, watched: number | null): Span {
  return { from: watched === null ? from : Math.max(from, Math.min(watched, to - SHORTEST_MS)), to }
}
