import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { ReportEnd, ReportHead, ReportLock } from '../../../../shared/report-document.ts'
import { FLOW_NAMES, FLOW_WORDS } from '../../../../shared/stats.ts'
import {
  type Block,
  type ColumnOf,
  code,
  entry,
  heading,
  notice,
  quiet,
  type Tile,
  type Tone,
  text,
} from './block.ts'
import { cutData } from './escape.ts'
import { actionBlocks, alertBlocks } from './outline-events.ts'
import { figureBlocks, gapBlocks, storeBlocks } from './outline-stores.ts'
import { holderCell, STATES, sayTenure, sayTime, sayWindow, withoutStop } from './words.ts'

/** Everything before the list of all locks, in reading order. */
export function* outline(head: ReportHead): Iterable<Block> {
  yield* opening(head)
  yield* storeBlocks(head)
  yield* figureBlocks(head)
  yield* gapBlocks(head)
  yield* attentionBlocks(head)
  yield* alertBlocks(head)
  yield* actionBlocks(head)
  yield heading('All locks')
  const { filter } = head.asked
  yield text(
    filter === null
      ? 'Every lock of these stores when this report was written.'
      : `Every lock that matched the filter ${filter} when this report was written.`,
    true,
  )
}

export function titleOf({ asked }: ReportHead): string {
  return asked.title ?? 'Incident report'
}

function* opening(head: ReportHead): Iterable<Block> {
  const { asked, tool, stores } = head
  const window = sayWindow(asked.from, asked.to)
  yield { is: 'title', text: titleOf(head), under: `Lock report of ${window}` }
  for (const paragraph of asked.summary?.split(/\r?\n/) ?? [])
    if (paragraph.trim() !== '') yield text(paragraph.trim())
  yield* notices(head)
  yield { is: 'tiles', tiles: [...tilesOf(head)] }
  yield heading('Scope')
  yield {
    is: 'facts',
    facts: [
      ['Window', { text: window }],
      ['Filter', asked.filter === null ? { text: 'none: all locks' } : code(asked.filter)],
      ['Stores', { text: stores.map(({ name }) => name).join(', ') || 'none open' }],
      ['Asked by', { text: `${asked.by.user} on ${asked.by.host}` }],
      ['Written', { text: `${sayTime(asked.at)} UTC, with Lockkeeper ${tool.version}` }],
      [
        'Clock',
        {
          text: `Times are UTC by the clock of ${asked.by.host}; the beginning and end of a lock are by the clock of its store.`,
        },
      ],
      ['Tokens and fences', { text: asked.withTokens ? 'included' : 'left out' }],
    ],
  }
}

/** What a reader has to know before relying on the rest. */
function* notices({ asked, stores, figures, actions, history }: ReportHead): Iterable<Block> {
  if (asked.withTokens)
    yield notice(
      'warn',
      'This report contains tokens and fences: anyone with a token can act as the holder of its lock.',
    )
  for (const { name, error, asOf } of stores) {
    if (error === null) continue
    const known =
      asOf === null ? 'Its current locks are unknown' : `Its locks are shown as of ${sayTime(asOf)} UTC`
    yield notice('danger', `${name} could not be read: ${withoutStop(error.message)}. ${known}.`)
  }
  const { audit } = actions
  if (audit.ok === false)
    yield notice(
      'danger',
      'The audit log is damaged: the actions in this report may not be what was recorded.',
    )
  if (audit.ok === null)
    yield notice('warn', `The audit log could not be checked completely: ${withoutStop(audit.says)}.`)
  const isUnobserved = history.series.every(({ points }) => points.every(point => point === null))
  if (stores.length > 0 && isUnobserved && figures.overall.observedMs === 0)
    yield notice(
      'warn',
      'These stores were not watched in this window: it has no history, and locks are shown as of now.',
    )
}

