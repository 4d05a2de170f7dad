import type { ListPage } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { StoreError } from '../../lib/errors.ts'
import { Progress } from '../progress.ts'
import { readAhead } from '../read-ahead.ts'
import { listPage } from '../record-store.ts'
import { type Catalogue, hasLargeColumns, type LockTable, notALock } from './catalogue.ts'
import type { Connections } from './connect.ts'
import { readingsOf } from './find.ts'
import type { Value } from './format/table.ts'
import { countKeyless, readPage } from './rows.ts'
import { endsEverything } from './server-errors.ts'

/** The first page is small, so that there is something to see at once. */
const FIRST_PAGE = 100
const PAGE = 1000
/** Rows with TEXT or BLOB columns may be large; a page of them must fit into memory all the same. */
const PAGE_OF_LARGE = 50
const MOST_PAGE_BYTES = 16 * 1024 * 1024
const MOST_CHARACTER_BYTES = 4
/** A sort looks at 65,535 bytes, and a character may weigh sixteen of them. */
const LONGEST_SORTED_KEY = 4000
const LONG_KEYS = `The server does not sort keys by more than their start, so keys like this one, of over ${LONGEST_SORTED_KEY} characters, may be missing`

/** Table after table, each in the order of its key. */
export async function* pagesOfTables(
  connections: Connections,
  { tables, rejected }: Catalogue,
  signal: AbortSignal,
  ahead: boolean,
): AsyncGenerator<ListPage> {
  if (rejected.length > 0) yield listPage(rejected)
  for (const table of tables) {
    try {
      yield* pagesOfTable(connections, table, signal, ahead)
    } catch (error) {
      // One table that cannot be read must not hide the others.
      if (!(error instanceof StoreError) || table.isOnly || endsEverything(error)) throw error
      yield listPage([], [{ code: error.code, message: error.message, where: table.shape.name }])
    }
  }
}

/** How many rows fit into a page whatever is in them. */
function mostRows({ format, shape }: LockTable): number {
  const columns = [...format.columns, ...format.optionalColumns]
  const width = columns.reduce((sum, column) => sum + (shape.columns.get(column)?.width || 0), 0)
  return Math.floor(MOST_PAGE_BYTES / (width * MOST_CHARACTER_BYTES + 1))
}

async function* pagesOfTable(
  connections: Connections,
  table: LockTable,
  signal: AbortSignal,
  ahead: boolean,
): AsyncGenerator<ListPage> {
  const { format, shape } = table
  const keyless = await connections.use(signal, session => countKeyless(session, table))
  if (keyless > 0) {
    const reason = `${plural(keyless, 'row has', 'rows have')} no ${format.keyColumn}`
    yield listPage([notALock(shape.name, reason)], [], { scanned: keyless })
  }
  const isLarge = hasLargeColumns(table, [...format.columns, ...format.optionalColumns])
  const size = isLarge ? PAGE_OF_LARGE : Math.max(PAGE_OF_LARGE, Math.min(PAGE, mostRows(table)))
  const fetch = (after: Value, most: number, stop: AbortSignal) =>
    connections.use(stop, session => readPage(session, table, after, most))
  const progress = new Progress()
  const pages = readAhead(
    stop => fetch(null, Math.min(FIRST_PAGE, size), stop),
    ({ next }, stop) => {
      if (next === null) return null
      progress.to(Buffer.isBuffer(next) ? next.toString('latin1') : next)
      return fetch(next, size, stop)
    },
    signal,
    ahead,
  )
  for await (const rows of pages) {
    const { next } = rows
    // Rows that the sort considers equal to the last one may be on neither side of the cut.
    const problems =
      next !== null && next.length > LONGEST_SORTED_KEY
        ? [{ code: 'STORE_ERROR' as const, message: LONG_KEYS, where: shape.name }]
        : []
    if (rows.raws.length > 0) yield listPage(readingsOf(table, rows), problems)
  }
}
