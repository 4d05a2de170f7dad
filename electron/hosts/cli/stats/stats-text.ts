import { sayDuration } from '../../../../shared/duration.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { sayNumber } from '../../../../shared/numbers.ts'
import { clip, column, escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'
import {
  type Figures,
  FLOW_NAMES,
  FLOW_WORDS,
  type Flows,
  type Groups,
  type Histogram,
  type LockBrief,
  ratesOf,
  type Spent,
  type Stats,
  type StoreStats,
  topGroups,
} from '../../../../shared/stats.ts'
import { wrap } from '../lib/layout.ts'
import { sayCounts } from '../locks/lock-output.ts'

/** Statistics for people. Unobserved figures are reported as such, not as zeros. */

const NAMED_GROUPS = 5
const LONGEST_NAME = 44

type Window = { readonly at: number; readonly windowMs: number; readonly width: number }

export function statsLines({ stores, overall, at, since }: Stats, width: number): string[] {
  const window = { at, windowMs: at - since, width }
  const blocks = stores.map(store => storeLines(store, window))
  if (stores.length > 1) blocks.push(overallLines(stores, overall, window))
  return blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]))
}

function storeLines(store: StoreStats, window: Window): string[] {
  const { error, asOf, kind } = store
  const { width } = window
  const head = `${escapeForTerminal(store.name)} · ${escapeForTerminal(store.address)}`
  const old = asOf === null ? '' : ` Figures are ${sayDuration(window.at - asOf)} old.`
  return [
    clip(head, width),
    ...(error ? wrap('  ', `Cannot be read: ${neutralise(error.message)}.${old}`, width) : []),
    ...(asOf === null ? [] : nowLines(store, window, () => '')),
    ...rows(width, [['clock', asOf === null ? '' : sayClock(store.offsetMs)]]),
    ...observedLines(store, ratesOf([store]), window, () => ''),
    ...rows(width, [['cost', kindOf(kind).isEmbedded ? '' : sayCost(kind, store.spent)]]),
    ...histogramLines(store, width),
  ]
}

function overallLines(stores: readonly StoreStats[], overall: Figures, window: Window): string[] {
  const names = new Map(stores.map(({ storeId, name }) => [storeId, name]))
  const where = ({ storeId }: LockBrief) => ` in ${escapeForTerminal(names.get(storeId) ?? '')}`
  const isWhole = stores.every(({ error }) => error === null)
  return [
    `All ${stores.length} stores${isWhole ? '' : ', as far as they can be read'}`,
    ...nowLines(overall, window, where),
    ...observedLines(overall, ratesOf(stores), window, where),
    ...histogramLines(overall, window.width),
  ]
}

type Where = (brief: LockBrief) => string

function nowLines(figures: Figures, { at, width }: Window, where: Where): string[] {
  const { oldest } = figures
  return [
    ...wrap('  ', sayCounts(figures.counts), width),
    ...rows(width, [
      ['holder', sayGroups(figures.byHolder)],
      ['format', sayGroups(figures.byFormat)],
      ['prefix', sayGroups(figures.byPrefix)],
      ['name', sayGroups(figures.byName)],
      ['oldest', oldest ? `${sayBrief(oldest, at)}${where(oldest)}` : ''],
    ]),
  ]
}

function observedLines(
  { observedMs, flows, longest }: Figures,
  rates: Flows | null,
  { windowMs, width }: Window,
  where: Where,
): string[] {
  const window = sayRound(windowMs)
  if (observedMs === 0)
    return wrap(
      '  ',
      `Nothing was observed in the last ${window}: run the console, or observe first with --watch SECONDS.`,
      width,
    )
  const observed = sayDuration(Math.min(observedMs, windowMs))
  const seen = FLOW_NAMES.filter(name => flows[name] > 0)
  const end = seen.length === 0 ? ', nothing happened.' : ':'
  return [
    ...wrap('  ', `In the last ${window}, ${observed} of it observed${end}`, width),
    ...rows(width, [
      ...seen.map((name): Row => {
        return [FLOW_WORDS[name].toLowerCase(), `${sayNumber(flows[name])}${sayRate(rates?.[name])}`]
      }),
      ['longest', longest ? `${sayBrief(longest, longest.until)}${where(longest)}` : ''],
    ]),
  ]
}