/** The numbers that are read first. A number that could not be counted is not zero, and a count of some of the stores is "at least". */
function* tilesOf(head: ReportHead): Iterable<Tile> {
  const { stores, figures, actions, alerts, attention, asked } = head
  const { counts, active, flows } = figures.overall
  const isPart = stores.some(({ asOf }) => asOf === null)
  const isPartObserved = figures.stores.some(each => each.figures.flows === null)
  yield tile('active locks', active, isPart)
  yield tile('expired, still stored', counts?.expired ?? null, isPart, 'danger')
  yield tile('without expiry', counts?.endless ?? null, isPart, 'endless')
  yield tile('expiring', counts?.expiring ?? null, isPart, 'warn')
  for (const name of FLOW_NAMES.filter(each => each !== 'renewed')) {
    const title = `${FLOW_WORDS[name].toLowerCase()} in the window`
    yield flows === null ? { name: title, value: 'not observed' } : tile(title, flows[name], isPartObserved)
  }
  const needed = attention.locks.length + attention.more
  yield tile('needed attention', counts === null && needed === 0 ? null : needed, isPart)
  if (alerts !== null) {
    const known = alerts.knownSince > asked.to ? null : alerts.listed.length + alerts.more
    yield tile('alerts', known, alerts.knownSince > asked.from, 'warn')
  }
  yield tile(
    'actions',
    actions.audit.ok === null && actions.audit.lines === 0 ? null : actions.listed.length + actions.more,
    false,
  )
}

function tile(name: string, value: number | null, isPart: boolean, tone?: Tone): Tile {
  if (value === null) return { name, value: 'not known' }
  return { name, value: sayNumber(value), isPart, ...(tone && value > 0 ? { tone } : {}) }
}

function* attentionBlocks({ attention, figures }: ReportHead): Iterable<Block> {
  yield heading('Locks that needed attention')
  if (attention.locks.length === 0)
    yield text(
      figures.overall.counts === null
        ? 'Unknown: no store could be read, and none was watched before.'
        : 'None was observed.',
    )
  for (const lock of attention.locks) {
    const { name, tone } = STATES[lock.state]
    const earlier =
      lock.earlierHolds > 0 ? [plural(lock.earlierHolds, 'earlier tenure', 'earlier tenures')] : []
    yield entry(cutData(lock.key), {
      tags: [lock.ended ? quiet('ended') : { text: name, tone }, { text: lock.store }, quiet(lock.format)],
      texts: [lock.says, ...lock.notes.map(cutData)],
      list: [...earlier, ...lock.holds.map(sayTenure)],
    })
  }
  if (attention.more > 0) yield text(`And ${sayNumber(attention.more)} more.`)
}

const LEASE_ENDS: Record<ReportLock['lease'], string> = {
  deadline: 'beyond any calendar',
  heartbeat: 'while renewed',
  session: 'with its session',
  never: 'no expiry',
  released: '',
  unknown: 'unknown',
}

/** The list of all locks, which is written page by page. */
export function lockColumns(withTokens: boolean): readonly ColumnOf<ReportLock>[] {
  return withTokens ? [...LOCK_COLUMNS, TOKEN_COLUMN] : LOCK_COLUMNS
}

const LOCK_COLUMNS: readonly ColumnOf<ReportLock>[] = [
  ['State', 9, ({ state }) => ({ text: STATES[state].name, tone: STATES[state].tone })],
  ['Key', 32, ({ key }) => code(cutData(key))],
  ['Holder', 22, ({ holder }) => holderCell(holder)],
  [
    'Held since',
    15,
    ({ since, sinceExact }) => (since === null ? '' : `${sinceExact ? '' : 'before '}${sayTime(since)}`),
  ],
  ['Ends', 15, ({ expiresAt, lease }) => (expiresAt === null ? LEASE_ENDS[lease] : sayTime(expiresAt))],
  ['Store, format', 16, ({ store, format }) => `${store}, ${format}`],
]

const TOKEN_COLUMN: ColumnOf<ReportLock> = [
  'Token and fence',
  24,
  ({ owner, fence = '' }) => code(`${cutData(owner ?? '')} ${fence}`),
]

/** What follows the list of locks. */
export function* endBlocks(end: ReportEnd): Iterable<Block> {
  if (end.locks === 0 && end.unlisted === 0 && end.complete) yield text('There were none.')
  if (end.unlisted > 0)
    yield text(`And about ${plural(end.unlisted, 'more lock', 'more locks')}, which this report leaves out.`)
  for (const { store, message } of end.unread)
    yield notice(
      'danger',
      `Not all of ${store} could be read, so this list lacks some of its locks: ${withoutStop(message)}.`,
    )
  const unrecognised =
    end.unrecognised > 0 ? `; ${plural(end.unrecognised, 'record was', 'records were')} not recognized` : ''
  yield text(
    `${plural(end.locks, 'lock', 'locks')} listed${unrecognised}. Read to the end at ${sayTime(end.at)} UTC.`,
    true,
  )
}
