import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { type AuditPage, type AuditRow, type AuditVerdict, auditHashSchema } from '../../../shared/audit.ts'
import type { Client } from '../../../shared/client.ts'
import { escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { appendTo, codeOf } from '../../core/files/disk.ts'
import { type Args, positiveInteger, reader } from './lib/args.ts'
import { connect } from './lib/connect.ts'
import { EXIT, unwrap, usageError } from './lib/exit.ts'
import { type Io, print, printJsonItems } from './lib/io.ts'
import { tableRow } from './lib/layout.ts'
import { unwritable } from './lib/whole-file.ts'

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
  if (!options.verify && (options.head ?? options.anchor) !== undefined)
    throw usageError('--head and --anchor are compared with the log by --verify: add it')
  const client = connect(io)
  if (options.verify) return verify(client, options, io)
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
    `${row.sudoUser === null ? '' : `${row.sudoUser} as `}${row.user}@${row.host}`,
    row.event,
    row.storeName ?? row.store,
    row.key ?? row.plan,
    row.error?.code ?? row.outcome,
    row.reason ?? row.error?.message,
  ]
}

const headHash = reader(
  'the 64 digits of a noted head',
  text => auditHashSchema.safeParse(text.toLowerCase()).data ?? null,
)

async function verify(client: Client, { head, anchor, json }: Args['options'], io: Io): Promise<number> {
  if (head !== undefined && anchor !== undefined)
    throw usageError('--head and --anchor both name a noted head: give one of them')
  const noted = anchor === undefined ? headHash(head, '--head') : await lastHeadIn(anchor)
  const verdict = unwrap(await client.call('audit.verify', { head: noted }))
  const line = headLine(verdict)
  if (anchor !== undefined && line !== null && verdict.ok === true)
    await appendTo(anchor, `${line}\n`, { flush: true }).catch(error => {
      throw unwritable(anchor, error)
    })
  await (json ? print(io, safeJson(verdict, 2)) : printVerdict(verdict, line, io))
  return verdict.ok === true ? EXIT.done : EXIT.other
}

async function printVerdict(verdict: AuditVerdict, line: string | null, io: Io): Promise<void> {
  const { ok, files, head, noted, lines: all } = verdict
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
  if (noted === 'nowhere')
    await print(io, 'The noted head is not in the log: lines were removed or changed since it was noted.')
  else if (noted !== null) await print(io, `The noted head is in ${noted}.`)
  if (ok === null)
    await print(io, 'Whether the log is complete cannot be known: see above.', ...unvouched(line))
  else if (!ok) await print(io, 'The log is damaged: see above.')
  else await print(io, `The log is unchanged: ${all} lines.`, ...adviceOn(noted, line))
}

/** A log that was cut off or replaced together with its head is consistent in itself. */
function adviceOn(noted: string | null, line: string | null): string[] {
  const limit =
    'This does not rule out that lines at the end were removed and the head rewritten: compare with a head that was noted elsewhere (--head).'
  return [...(noted === null ? [limit] : []), ...(line === null ? [] : ['To note elsewhere:', line])]
}

/** Once it is noted, it can vouch for what follows. */
function unvouched(line: string | null): string[] {
  if (line === null) return []
  return ['Not vouched for; to note elsewhere once you have looked into it:', line]
}

/** One line for a channel, a ticket or a file elsewhere. */
function headLine({ head: { file, seq, hash } }: AuditVerdict): string | null {
  if (hash === null) return null
  const at = new Date().toISOString().replace(/\.\d+/, '')
  return `lockkeeper audit head ${at} ${hostname()} ${file} line number ${seq}: ${hash}`
}

/** The head that was noted last; none in a file that is missing or empty. */
async function lastHeadIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(error => {
    if (codeOf(error) === 'ENOENT') return ''
    throw usageError(`${escapeForTerminal(file)} cannot be read (${codeOf(error)})`)
  })
  if (text === '') return undefined
  const hash = /\b([0-9a-f]{64})\s*$/i.exec(text)?.[1]?.toLowerCase()
  if (hash === undefined) throw usageError(`${escapeForTerminal(file)} does not end with a noted head`)
  return hash
}
