import { unreadable } from '../bad-answer.ts'
import { isLarge, type LockTable } from './catalogue.ts'
import type { Session } from './connect.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { anyOf, columnOf, compareKey, quoteName, readable, type Sql } from './sql.ts'

/** Rows with the server's time from the same statement, so that every state is judged by the clock it was read with. */
export type Rows = { readonly raws: readonly MysqlRaw[]; readonly now: number }

/**
 * `next` is the key that the next page starts after; null on the last page. `tooLarge` has the sizes of the rows that come without
 * their large values, by their places.
 */
export type RowPage = Rows & { readonly next: Value; readonly tooLarge: ReadonlyMap<number, number> }

/** Of the columns that may be large, all together: far above any lock. */
const MOST_LISTED_BYTES = 64 * 1024

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
  const { columns, optionalColumns, keyColumn } = table.format
  const wanted = [...columns, ...optionalColumns].filter(column => table.shape.columns.has(column))
  const where = { ...from, text: `${from.text} ORDER BY ${key} LIMIT ${limit}` }
  const { raws, sizes, now } = await select(session, table, wanted, where, MOST_LISTED_BYTES)
  const tooLarge = new Map<number, number>()
  for (const [i, size] of sizes.entries()) if (Number(size) > MOST_LISTED_BYTES) tooLarge.set(i, Number(size))
  return { raws, now, tooLarge, next: raws[limit - 1]?.row[keyColumn] ?? null }
}

/** Rows whose key the index considers equal to one of these, with all their columns: the caller compares the keys byte by byte. */
export function readRows(session: Session, table: LockTable, keys: readonly Value[]): Promise<Rows> {
  const where = anyOf(keys.map(key => compareKey(table.key, '=', key)))
  return select(session, table, [...table.shape.columns.keys()], where)
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

async function select(
  session: Session,
  table: LockTable,
  columns: readonly string[],
  where: Sql,
  mostBytes: number | null = null,
): Promise<Rows & { readonly sizes: readonly Value[] }> {
  const shaped = columns.map(column => columnOf(table.shape, column))
  const large = mostBytes === null ? [] : shaped.filter(column => isLarge(column) && column !== table.key)
  const size = large.map(({ name }) => `COALESCE(LENGTH(${quoteName(name)}), 0)`).join(' + ')
  const list = shaped.map(column =>
    large.includes(column) ? `IF(${size} > ${mostBytes}, NULL, ${readable(column)})` : readable(column),
  )
  // A table without large columns need not tell the size of every row.
  const first = ['CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)', ...(size === '' ? [] : [`CAST(${size} AS CHAR)`])]
  const sql = `SELECT ${[...first, ...list].join(', ')}
    FROM ${quoteName(table.shape.name)} WHERE ${where.text}`
  const rows = await session.read(sql, where.values)
  const now = rows.length === 0 ? Date.now() : parseTime(String(rows[0]?.[0]))
  if (now === null) throw unreadable('its clock')
  return {
    raws: rows.map(row => ({
      table: table.shape,
      readAt: String(row[0] ?? ''),
      row: Object.fromEntries(columns.map((column, i) => [column, row[i + first.length] ?? null])),
    })),
    sizes: size === '' ? [] : rows.map(row => row[1] ?? null),
    now,
  }
}
