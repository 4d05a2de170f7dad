import type { AuditPage, AuditQuery, AuditRow } from '../../../shared/audit.ts'
import type { Client } from '../../../shared/client.ts'
import { clip, column, escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { type Args, positiveInteger } from './lib/args.ts'
import { connect } from './lib/connect.ts'
import { EXIT, unwrap } from './lib/exit.ts'
import { type Io, print } from './lib/io.ts'

const USUAL_LIMIT = 50
const PAGE = 500

/** 100 columns, with one space between. A wider terminal gives what it has more to the lock and the reason. */
const WIDTHS = { at: 20, who: 13, event: 8, store: 13, key: 20, outcome: 9, reason: 11 }
const NARROWEST = 100

export async function auditCommand(args: Args, io: Io): Promise<number> {
  const limit = positiveInteger(args.options['limit'], '--limit') ?? USUAL_LIMIT
  const json = args.options['json'] === true
  const client = connect(io)
  if (args.options['verify']) return verify(client, json, io)
  const search: Search = {
    client,
    text: args.positionals[0] ?? '',
    limit,
    scanned: 0,
    unreadable: 0,
    more: false,
  }
  await (json ? printJson(search, io) : printTable(search, io))
  return EXIT.done
}

type Search = {
  readonly client: Client
  readonly text: string
  readonly limit: number
  scanned: number
  unreadable: number
  /** There is more than was asked for. */
  more: boolean
}

async function* rowsOf(search: Search): AsyncIterable<AuditRow> {
  const { client, text, limit } = search
  let before: string | null = null
  for (let left = limit; left > 0; ) {
    const query: AuditQuery = {
      limit: Math.min(PAGE, left),
      ...(text === '' ? {} : { text }),
      ...(before === null ? {} : { before }),
    }
    const page: AuditPage = unwrap(await client.call('audit.list', query))
    yield* page.rows
    left -= page.rows.length
    search.scanned += page.scanned
    search.unreadable += page.unreadable
    search.more = page.next !== null
    if (page.next === null) return
    before = page.next
  }
}

/** One object, written entry by entry. */
async function printJson(search: Search, io: Io): Promise<void> {
  let count = 0
  await print(io, '{"entries":[')
  for await (const { file, entry } of rowsOf(search))
    await print(io, `${count++ > 0 ? ',' : ''}${safeJson({ file, ...entry })}`)
  const { scanned, unreadable, more } = search
  await print(io, `],${safeJson({ scanned, unreadable, complete: !more }).slice(1)}`)
}

async function printTable(search: Search, io: Io): Promise<void> {
  const extra = Math.max(0, (io.stdout.columns ?? NARROWEST) - NARROWEST)
  const widths = {
    ...WIDTHS,
    key: WIDTHS.key + Math.ceil(extra / 2),
    // Whole, where no line of a screen ends.
    reason: io.stdout.isTTY ? WIDTHS.reason + Math.floor(extra / 2) : Number.POSITIVE_INFINITY,
  }
  const line = ({ reason, ...cells }: Record<keyof typeof WIDTHS, string>) =>
    [
      column(cells.at, widths.at),
      column(cells.who, widths.who),
      column(cells.event, widths.event),
      column(cells.store, widths.store),
      column(cells.key, widths.key),
      column(cells.outcome, widths.outcome),
      clip(reason, widths.reason),
    ]
      .join(' ')
      .trimEnd()
  let count = 0
  for await (const row of rowsOf(search)) {
    if (count++ === 0)
      await print(
        io,
        line({
          at: 'TIME',
          who: 'WHO',
          event: 'EVENT',
          store: 'STORE',
          key: 'LOCK',
          outcome: 'OUTCOME',
          reason: 'REASON',
        }),
      )
    await print(io, line(cellsOf(row)))
  }
  if (count === 0)
    await print(io, search.scanned === 0 ? 'Nothing has been recorded yet.' : 'Nothing of the log fits.')
  if (search.more) await print(io, `There is more; --limit shows more than ${search.limit}.`)
  if (search.unreadable > 0)
    await print(io, `${search.unreadable} lines could not be read: "lockkeeper audit --verify" says why.`)
}

function cellsOf(row: AuditRow): Record<keyof typeof WIDTHS, string> {
  const text = (value: string | null) => (value === null ? '' : escapeForTerminal(value))
  return {
    at: text(row.at.replace(/\.\d+Z$/, 'Z').replace('T', ' ')),
    who: text(`${row.user}@${row.host}`),
    event: row.event,
    store: text(row.storeName ?? row.store),
    key: text(row.key ?? row.plan),
    outcome: text(row.error?.code ?? row.outcome),
    reason: text(row.reason ?? row.error?.message ?? null),
  }
}

async function verify(client: Client, json: boolean, io: Io): Promise<number> {
  const verdict = unwrap(await client.call('audit.verify', {}))
  const code = verdict.ok ? EXIT.done : EXIT.other
  if (json) {
    await print(io, safeJson(verdict, 2))
    return code
  }
  for (const { name, state, lines, firstAt, lastAt, begins, damages } of verdict.files) {
    const span = firstAt && lastAt ? `, ${escapeForTerminal(firstAt)} to ${escapeForTerminal(lastAt)}` : ''
    const what =
      state === 'unchained'
        ? 'older, not chained: nothing can be said about it'
        : `${state}, ${lines} lines${span}`
    await print(io, `${escapeForTerminal(name)}: ${what}`)
    if (begins !== null && state !== 'unchained') await print(io, `  begins anew: ${neutralise(begins)}`)
    for (const { line, why } of damages)
      await print(io, `  ${line === null ? '' : `line ${line}: `}${neutralise(why)}`)
  }
  const { head } = verdict
  await print(io, `${neutralise(head.says)}.`)
  if (head.hash !== null) await print(io, `Head: ${head.file} line number ${head.seq}, ${head.hash}`)
  await print(
    io,
    verdict.ok ? `The log is as it was written: ${verdict.lines} lines.` : 'The log is damaged: see above.',
  )
  return code
}
