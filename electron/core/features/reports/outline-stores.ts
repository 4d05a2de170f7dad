import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportFigures, ReportHead } from '../../../../shared/report-document.ts'
import type { Groups } from '../../../../shared/stats.ts'
import type { Block, Cell } from './block.ts'
import { barsOf, chartsOf } from './charts.ts'
import { cutData } from './html-text.ts'
import { FLOWS, STATUSES, sayGap, sayHeld, sayKnown, sayOffset, saySpent, sayTime } from './words.ts'

/** More charts than this nobody compares; the numbers are in the JSON. */
const MOST_CHARTED = 8
const MOST_NAMES = 8
const MOST_GAPS = 100
const SHOWN = ['held', 'expiring', 'expired', 'endless', 'unknown', 'released'] as const
const HAPPENED = ['taken', 'freed', 'lapsed', 'renewed', 'passedOn'] as const

export function storeBlocks({ stores }: ReportHead): Block[] {
  if (stores.length === 0) return []
  return [
    { is: 'heading', text: 'Stores', level: 2 },
    {
      is: 'table',
      name: 'Stores',
      columns: [
        { title: 'Store', share: 16 },
        { title: 'Address', share: 26 },
        { title: 'Server', share: 18 },
        { title: 'Clock offset', share: 14 },
        { title: 'Status', share: 18 },
        { title: 'What watching it cost', share: 18 },
      ],
      rows: stores.map((store): Cell[] => [
        { text: store.production ? `${store.name} (production)` : store.name },
        { text: store.address, as: 'code' },
        { text: store.server ?? 'did not say' },
        { text: sayOffset(store) },
        {
          text:
            store.error === null
              ? STATUSES[store.status].name
              : `${STATUSES[store.status].name}: ${store.error.message}`,
          tone: STATUSES[store.status].tone,
        },
        { text: saySpent(store) },
      ]),
    },
  ]
}

export function figureBlocks(head: ReportHead): Block[] {
  const { figures, history, stores } = head
  if (stores.length === 0) return []
  const { overall } = figures
  const charted = history.series.filter(({ points }) => points.some(point => point !== null))
  const whole = { now: false, before: false }
  const part = {
    now: stores.some(({ asOf }) => asOf === null),
    before: figures.stores.some(each => each.figures.flows === null),
  }
  const rows = [
    ...figures.stores.map(each => ({ ...each, isPart: whole })),
    ...(figures.stores.length > 1 ? [{ store: 'All stores', figures: overall, isPart: part }] : []),
  ]
  const groups: [string, Groups | null][] = [
    ['Holders', overall.byHolder],
    ['Formats', overall.byFormat],
    ['Prefixes of keys', overall.byPrefix],
    ['Last parts of keys', overall.byName],
  ]
  return [
    { is: 'heading', text: 'Statistics', level: 2 },
    {
      is: 'text',
      text: 'Of whole stores, whatever the filter. Counts are of the last look; what happened is of the window, as far as somebody looked. What is acquired and released between two looks is seen by nobody. Released is what was gone before its end, whoever took it away; ran out, what was gone when its lease was over.',
      quiet: true,
    },
    {
      is: 'table',
      name: 'Locks now',
      columns: [
        { title: 'Now', share: 20 },
        ...['Active', 'Held', 'Expiring', 'Expired', 'No expiry', 'Unknown', 'Free'].map(number),
      ],
      rows: rows.map(({ store, figures: { active, counts }, isPart }) => [
        { text: store },
        ...[active, ...SHOWN.map(state => counts?.[state] ?? null)].map(n => knownCell(n, isPart.now)),
      ]),
    },
    {
      is: 'table',
      name: 'What happened in the window',
      columns: [
        { title: 'In the window', share: 20 },
        ...HAPPENED.map(name => number(capital(FLOWS[name]))),
        number('Observed for'),
      ],
      rows: rows.map(({ store, figures: { flows, observedMs }, isPart }) => [
        { text: store },
        ...HAPPENED.map(name => knownCell(flows?.[name] ?? null, isPart.before, 'not observed')),
        { text: observedMs === 0 ? 'not at all' : sayHeld(observedMs), as: 'number' as const },
      ]),
    },
    ...extremes(overall),
    ...(charted.length === 0
      ? [{ is: 'text' as const, text: 'There is no history of this window to draw.' }]
      : [
          {
            is: 'charts' as const,
            charts: charted.slice(0, MOST_CHARTED).flatMap(({ store }) => chartsOf(history, store)),
          },
        ]),
    ...(charted.length > MOST_CHARTED
      ? [
          {
            is: 'text' as const,
            text: `${plural(charted.length - MOST_CHARTED, 'more store is', 'more stores are')} not drawn.`,
          },
        ]
      : []),
    {
      is: 'charts',
      charts: [
        ...(overall.tenureTimes !== null && sum(overall.tenureTimes.counts) > 0
          ? [barsOf('How long locks were held that ended in the window', overall.tenureTimes)]
          : []),
        ...(overall.remaining !== null && sum(overall.remaining.counts) > 0
          ? [barsOf('How long the locks of now still have', overall.remaining)]
          : []),
      ],
    },
    { is: 'beside', blocks: groups.flatMap(([name, each]) => groupBlock(name, each)) },
  ]
}

