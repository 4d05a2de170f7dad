import type { ListPage } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { StoreError } from '../../lib/errors.ts'
import { emptyPage } from '../record-store.ts'
import { type Catalogue, hasLargeColumns, type LockTable } from './catalogue.ts'
import type { Connections } from './connect.ts'
import { lockIn } from './find.ts'
import type { Value } from './format/table.ts'
import { countKeyless, type Rows, readPage } from './rows.ts'
import { endsEverything } from './server-errors.ts'

/** The first page is small, so that there is something to see at once. */
const FIRST_PAGE = 100
const PAGE = 1000
/** Rows with TEXT or BLOB columns may be large; a page of them must fit into memory all the same. */
const PAGE_OF_LARGE = 50
/** A sort looks at 65,535 bytes, and a character may weigh sixteen of them. */
const LONGEST_SORTED_KEY = 4000

/** Table after table, each in the order of its key. */
export async function* listTables(
  connections: Connections,
  catalogue: Catalogue,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<ListPage> {
  const { tables, rejected } = catalogue
  if (rejected.length > 0) yield { ...emptyPage(), unrecognised: [...rejected], scanned: rejected.length }
  let left = limit
  for (const table of tables) {
    if (left <= 0) return
    try {
      for await (const page of listTable(connections, table, tables.length === 1, left, signal)) {
        left -= page.locks.length
        yield page
      }
    } catch (error) {
      // One table that cannot be read must not hide the others.
      if (!(error instanceof StoreError) || tables.length === 1 || endsEverything(error)) throw error
      const problem = { code: error.code, message: error.message, where: table.shape.name }
      yield { ...emptyPage(), problems: [problem] }
    }
  }
}

async function* listTable(
  connections: Connections,
  table: LockTable,
  alone: boolean,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<ListPage> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const read = [...table.format.columns, ...table.format.optionalColumns]
  const largest = hasLargeColumns(table, read) ? PAGE_OF_LARGE : PAGE
  const fetch = (after: Value, size: number): Promise<Rows> => {
    const rows = connections.use(either, session => readPage(session, table, after, size))
    // Whoever awaits it gets the error; until then it must not count as unhandled.
    rows.catch(() => {})
    return rows
  }
  try {
    const keyless = await connections.use(either, session => countKeyless(session, table))
    if (keyless > 0) yield { ...emptyPage(), unrecognised: [keylessRows(table, keyless)], scanned: keyless }
    let left = limit
    let size = Math.min(FIRST_PAGE, largest, left)
    let next: Promise<Rows> | null = fetch(null, size)
    while (next) {
      const page: Rows = await next
      const { raws } = page
      const last = raws.at(-1)?.row[table.format.keyColumn] ?? null
      const wasFull = raws.length >= size
      left -= raws.length
      size = Math.min(largest, left)
      // The next page is on its way while this one is looked at.
      next = wasFull && size > 0 && last !== null ? fetch(last, size) : null
      if (raws.length === 0) return
      const now = page.serverTime ?? Date.now()
      const locks = raws.map(raw => lockIn(table, alone, raw, now).lock)
      // Rows that the sort took for equal to the last one may be on neither side of the cut.
      const problems = next && last !== null && last.length > LONGEST_SORTED_KEY ? [longKeys(table)] : []
      yield { ...emptyPage(), locks, problems, scanned: locks.length }
    }
  } finally {
    stop.abort()
  }
}

function keylessRows(table: LockTable, count: number): { key: string; reason: string } {
  const rows = plural(count, 'row has', 'rows have')
  return { key: table.shape.name, reason: `${rows} no ${table.format.keyColumn}` }
}

function longKeys(table: LockTable): ListPage['problems'][number] {
  const message = `The server does not sort keys by more than their start, so keys like this one, of over ${LONGEST_SORTED_KEY} characters, may be missing`
  return { code: 'STORE_ERROR', message, where: table.shape.name }
}
