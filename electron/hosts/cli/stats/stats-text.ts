import { sayDuration } from '../../../../shared/duration.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'
import {
  type Counted,
  type Figures,
  FLOW_NAMES,
  FLOW_WORDS,
  type Flows,
  type Groups,
  type LockBrief,
  ratesOf,
  type Spent,
  type Stats,
  type StoreStats,
} from '../../../../shared/stats.ts'
import { wrap } from '../lib/wrap.ts'
import { histogramLines, sayRound } from './histogram.ts'

/** Statistics for people. What nobody saw is not there as a zero: it is said that nobody saw it. */

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
  const { error, asOf } = store
  const head = `${escapeForTerminal(store.name)} · ${escapeForTerminal(store.address)}`
  const old = asOf === null ? '' : ` What follows was so ${sayDuration(window.at - asOf)} ago.`
  return [
    clip(head, window.width),
    ...(error ? wrap('  ', `Cannot be read: ${neutralise(error.message)}.${old}`, window.width) : []),
    ...(asOf === null ? [] : nowLines(store, window, () => '')),
    ...(asOf === null ? [] : row('clock', sayClock(store.offsetMs), window.width)),
    ...thenLines(store, ratesOf([store]), window, () => ''),
    ...(kindOf(store.kind).isEmbedded ? [] : row('cost', sayCost(store.kind, store.spent), window.width)),
    ...histogramLines(store, window.width),
  ]
}

function overallLines(stores: readonly StoreStats[], overall: Figures, window: Window): string[] {
  const names = new Map(stores.map(({ storeId, name }) => [storeId, name]))
  const where = ({ storeId }: LockBrief) => ` in ${escapeForTerminal(names.get(storeId) ?? '')}`
  const isWhole = stores.every(({ error }) => error === null)
  return [
    `All ${stores.length} stores${isWhole ? '' : ', as far as they can be read'}`,
    ...nowLines(overall, window, where),
    ...thenLines(overall, ratesOf(stores), window, where),
    ...histogramLines(overall, window.width),
  ]
}

type Where = (brief: LockBrief) => string

function nowLines(figures: Figures, { at, width }: Window, where: Where): string[] {
  const { oldest, total } = figures
  const held = oldest && `${sayBrief(oldest, at)}${where(oldest)}`
  return [
    ...wrap('  ', sayCounts(figures), width),
    ...(total === 0 ? [] : row('holder', sayGroups(figures.byHolder), width)),
    ...(total === 0 ? [] : row('format', sayGroups(figures.byFormat), width)),
    ...(total === 0 ? [] : row('prefix', sayGroups(figures.byPrefix), width)),
    ...(total === 0 ? [] : row('name', sayGroups(figures.byName), width)),
    ...(held === null ? [] : row('oldest', held, width)),
  ]
}

/** What was seen to happen. */
function thenLines(
  figures: Figures,
  rates: Flows | null,
  { windowMs, width }: Window,
  where: Where,
): string[] {
  const { observedMs, flows, longest } = figures
  const window = sayRound(windowMs)
  if (observedMs === 0)
    return wrap(
      '  ',
      `Nothing was observed in the last ${window}: run the console, or look for a while with --watch SECONDS.`,
      width,
    )
  const most = Math.min(observedMs, windowMs)
  const happened = FLOW_NAMES.filter(name => flows[name] > 0)
  return [
    ...wrap(
      '  ',
      `In the last ${window}, ${sayDuration(most)} of it observed${happened.length === 0 ? ', nothing happened.' : ':'}`,
      width,
    ),
    ...happened.flatMap(name =>
      row(FLOW_WORDS[name].toLowerCase(), `${sayNumber(flows[name])}${sayRate(rates?.[name])}`, width),
    ),
    ...(longest === null
      ? []
      : row('longest', `${sayBrief(longest, longest.until)}${where(longest)}`, width)),
  ]
}

const LABEL = 14

function row(label: string, text: string, width: number): string[] {
  return wrap(`  ${label.padEnd(LABEL)} `, text, width)
}

function sayRate(perMinute: number | undefined): string {
  if (perMinute === undefined) return ''
  return perMinute < 0.1 ? ' (less than 0.1 a minute)' : ` (${perMinute.toFixed(1)} a minute)`
}

const STATES: readonly (readonly [Counted, string])[] = [
  ['expired', 'expired'],
  ['endless', 'without expiry'],
  ['expiring', 'expiring'],
  ['held', 'held'],
  ['unknown', 'unknown'],
  ['released', 'released'],
]

function sayCounts({ counts, total }: Figures): string {
  const parts = STATES.filter(([name]) => counts[name] > 0).map(
    ([name, word]) => `${sayNumber(counts[name])} ${word}`,
  )
  return `${plural(total, 'lock', 'locks')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`
}

function sayGroups({ top, others }: Groups): string {
  const rest = top.slice(NAMED_GROUPS)
  const names = rest.length + others.names
  const count = rest.reduce((sum, each) => sum + each.count, others.count)
  return [
    ...top
      .slice(0, NAMED_GROUPS)
      .map(each => `${clip(escapeForTerminal(each.name), LONGEST_NAME)} (${sayNumber(each.count)})`),
    ...(names === 0 ? [] : [`${sayNumber(names)} more (${sayNumber(count)})`]),
  ].join(', ')
}

function sayBrief({ key, holder, since, exact }: LockBrief, until: number): string {
  const name = clip(escapeForTerminal(key), LONGEST_NAME)
  const by = clip(escapeForTerminal(holder), LONGEST_NAME)
  return `${name}, for ${exact ? '' : 'at least '}${sayDuration(Math.max(0, until - since))}, by ${by}`
}

function sayClock(offsetMs: number | null): string {
  if (offsetMs === null) return "may not be read, so times are by this machine's"
  if (Math.abs(offsetMs) < 1000) return "within a second of this machine's"
  return `${sayDuration(offsetMs)} ${offsetMs > 0 ? 'ahead of' : 'behind'} this machine's`
}

function sayCost(kind: string, { requests, units }: Spent): string {
  const asked = `${sayNumber(requests)} ${kindOf(kind).requests[requests === 1 ? 0 : 1]}`
  return units === null ? asked : `${asked}, ${sayNumber(units)} capacity units`
}
