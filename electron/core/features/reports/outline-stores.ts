import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportFigures, ReportGap, ReportHead, ReportStore } from '../../../../shared/report-document.ts'
import type { Groups } from '../../../../shared/stats.ts'
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
import { FLOWS, STATUSES, sayDurationOf, sayGap, sayKnown, sayOffset, saySpent, sayTime } from './words.ts'

/** Nobody compares more charts than this; the numbers are in the JSON. */
const MOST_CHARTED = 8
const MOST_NAMES = 8
const MOST_GAPS = 100

export function* storeBlocks({ stores }: ReportHead): Iterable<Block> {
  if (stores.length === 0) return
  yield heading('Stores')
  yield table('Stores', stores, [
    ['Store', 16, ({ name, production }) => (production ? `${name} (production)` : name)],
    ['Address', 26, ({ address }) => code(address)],
    ['Server', 18, ({ server }) => server ?? 'did not say'],
    ['Clock offset', 14, sayOffset],
    ['Status', 18, statusCell],
    ['What watching it cost', 18, saySpent],
  ])
}

function statusCell({ status, error }: ReportStore): Cell {
  const { name, tone } = STATUSES[status]
  return { text: error === null ? name : `${name}: ${error.message}`, tone }
}

/** A row of the statistics: one store, or all of them, of which only a part may be known. */
type FigureRow = {
  readonly store: string
  readonly figures: ReportFigures
  readonly isPartCounted: boolean
  readonly isPartObserved: boolean
}

export function* figureBlocks(head: ReportHead): Iterable<Block> {
  const { figures, history, stores } = head
  if (stores.length === 0) return
  const { overall } = figures
  yield heading('Statistics')
  yield text(
    'Of whole stores, whatever the filter. Counts are of the last look; what happened is of the window, as far as somebody looked. What is acquired and released between two looks is seen by nobody. Released is what was gone before its end, whoever took it away; ran out, what was gone when its lease was over.',
    true,
  )
  yield* figureTables(head)
  const extremes = [...extremesOf(overall)]
  if (extremes.length > 0) yield { is: 'facts', facts: extremes }
  const charted = history.series.filter(({ points }) => points.some(point => point !== null))
  if (charted.length === 0) yield text('There is no history of this window to draw.')
  else
    yield {
      is: 'charts',
      charts: charted.slice(0, MOST_CHARTED).flatMap(({ store }) => chartsOf(history, store)),
    }
  if (charted.length > MOST_CHARTED)
    yield text(`${plural(charted.length - MOST_CHARTED, 'more store is', 'more stores are')} not drawn.`)
  yield {
    is: 'charts',
    charts: [
      ...barsOf('How long locks were held that ended in the window', overall.holdTimes),
      ...barsOf('How long the locks of now still have', overall.remaining),
    ],
  }
  yield {
    is: 'beside',
    blocks: [
      ...groupBlocks('Holders', overall.byHolder),
      ...groupBlocks('Formats', overall.byFormat),
      ...groupBlocks('Prefixes of keys', overall.byPrefix),
      ...groupBlocks('Last parts of keys', overall.byName),
    ],
  }
}

function* figureTables({ figures, stores }: ReportHead): Iterable<Block> {
  const rows: FigureRow[] = figures.stores.map(each => ({
    ...each,
    isPartCounted: false,
    isPartObserved: false,
  }))
  if (rows.length > 1)
    rows.push({
      store: 'All stores',
      figures: figures.overall,
      isPartCounted: stores.some(({ asOf }) => asOf === null),
      isPartObserved: rows.some(each => each.figures.flows === null),
    })
  const counted = (title: string, countOf: (figures: ReportFigures) => number | undefined | null) =>
    numbers<FigureRow>(title, row => knownCell(countOf(row.figures) ?? null, row.isPartCounted))
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
  const happened = (['taken', 'freed', 'lapsed', 'renewed', 'passedOn'] as const).map(name =>
    numbers<FigureRow>(capital(FLOWS[name]), row =>
      knownCell(row.figures.flows?.[name] ?? null, row.isPartObserved, 'not observed'),
    ),
  )
  yield table('What happened in the window', rows, [
    ['In the window', 20, ({ store }) => store],
    ...happened,
    numbers('Observed for', ({ figures: { observedMs } }) => ({
      text: observedMs === 0 ? 'not at all' : sayDurationOf(observedMs),
      as: 'number',
    })),
  ])
}

function numbers<Row>(title: string, cell: (row: Row) => Cell): ColumnOf<Row> {
  return [title, 10, cell, 'right']
}

function knownCell(n: number | null, isPart: boolean, unknown?: string): Cell {
  return { text: sayKnown(n, isPart, unknown), as: 'number', tone: n === null ? 'quiet' : undefined }
}

function capital(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}

function* extremesOf({ oldest, longest }: ReportFigures): Iterable<Fact> {
  if (oldest) {
    const since = `since ${oldest.exact ? '' : 'before '}${sayTime(oldest.since)}`
    yield [
      'Held longest now',
      { text: `${cutData(oldest.key)} in ${oldest.store}, by ${oldest.holder}, ${since}` },
    ]
  }
  if (longest) {
    const when = `${sayTime(longest.since)} to ${sayTime(longest.until)}`
    yield [
      'Longest that ended',
      { text: `${cutData(longest.key)} in ${longest.store}, by ${longest.holder}, ${when}` },
    ]
  }
}

function* groupBlocks(title: string, groups: Groups | null): Iterable<Block> {
  if (groups === null || groups.top.length === 0) return
  const { top, others } = groups
  const rest = top.slice(MOST_NAMES)
  const names = others.names + rest.length
  const rows = top
    .slice(0, MOST_NAMES)
    .map(({ name, count: locks }) => ({ name: code(cutData(name)), locks }))
  if (names > 0)
    rows.push({
      name: quiet(plural(names, 'other', 'others')),
      locks: rest.reduce((sum, each) => sum + each.count, others.count),
    })
  yield table(title, rows, [
    [title, 40, ({ name }) => name],
    numbers('Locks', ({ locks }) => ({ text: sayNumber(locks), as: 'number' })),
  ])
}

export function* gapBlocks({ gaps, stores }: ReportHead): Iterable<Block> {
  if (stores.length === 0) return
  yield heading('Gaps in observation')
  if (gaps.length === 0) yield text('None: every store was watched throughout the window.')
  else
    yield table('Gaps in observation', gaps.slice(0, MOST_GAPS), [
      ['Store', 20, ({ store }: ReportGap) => store],
      ['From', 20, ({ from }) => ({ text: sayTime(from), as: 'time' })],
      ['To', 20, ({ until }) => ({ text: until === null ? 'goes on' : sayTime(until), as: 'time' })],
      ['Why', 40, gap => ({ text: sayGap(gap), tone: gap.why === 'down' ? 'danger' : undefined })],
    ])
  if (gaps.length > MOST_GAPS) yield text(`And ${sayNumber(gaps.length - MOST_GAPS)} more.`)
}
