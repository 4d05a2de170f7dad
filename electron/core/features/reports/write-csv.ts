import { csvLine } from '../../../../shared/csv.ts'
import type { ReportFigures, ReportHead } from '../../../../shared/report-document.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { COUNTED, type Counted, flowsSchema } from '../../../../shared/stats.ts'
import { FLOWS } from './words.ts'
import type { ReportWriter } from './writer.ts'

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

/** Without it spreadsheets take UTF-8 for the letters of some country. */
const BYTE_ORDER_MARK = '\ufeff'

/** One table for spreadsheets; `part` says what a row is. */
export function csvWriter(): ReportWriter {
  return {
    *begin(head) {
      yield BYTE_ORDER_MARK + csvLine(CSV_COLUMNS)
      for (const row of headRows(head)) yield line(row)
    },
    locks: locks =>
      locks
        .map(lock =>
          line({
            ...{ part: 'lock', store: lock.store, from: lock.since, to: lock.expiresAt, key: lock.key },
            ...{ state: stateName(lock.state), holder: lock.holder, format: lock.format },
            text: lock.notes.join(' '),
            ...{ owner_hash: lock.ownerHash, owner: lock.owner ?? null, fence: lock.fence ?? null },
          }),
        )
        .join(''),
    end: ({ at, locks, unlisted, unrecognised, complete, unread }) =>
      [
        ...unread.map(({ store, message }) =>
          line({ part: 'end', store, outcome: 'not read', text: message }),
        ),
        line({
          part: 'end',
          to: at,
          value: locks,
          unit: 'locks',
          outcome: complete ? 'complete' : 'not complete',
        }),
        ...(unlisted > 0
          ? [line({ part: 'end', value: unlisted, unit: 'locks', outcome: 'not listed' })]
          : []),
        ...(unrecognised > 0
          ? [line({ part: 'end', value: unrecognised, unit: 'records', outcome: 'not understood' })]
          : []),
      ].join(''),
  }
}

/** Marks that reorder or hide text, and ends of lines, are written out: a row stays a row, whoever reads it. */
function line(row: Row): string {
  return csvLine(
    CSV_COLUMNS.map(name => {
      const value = row[name] ?? null
      return typeof value === 'string' ? escapeForTerminal(value) : value
    }),
  )
}

function* headRows(head: ReportHead): Iterable<Row> {
  yield* askedRows(head)
  for (const store of head.stores)
    yield {
      ...{ part: 'store', store: store.name, to: store.asOf, key: store.address, state: store.status },
      ...{ format: store.kind, value: store.clockOffsetMs, unit: 'ms clock offset' },
      outcome: store.error?.code ?? null,
      text: [store.server ?? '', store.error?.message ?? ''].filter(text => text !== '').join(': '),
    }
  const { from, to } = head.asked
  for (const { store, figures } of head.figures.stores)
    for (const row of figureRows(figures)) yield { part: 'figure', store, from, to, ...row }
  for (const gap of head.gaps)
    yield {
      part: 'gap',
      store: gap.store,
      from: gap.from,
      to: gap.until,
      outcome: gap.why,
      text: gap.message,
    }
  for (const lock of head.attention.locks) {
    yield {
      ...{ part: 'attention', store: lock.store, from: lock.since, to: lock.expiresAt, key: lock.key },
      ...{ state: lock.ended ? 'ended' : stateName(lock.state), holder: lock.holder, format: lock.format },
      ...{ why: lock.why.join(' '), text: [lock.says, ...lock.notes].join(' '), owner_hash: lock.ownerHash },
    }
    for (const hold of lock.holds)
      yield {
        ...{ part: 'hold', store: lock.store, from: hold.from, to: hold.until, key: lock.key },
        ...{ holder: hold.holder, format: lock.format, value: hold.renewals, unit: 'renewals' },
        ...{ outcome: hold.end, text: `begin ${hold.begin}`, owner_hash: hold.ownerHash },
      }
  }
  yield* eventRows(head)
}

function* askedRows({ tool, asked }: ReportHead): Iterable<Row> {
  const part = 'asked'
  yield { part, from: asked.from, to: asked.to, unit: 'window', who: `${asked.by.user}@${asked.by.host}` }
  yield { part, to: asked.at, unit: 'written', text: `${tool.name} ${tool.version}` }
  if (asked.title !== null) yield { part, unit: 'title', text: asked.title }
  if (asked.summary !== null) yield { part, unit: 'summary', text: asked.summary }
  if (asked.filter !== null) yield { part, unit: 'filter', text: asked.filter }
}

function* figureRows({ counts, active, flows, observedMs }: ReportFigures): Iterable<Row> {
  const seen = (value: number | undefined | null) =>
    value == null ? { value: null, outcome: 'not observed' } : { value }
  yield { state: 'active', unit: 'locks', ...seen(active) }
  for (const state of COUNTED) yield { state: stateName(state), unit: 'locks', ...seen(counts?.[state]) }
  for (const name of flowsSchema.keyof().options)
    yield { state: FLOWS[name], unit: 'times', ...seen(flows?.[name]) }
  yield { state: 'observed', value: observedMs, unit: 'ms' }
}

/** What is kept of a lock that is free is not what was released in the window. */
function stateName(state: Counted): string {
  return state === 'released' ? 'free' : state
}

function* eventRows({ alerts, actions }: ReportHead): Iterable<Row> {
  for (const alert of alerts?.listed ?? [])
    yield {
      ...{ part: 'alert', store: alert.store, from: alert.since, to: alert.until, key: alert.key },
      ...{ state: alert.severity, holder: alert.holder, value: alert.count, unit: 'times' },
      ...{ who: alert.acknowledged?.by ?? null, why: alert.acknowledged?.reason ?? null },
      ...{ outcome: alert.rule, text: alert.says },
    }
  for (const action of actions.listed) {
    const key = action.key ?? action.plan
    const store = action.stores.join(', ')
    yield {
      ...{ part: 'action', store, from: action.at, to: action.until, key, state: action.method },
      ...{ who: `${action.user}@${action.host}`, why: action.reason, outcome: action.outcome },
      text: [
        ...Object.entries(action.counts).map(([name, n]) => `${n} ${name}`),
        ...(action.error ? [action.error.message] : []),
      ].join('; '),
    }
    for (const each of action.notDone)
      yield { part: 'action', store, key: each.key, outcome: each.outcome, text: each.message }
  }
  const { audit } = actions
  const outcome = audit.ok === null ? 'not checked' : audit.ok ? 'intact' : 'damaged'
  yield { part: 'audit', value: audit.seq, unit: 'last line', outcome, text: audit.hash ?? audit.says }
}