type Row = readonly [label: string, text: string]

/** A row without text is left out. */
function rows(width: number, all: readonly Row[]): string[] {
  return all.flatMap(([label, text]) => (text === '' ? [] : wrap(`  ${label.padEnd(14)} `, text, width)))
}

function sayRate(perMinute: number | undefined): string {
  if (perMinute === undefined) return ''
  return perMinute < 0.1 ? ' (less than 0.1 a minute)' : ` (${perMinute.toFixed(1)} a minute)`
}

function sayGroups(groups: Groups): string {
  const { top, others } = topGroups(groups, NAMED_GROUPS)
  const named = top.map(({ name, count }) => `${sayName(name)} (${sayNumber(count)})`)
  if (others.names > 0) named.push(`${sayNumber(others.names)} more (${sayNumber(others.count)})`)
  return named.join(', ')
}

function sayBrief({ key, holder, since, exact }: LockBrief, until: number): string {
  const length = `${exact ? '' : 'at least '}${sayDuration(Math.max(0, until - since))}`
  return `${sayName(key)}, for ${length}, by ${sayName(holder)}`
}

function sayName(text: string): string {
  return clip(escapeForTerminal(text), LONGEST_NAME)
}

function sayClock(offsetMs: number | null): string {
  if (offsetMs === null) return "cannot be read, so times are by this machine's"
  if (Math.abs(offsetMs) < 1000) return "within a second of this machine's"
  return `${sayDuration(offsetMs)} ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's`
}

function sayCost(kind: string, { requests, units }: Spent): string {
  const spent = `${sayNumber(requests)} ${kindOf(kind).requests[requests === 1 ? 0 : 1]}`
  return units === null ? spent : `${spent}, ${sayNumber(units)} capacity units`
}

const LABEL = 12
const COUNT = 7
const LONGEST_BAR = 24
const SHORTEST_BAR = 6

/** Two histograms side by side; an empty one is left out. */
function histogramLines({ tenureTimes, remaining }: Figures, width: number): string[] {
  const shown = [
    { title: 'HELD FOR', unmeasured: 'not known', ...tenureTimes },
    { title: 'TIME LEFT', unmeasured: 'no expiry', ...remaining },
  ].filter(({ counts, unknown }) => counts.some(count => count > 0) || unknown > 0)
  if (shown.length === 0) return []

  const names = labelsOf(tenureTimes.edges)
  const isFilled = names.map((_, i) => shown.some(({ counts }) => (counts[i] ?? 0) > 0))
  // From the first bucket with locks to the last, with the empty ones in between.
  const filled = names.slice(isFilled.indexOf(true), isFilled.lastIndexOf(true) + 1)
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
  // The unmeasured mean something else in each histogram.
  const unmeasured = shown.filter(({ unknown }) => unknown > 0).map(each => each.unmeasured)
  return [
    '',
    line(
      '',
      shown.map(({ title }) => column(title, bar + 1 + COUNT)),
    ),
    ...filled.map(name => row(name, ({ counts }) => counts[names.indexOf(name)] ?? 0)),
    ...unmeasured.map(label => row(label, each => (each.unmeasured === label ? each.unknown : 0))),
  ]
}

function labelsOf(edges: Histogram['edges']): string[] {
  const names = edges.map(sayRound)
  return [...names.map(name => `under ${name}`), `${names.at(-1)} or more`]
}

/** `5 min` and not `5 min 00 s`. */
function sayRound(ms: number): string {
  return sayDuration(ms, { tenths: false }).replace(/ 00 \w+$/, '')
}
