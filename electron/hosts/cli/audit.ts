import type { AuditPage, AuditQuery, AuditRow } from '../../../shared/audit.ts'
import type { Client } from '../../../shared/client.ts'
import { column, escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { type Args, positiveInteger } from './lib/args.ts'
import { connect } from './lib/connect.ts'
import { EXIT, unwrap } from './lib/exit.ts'
import { type Io, print } from './lib/io.ts'

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
/** Not clipped, where the output is no screen. */
const WHOLE = 10_000

export async function auditCommand({ positionals, options }: Args, io: Io): Promise<number> {
  const limit = positiveInteger(options['limit'], '--limit') ?? DEFAULT_LIMIT
  const isJson = options['json'] === true
  const client = connect(io)
  if (options['verify']) return verify(client, isJson, io)
  const search = new Search(client, positionals[0] ?? '', limit)
  await (isJson ? printJson(search, io) : printTable(search, io))
  return EXIT.done
}

class Search {
  scanned = 0
  unreadable = 0
  /** The limit left entries out. */
  hasMore = false

  constructor(
    readonly client: Client,
    readonly text: string,
    readonly limit: number,
  ) {}

  async *rows(): AsyncIterable<AuditRow> {
    let before: string | null = null
    for (let left = this.limit; left > 0; ) {
      const query: AuditQuery = {
        limit: Math.min(PAGE, left),
        ...(this.text === '' ? {} : { text: this.text }),
        ...(before === null ? {} : { before }),
      }
      const page: AuditPage = unwrap(await this.client.call('audit.list', query))
      yield* page.rows
      left -= page.rows.length
      this.scanned += page.scanned
      this.unreadable += page.unreadable
      this.hasMore = page.next !== null
      if (page.next === null) return
      before = page.next
    }
  }
}

/** One object, written entry by entry. */
async function printJson(search: Search, io: Io): Promise<void> {
  let count = 0
  await print(io, '{"entries":[')
  for await (const { file, entry } of search.rows())
    await print(io, `${count++ > 0 ? ',' : ''}${safeJson({ file, ...entry })}`)
  const { scanned, unreadable, hasMore } = search
  await print(io, `],${safeJson({ scanned, unreadable, complete: !hasMore }).slice(1)}`)
}

async function printTable(search: Search, io: Io): Promise<void> {
  const extra = Math.max(0, (io.stdout.columns ?? NARROWEST) - NARROWEST)
  const widths = Object.values({
    ...COLUMNS,
    LOCK: COLUMNS.LOCK + Math.ceil(extra / 2),
    REASON: io.stdout.isTTY ? COLUMNS.REASON + Math.floor(extra / 2) : WHOLE,
  })
  const line = (cells: readonly string[]) =>
    print(
      io,
      cells
        .map((text, i) => column(text, widths[i] ?? 0))
        .join(' ')
        .trimEnd(),
    )
  let count = 0
  for await (const row of search.rows()) {
    if (count++ === 0) await line(Object.keys(COLUMNS))
    await line(cellsOf(row).map(cell => escapeForTerminal(cell ?? '')))
  }
  if (count === 0)
    await print(io, search.scanned === 0 ? 'Nothing has been recorded yet.' : 'No entry matches.')
  if (search.hasMore) await print(io, `There are more entries: --limit shows more than ${search.limit}.`)
  if (search.unreadable > 0)
    await print(io, `${search.unreadable} lines could not be read: "lockkeeper audit --verify" says why.`)
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
  await print(io, ok ? `The log is as it was written: ${all} lines.` : 'The log is damaged: see above.')
  return code
}
