import { csvLine } from '../../../../shared/csv.ts'
import type { ReportEnd, ReportFigures, ReportHead, ReportLock } from '../../../../shared/report-document.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { COUNTED, type Counted, FLOW_WORDS, flowsSchema } from '../../../../shared/stats.ts'
import type { ReportWriter } from './block.ts'

/** The columns, in their order; docs/reports.md says what each has for each part. */
export const CSV_COLUMNS = [
  'part',
  'store',
  'from',
  'to',
  'key',
  'state',
  'holder',
  'format',
  'value',
  'unit',
  'who',
  'why',
  'outcome',
  'text',
  'owner_hash',
  'owner',
  'fence',
] as const
type Row = Partial<Record<(typeof CSV_COLUMNS)[number], string | number | null>>

/** Makes spreadsheets read UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** One table for spreadsheets; `part` says what a row is. */
export const CSV_WRITER: ReportWriter = {
  *begin(head) {
    yield BYTE_ORDER_MARK + csvLine(CSV_COLUMNS)
    for (const row of headRows(head)) yield rowText(row)
  },
  locks: locks => locks.map(lock => rowText(lockRow(lock))).join(''),
  end: end => [...endRows(end)].map(rowText).join(''),
}

/** Line ends, and marks that reorder or hide text, are escaped: a row stays a row in every program. */
function rowText(row: Row): string {
  return csvLine(
    CSV_COLUMNS.map(name => {
      const value = row[name] ?? null
      return typeof value === 'string' ? escapeForTerminal(value) : value
    }),
  )
}

function* headRows(head: ReportHead): Iterable<Row> {
  yield* askedRows(head)
  for (const { name, server, error, ...store } of head.stores)
    yield {
      part: 'store',
      store: name,
      to: store.asOf,
      key: store.address,
      state: store.status,
      format: store.kind,
      value: store.clockOffsetMs,
      unit: 'ms clock offset',
      outcome: error?.code ?? null,
      text: [server, error?.message].filter(Boolean).join(': '),
    }
  const { from, to } = head.asked
  for (const { store, figures } of head.figures.stores)
    for (const row of figureRows(figures)) yield { part: 'figure', store, from, to, ...row }
  for (const { store, from: start, until, why, message } of head.gaps)
    yield { part: 'gap', store, from: start, to: until, outcome: why, text: message }
  yield* attentionRows(head)
  yield* alertRows(head)
  yield* actionRows(head)
}

function* askedRows({ tool, asked }: ReportHead): Iterable<Row> {
  const part = 'asked'
  yield { part, from: asked.from, to: asked.to, unit: 'window', who: `${asked.by.user}@${asked.by.host}` }
  yield { part, to: asked.at, unit: 'written', text: `${tool.name} ${tool.version}` }
  for (const unit of ['title', 'summary', 'filter'] as const)
    if (asked[unit] !== null) yield { part, unit, text: asked[unit] }
}

function* figureRows({ counts, active, flows, observedMs }: ReportFigures): Iterable<Row> {
  const known = (value: number | undefined | null) =>
    value == null ? { value: null, outcome: 'not observed' } : { value }
  yield { state: 'active', unit: 'locks', ...known(active) }
  for (const state of COUNTED) yield { state: stateName(state), unit: 'locks', ...known(counts?.[state]) }
  for (const name of flowsSchema.keyof().options)
    yield { state: FLOW_WORDS[name].toLowerCase(), unit: 'times', ...known(flows?.[name]) }
  yield { state: 'observed', value: observedMs, unit: 'ms' }
}

/** A record kept of a free lock is not a lock that was released in the window. */
function stateName(state: Counted): string {
  return state === 'released' ? 'free' : state
}

/** The columns that every row about a lock has. */
function lockRow(lock: Omit<ReportLock, 'lease' | 'observedAt'>): Row {
  const { store, since, expiresAt, key, state, holder, format, notes, ownerHash, owner, fence } = lock
  return {
    ...{ part: 'lock', store, from: since, to: expiresAt, key, state: stateName(state), holder, format },
    ...{ text: notes.join(' '), owner_hash: ownerHash, owner: owner ?? null, fence: fence ?? null },
  }
}

function* attentionRows({ attention }: ReportHead): Iterable<Row> {
  for (const lock of attention.locks) {
    const { store, key, format } = lock
    yield {
      ...lockRow(lock),
      part: 'attention',
      ...(lock.ended ? { state: 'ended' } : {}),
      why: lock.why.join(' '),
      text: [lock.says, ...lock.notes].join(' '),
    }
    for (const { from, until, holder, renewals, end, begin, ownerHash } of lock.holds)
      yield {
        ...{ part: 'hold', store, from, to: until, key, holder, format, value: renewals, unit: 'renewals' },
        ...{ outcome: end, text: `begin ${begin}`, owner_hash: ownerHash },
      }
  }
}

function* alertRows({ alerts }: ReportHead): Iterable<Row> {
  for (const { acknowledged, ...alert } of alerts?.listed ?? [])
    yield {
      part: 'alert',
      store: alert.store,
      from: alert.since,
      to: alert.until,
      key: alert.key,
      state: alert.severity,
      holder: alert.holder,
      value: alert.count,
      unit: 'times',
      who: acknowledged?.by ?? null,
      why: acknowledged?.reason ?? null,
      outcome: alert.rule,
      text: alert.says,
    }
}

function* actionRows({ actions }: ReportHead): Iterable<Row> {
  const part = 'action'
  for (const { stores, counts, error, notDone, ...action } of actions.listed) {
    const store = stores.join(', ')
    const counted = Object.entries(counts).map(([name, n]) => `${n} ${name}`)
    yield {
      ...{ part, store, from: action.at, to: action.until, key: action.plan ?? action.key },
      ...{ state: action.method, who: `${action.user}@${action.host}`, why: action.reason },
      ...{ outcome: action.outcome, text: [...counted, ...(error ? [error.message] : [])].join('; ') },
    }
    for (const { key, outcome, message } of notDone) yield { part, store, key, outcome, text: message }
  }
  const { ok, seq, hash, says } = actions.audit
  const verdict = ok ? 'intact' : 'damaged'
  yield {
    part: 'audit',
    value: seq,
    unit: 'last line',
    outcome: ok === null ? 'not checked' : verdict,
    text: hash ?? says,
  }
}

function* endRows({ at, locks, unlisted, unrecognised, complete, unread }: ReportEnd): Iterable<Row> {
  const part = 'end'
  for (const { store, message } of unread) yield { part, store, outcome: 'not read', text: message }
  yield { part, to: at, value: locks, unit: 'locks', outcome: complete ? 'complete' : 'not complete' }
  if (unlisted > 0) yield { part, value: unlisted, unit: 'locks', outcome: 'not listed' }
  if (unrecognised > 0) yield { part, value: unrecognised, unit: 'records', outcome: 'not understood' }
}
