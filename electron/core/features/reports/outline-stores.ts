import { sayDuration } from '../../../../shared/duration.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportFigures, ReportGap, ReportHead, ReportStore } from '../../../../shared/report-document.ts'
import { FLOW_NAMES, FLOW_WORDS, type Groups, topGroups } from '../../../../shared/stats.ts'
import {
  type Block,
  type Cell,
  type ColumnOf,
  code,
  type Fact,
  heading,
  quiet,
  table,
  text,
} from './block.ts'
import { barsOf, chartsOf } from './charts.ts'
import { cutData } from './escape.ts'
import { numberCell, STATUSES, sayGap, sayOffset, saySpent, sayTime, timeCell } from './words.ts'

/** More charts are hard to compare; the JSON has the numbers of all stores. */
const MOST_CHARTED = 8
const MOST_NAMES = 8
const MOST_GAPS = 100

export function* storeBlocks({ stores }: ReportHead): Iterable<Block> {
  if (stores.length === 0) return
  yield heading('Stores')
  yield table('Stores', stores, [
    ['Store', 16, ({ name, production }) => (production ? `${name} (production)` : name)],
    ['Address', 26, ({ address }) => code(address)],
    ['Server', 18, ({ server }) => server ?? 'unknown'],
    ['Clock offset', 14, sayOffset],
    ['Status', 18, statusCell],
    ['What watching it cost', 18, saySpent],
  ])
}

function statusCell({ status, error }: ReportStore): Cell {
  const { name, tone } = STATUSES[status]
  return { text: error === null ? name : `${name}: ${error.message}`, tone }
}

export function* figureBlocks(head: ReportHead): Iterable<Block> {
  const { figures, history, stores } = head
  if (stores.length === 0) return
  const { overall } = figures
  yield heading('Statistics')
  yield text(
    'Figures cover whole stores, whatever the filter. Counts are of the last poll; what happened is counted where the window was observed. A lock that is acquired and released between two polls is not counted. Released: gone before its lease ended, whoever released it. Ran out: gone after its lease ended.',
    true,
  )
  yield* figureTables(head)
  const extremes = [...extremesOf(overall)]
  if (extremes.length > 0) yield { is: 'facts', facts: extremes }
  const charted = history.series.filter(({ points }) => points.some(point => point !== null))
  if (charted.length === 0) yield text('There is no history of this window to chart.')
  else
    yield {
      is: 'charts',
      charts: charted.slice(0, MOST_CHARTED).flatMap(({ store }) => chartsOf(history, store)),
    }
  if (charted.length > MOST_CHARTED)
    yield text(`${plural(charted.length - MOST_CHARTED, 'more store is', 'more stores are')} not charted.`)
  yield {
    is: 'charts',
    charts: [
      ...barsOf('Length of the tenures that ended in the window', overall.holdTimes),
      ...barsOf('Time left of the locks held now', overall.remaining),
    ],
  }
  yield {
    is: 'beside',
    blocks: [
      ...groupBlocks('Holders', overall.byHolder),
      ...groupBlocks('Formats', overall.byFormat),
      ...groupBlocks('Key prefixes', overall.byPrefix),
      ...groupBlocks('Key names', overall.byName),
    ],
  }
}

function* figureTables({ figures, stores }: ReportHead): Iterable<Block> {
  const { overall } = figures
  const rows = [...figures.stores]
  if (rows.length > 1) rows.push({ store: 'All stores', figures: overall })
  type Row = (typeof rows)[number]
  // Of all stores together, only a part may be known.
  const isPartCounted = stores.some(({ asOf }) => asOf === null)
  const isPartObserved = figures.stores.some(each => each.figures.flows === null)
  const counted = (title: string, countOf: (figures: ReportFigures) => number | undefined | null) =>
    numbers<Row>(title, ({ figures: of }) => knownCell(countOf(of) ?? null, of === overall && isPartCounted))
  const observed = FLOW_NAMES.map(name =>
    numbers<Row>(FLOW_WORDS[name], ({ figures: of }) =>
      knownCell(of.flows?.[name] ?? null, of === overall && isPartObserved, 'not observed'),
    ),
  )
  yield table('Locks now', rows, [
    ['Now', 20, ({ store }) => store],
    counted('Active', ({ active }) => active),
    counted('Held', ({ counts }) => counts?.held),
    counted('Expiring', ({ counts }) => counts?.expiring),
    counted('Expired', ({ counts }) => counts?.expired),
    counted('No expiry', ({ counts }) => counts?.endless),
    counted('Unknown', ({ counts }) => counts?.unknown),
    counted('Free', ({ counts }) => counts?.released),
  ])
  yield table('What happened in the window', rows, [
    ['In the window', 20, ({ store }) => store],
    ...observed,
    numbers('Observed for', ({ figures: { observedMs } }) => ({
      text: observedMs === 0 ? 'not at all' : sayDuration(observedMs, { coarse: true }),
      as: 'number',
    })),
  ])
}

function numbers<Row>(title: string, cell: (row: Row) => Cell): ColumnOf<Row> {
  return [title, 10, cell, 'right']
}

function knownCell(n: number | null, isPart: boolean, unknown?: string): Cell {
  const cell = numberCell(n, unknown)
  return isPart && n !== null ? { ...cell, text: `at least ${cell.text}` } : cell
}

function* extremesOf({ oldest, longest }: ReportFigures): Iterable<Fact> {
  const fact = (title: string, { key, store, holder }: LockBrief, when: string): Fact => {
    return [title, { text: `${cutData(key)} in ${store}, by ${holder}, ${when}` }]
  }
  if (oldest)
    yield fact('Held longest now', oldest, `since ${oldest.exact ? '' : 'before '}${sayTime(oldest.since)}`)
  if (longest)
    yield fact('Longest that ended', longest, `${sayTime(longest.since)} to ${sayTime(longest.until)}`)
}

type LockBrief = NonNullable<ReportFigures['oldest']>

function* groupBlocks(title: string, groups: Groups | null): Iterable<Block> {
  if (groups === null || groups.top.length === 0) return
  const { top, others } = topGroups(groups, MOST_NAMES)
  const rows = top.map(({ name, count: locks }) => ({ name: code(cutData(name)), locks }))
  if (others.names > 0)
    rows.push({ name: quiet(plural(others.names, 'other', 'others')), locks: others.count })
  yield table(title, rows, [
    [title, 40, ({ name }) => name],
    numbers('Locks', ({ locks }) => numberCell(locks)),
  ])
}

export function* gapBlocks({ gaps, stores }: ReportHead): Iterable<Block> {
  if (stores.length === 0) return
  yield heading('Gaps in observation')
  if (gaps.length === 0) yield text('None: every store was watched throughout the window.')
  else
    yield table('Gaps in observation', gaps.slice(0, MOST_GAPS), [
      ['Store', 20, ({ store }: ReportGap) => store],
      ['From', 20, ({ from }) => timeCell(from)],
      ['To', 20, ({ until }) => (until === null ? 'ongoing' : timeCell(until))],
      ['Why', 40, gap => ({ text: sayGap(gap), tone: gap.why === 'down' ? 'danger' : undefined })],
    ])
  if (gaps.length > MOST_GAPS) yield text(`And ${sayNumber(gaps.length - MOST_GAPS)} more.`)
}