function number(title: string) {
  return { title, align: 'right' as const, share: 10 }
}

function numberCell(n: number): Cell {
  return { text: sayNumber(n), as: 'number' }
}

function knownCell(n: number | null, isPart: boolean, unknown?: string): Cell {
  const text = sayKnown(n, isPart, unknown)
  return { text, as: 'number', ...(n === null ? { tone: 'quiet' as const } : {}) }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function sum(all: readonly number[]): number {
  return all.reduce((a, b) => a + b, 0)
}

function extremes({ oldest, longest }: ReportFigures): Block[] {
  const facts: [string, Cell][] = [
    ...(oldest === null
      ? []
      : ([
          [
            'Held longest now',
            {
              text: `${cutData(oldest.key)} in ${oldest.store}, by ${oldest.holder}, since ${oldest.exact ? '' : 'before '}${sayTime(oldest.since)}`,
            },
          ],
        ] as [string, Cell][])),
    ...(longest === null
      ? []
      : ([
          [
            'Longest that ended',
            {
              text: `${cutData(longest.key)} in ${longest.store}, by ${longest.holder}, ${sayTime(longest.since)} to ${sayTime(longest.until)}`,
            },
          ],
        ] as [string, Cell][])),
  ]
  return facts.length === 0 ? [] : [{ is: 'facts', facts }]
}

function groupBlock(name: string, groups: Groups | null): Block[] {
  if (groups === null || groups.top.length === 0) return []
  const { top, others } = groups
  const rest = top.slice(MOST_NAMES)
  const more = { names: others.names + rest.length, count: others.count + sum(rest.map(each => each.count)) }
  return [
    {
      is: 'table',
      name,
      columns: [{ title: name, share: 40 }, number('Locks')],
      rows: [
        ...top
          .slice(0, MOST_NAMES)
          .map((each): Cell[] => [{ text: cutData(each.name), as: 'code' }, numberCell(each.count)]),
        ...(more.names > 0
          ? [
              [
                { text: `${plural(more.names, 'other', 'others')}`, tone: 'quiet' as const },
                numberCell(more.count),
              ],
            ]
          : []),
      ],
    },
  ]
}

export function gapBlocks({ gaps, stores }: ReportHead): Block[] {
  if (stores.length === 0) return []
  const shown = gaps.slice(0, MOST_GAPS)
  return [
    { is: 'heading', text: 'Gaps in observation', level: 2 },
    ...(gaps.length === 0
      ? [{ is: 'text' as const, text: 'None: every store was watched throughout the window.' }]
      : [
          {
            is: 'table' as const,
            name: 'Gaps in observation',
            columns: [
              { title: 'Store', share: 20 },
              { title: 'From', share: 20 },
              { title: 'To', share: 20 },
              { title: 'Why', share: 40 },
            ],
            rows: shown.map((gap): Cell[] => [
              { text: gap.store },
              { text: sayTime(gap.from), as: 'time' },
              { text: gap.until === null ? 'goes on' : sayTime(gap.until), as: 'time' },
              { text: sayGap(gap), tone: gap.why === 'down' ? 'danger' : undefined },
            ]),
          },
        ]),
    ...(gaps.length > shown.length
      ? [{ is: 'text' as const, text: `And ${sayNumber(gaps.length - shown.length)} more.` }]
      : []),
  ]
}
