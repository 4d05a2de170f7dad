import { unreadable } from '../bad-answer.ts'
import { isLarge, type LockTable } from './catalogue.ts'
import type { Session } from './connect.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { anyOf, columnOf, compareKey, quoteName, readable, type Sql } from './sql.ts'

/**
 * Rows with the server's time from the same statement, so that every state is judged by the clock it was read with. `tooLarge` has
 * the sizes of the rows that come without the large values of their locks, by their places.
 */
export type Rows = {
  readonly raws: readonly MysqlRaw[]
  readonly now: number
  readonly tooLarge: ReadonlyMap<number, number>
}

/** `next` is the key that the next page starts after; null on the last page. */
export type RowPage = Rows & { readonly next: Value }

/**
 * Of the columns of the lock that may be large, all together, and of the other ones: of a row that is read by itself, and of one
 * among many, which is far above any lock.
 */
const MOST_BYTES = 16 * 1024 * 1024
const MOST_BYTES_OF_MANY = 64 * 1024

/** The columns of the format, after a key in the order of the key's index. */
export async function readPage(
  session: Session,
  table: LockTable,
  after: Value,
  limit: number,
): Promise<RowPage> {
  const key = quoteName(table.key.name)
  const from: Sql =
    after === null ? { text: `${key} IS NOT NULL`, values: [] } : compareKey(table.key, '>', after)
  const where = { ...from, text: `${from.text} ORDER BY ${key} LIMIT ${limit}` }
  const rows = await select(session, table, where, [columnsOfLock(table)], MOST_BYTES_OF_MANY)
  return { ...rows, next: rows.raws[limit - 1]?.row[table.format.keyColumn] ?? null }
}

/** Rows whose key the index considers equal to one of these, with all their columns: the caller compares the keys byte by byte. */
export function readRows(
  session: Session,
  table: LockTable,
  keys: readonly Value[],
  isOne = keys.length === 1,
): Promise<Rows> {
  const where = anyOf(keys.map(key => compareKey(table.key, '=', key)))
  const ofLock = columnsOfLock(table)
  const others = [...table.shape.columns.keys()].filter(column => !ofLock.includes(column))
  return select(session, table, where, [ofLock, others], isOne ? MOST_BYTES : MOST_BYTES_OF_MANY)
}

function columnsOfLock({ format, shape }: LockTable): string[] {
  return [...format.columns, ...format.optionalColumns].filter(column => shape.columns.has(column))
}

/** A unique index lets many rows have no key at all. Such rows exist, but cannot be addressed. */
export async function countKeyless(session: Session, table: LockTable): Promise<number> {
  if (!table.key.nullable) return 0
  const [row] = await session.read(
    `SELECT COUNT(*) FROM ${quoteName(table.shape.name)} WHERE ${quoteName(table.key.name)} IS NULL`,
  )
  const count = Number(row?.[0] ?? 0)
  if (!Number.isSafeInteger(count)) throw unreadable('the number of rows')
  return count
}

/** The large values of each group of columns come only if they are not larger than `mostBytes` together. */
async function select(
  session: Session,
  table: LockTable,
  where: Sql,
  [ofLock, others = []]: readonly [ofLock: readonly string[], others?: readonly string[]],
  mostBytes: number,
): Promise<Rows> {
  const columns = [...ofLock, ...others]
  const lock = groupOf(table, ofLock, mostBytes)
  const other = groupOf(table, others, mostBytes)
  const first = ['CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)', lock.size, other.size]
  const sql = `SELECT ${[...first, ...lock.values, ...other.values].join(', ')}
    FROM ${quoteName(table.shape.name)} WHERE ${where.text}`
  const rows = await session.read(sql, where.values)
  const now = rows.length === 0 ? Date.now() : parseTime(String(rows[0]?.[0]))
  if (now === null) throw unreadable('its clock')
  const tooLarge = new Map<number, number>()
  const raws = rows.map((row, i): MysqlRaw => {
    const [readAt, lockBytes, otherBytes] = row
    if (Number(lockBytes) > mostBytes) tooLarge.set(i, Number(lockBytes))
    return {
      table: table.shape,
      readAt: String(readAt ?? ''),
      row: Object.fromEntries(columns.map((column, at) => [column, row[first.length + at] ?? null])),
      ...(Number(otherBytes) > mostBytes && { unread: other.large }),
    }
  })
  return { raws, now, tooLarge }
}

/** The SQL for the values of some columns, and for the size of those that may be large. */
function groupOf({ shape, key }: LockTable, columns: readonly string[], mostBytes: number) {
  const large = columns.filter(column => {
    const shaped = columnOf(shape, column)
    return isLarge(shaped) && shaped !== key
  })
  const sizes = large.map(column => `COALESCE(LENGTH(${quoteName(columnOf(shape, column).name)}), 0)`)
  const size = sizes.join(' + ')
  return {
    large,
    // A table without large columns need not tell the size of every row.
    size: size === '' ? 'NULL' : `CAST(${size} AS CHAR)`,
    values: columns.map(column => {
      const value = readable(columnOf(shape, column))
      return large.includes(column) ? `IF(${size} > ${mostBytes}, NULL, ${value})` : value
    }),
  }
}
