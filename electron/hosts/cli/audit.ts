import type { AuditPage, AuditRow } from '../../../shared/audit.ts'
import type { Client } from '../../../shared/client.ts'
import { escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { type Args, positiveInteger } from './lib/args.ts'
import { connect } from './lib/connect.ts'
import { EXIT, unwrap } from './lib/exit.ts'
import { type Io, print, printJsonItems } from './lib/io.ts'
import { tableRow } from './lib/layout.ts'

const DEFAULT_LIMIT = 50
const PAGE = 500

/** 100 columns, with one space between. Extra width goes to the lock and the reason. */
const COLUMNS = {
  TIME: 20,
  WHO: 13,
  EVENT: 8,
  STORE: 13,
  LOCK: 20,
  OUTCOME: 9,
  REASON: 11,
}
const NARROWEST = 100
/** Unclipped, unless the output is a terminal. */
const WHOLE = 10_000

export async function auditCommand({ positionals, options }: Args, io: Io): Promise<number> {
  const limit = positiveInteger(options.limit, '--limit') ?? DEFAULT_LIMIT
  const isJson = options.json === true
  const client = connect(io)
  if (options.verify) return verify(client, isJson, io)
  const totals = { scanned: 0, unreadable: 0, hasMore: false }
  const rows = search(client, positionals[0] || undefined, limit, totals)
  await (isJson ? printJson(rows, totals, io) : printTable(rows, totals, io))
  if (!isJson && totals.hasMore) await print(io, `There are more entries: --limit shows more than ${limit}.`)
  return EXIT.done
}

type Totals = {
  scanned: number
  unreadable: number
  /** The limit left entries out. */
  hasMore: boolean
}

/** Reads page after page, and counts in `totals`. */
async function* search(
  client: Client,
  text: string | undefined,
  limit: number,
  totals: Totals,
): AsyncIterable<AuditRow> {
  let before: string | undefined
  for (let left = limit; left > 0; ) {
    const query = { limit: Math.min(PAGE, left), text, before }
    const page: AuditPage = unwrap(await client.call('audit.list', query))
    yield* page.rows
    left -= page.rows.length
    totals.scanned += page.scanned
    totals.unreadable += page.unreadable
    totals.hasMore = page.next !== null
    if (page.next === null) return
    before = page.next
  }
}

/** One object, written entry by entry. */
async function printJson(rows: AsyncIterable<AuditRow>, totals: Totals, io: Io): Promise<void> {
  await print(io, '{"entries":[')
  await printJsonItems(io, rows, ({ file, entry }) => ({ file, ...entry }))
  const { scanned, unreadable, hasMore } = totals
  await print(io, `],${safeJson({ scanned, unreadable, complete: !hasMore }).slice(1)}`)
}

async function printTable(rows: AsyncIterable<AuditRow>, totals: Totals, io: Io): Promise<void> {
  const extra = Math.max(0, (io.stdout.columns ?? NARROWEST) - NARROWEST)
  const widths = Object.values({
    ...COLUMNS,
    LOCK: COLUMNS.LOCK + Math.ceil(extra / 2),
    REASON: io.stdout.isTTY ? COLUMNS.REASON + Math.floor(extra / 2) : WHOLE,
  })
  const line = (cells: readonly string[]) => print(io, tableRow(cells, widths))
  let count = 0
  for await (const row of rows) {
    if (count++ === 0) await line(Object.keys(COLUMNS))
    await line(cellsOf(row).map(cell => escapeForTerminal(cell ?? '')))
  }
  const { scanned, unreadable } = totals
  if (count === 0) await print(io, scanned === 0 ? 'Nothing has been recorded yet.' : 'No entry matches.')
  if (unreadable > 0)
    await print(io, `${unreadable} lines could not be read: "lockkeeper audit --verify" says why.`)
}

/** In the order of COLUMNS. */
function cellsOf(row: AuditRow): (string | null | undefined)[] {
  return [
    row.at.replace(/\.\d+Z$/, 'Z').replace('T', ' '),
    `${row.user}@${row.host}`,
    row.event,
    row.storeName ?? row.store,
    row.key ?? row.plan,
    row.error?.code ?? row.outcome,
    row.reason ?? row.error?.message,
  ]
}

async function verify(client: Client, isJson: boolean, io: Io): Promise<number> {
  const verdict = unwrap(await client.call('audit.verify', {}))
  const { ok, files, head, lines: all } = verdict
  const code = ok ? EXIT.done : EXIT.other
  if (isJson) {
    await print(io, safeJson(verdict, 2))
    return code
  }
  for (const { name, state, lines, firstAt, lastAt, begins, damages } of files) {
    const span = firstAt && lastAt ? `, ${escapeForTerminal(firstAt)} to ${escapeForTerminal(lastAt)}` : ''
    const isUnchained = state === 'unchained'
    const what = isUnchained
      ? 'older, without a chain: cannot be verified'
      : `${state}, ${lines} lines${span}`
    await print(io, `${escapeForTerminal(name)}: ${what}`)
    if (begins !== null && !isUnchained) await print(io, `  ${neutralise(begins)}`)
    for (const { line, why } of damages)
      await print(io, `  ${line === null ? '' : `line ${line}: `}${neutralise(why)}`)
  }
  await print(io, `${neutralise(head.says)}.`)
  if (head.hash !== null) await print(io, `Head: ${head.file} line number ${head.seq}, ${head.hash}`)
  await print(io, ok ? `The log is unchanged: ${all} lines.` : 'The log is damaged: see above.')
  return code
}
