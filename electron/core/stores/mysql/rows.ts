import type { LockTable } from './catalogue.ts'
import type { Session } from './connect.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { anyOf, columnOf, compareKey, quoteName, readable, rowWithKey, type Sql } from './sql.ts'

/** Rows with the server's time in the same statement, so that every state is judged by the clock it was read with. */
export type Rows = { readonly raws: readonly MysqlRaw[]; readonly serverTime: number | null }

/** The columns of the format, after a key in the order of the key's index. */
export async function readPage(
  session: Session,
  table: LockTable,
  after: Value,
  limit: number,
): Promise<Rows> {
  const name = quoteName(table.key.name)
  const from: Sql =
    after === null ? { text: `${name} IS NOT NULL`, values: [] } : compareKey(table.key, '>', after)
  const wanted = [...table.format.columns, ...table.format.optionalColumns].filter(column =>
    table.shape.columns.has(column),
  )
  return select(session, table, wanted, `WHERE ${from.text} ORDER BY ${name} LIMIT ${limit}`, from.values)
}

/** One row with all its columns, or none. */
export async function readRow(session: Session, table: LockTable, key: Value): Promise<Rows> {
  const where = rowWithKey(table.key, key)
  return select(session, table, [...table.shape.columns.keys()], `WHERE ${where.text}`, where.values)
}

/** All rows that the index takes for one of these keys, with all their columns: which are exactly one, the caller must tell. */
export async function readRows(session: Session, table: LockTable, keys: readonly Value[]): Promise<Rows> {
  const where = anyOf(keys.map(key => compareKey(table.key, '=', key)))
  return select(session, table, [...table.shape.columns.keys()], `WHERE ${where.text}`, where.values)
}

/** A unique index lets many rows have no key at all. Such rows cannot be addressed, but they are there. */
export async function countKeyless(session: Session, table: LockTable): Promise<number> {
  if (!table.key.nullable) return 0
  const [row] = await session.read(
    `SELECT COUNT(*) FROM ${quoteName(table.shape.name)} WHERE ${quoteName(table.key.name)} IS NULL`,
  )
  return Number(row?.[0] ?? 0)
}

async function select(
  session: Session,
  table: LockTable,
  columns: readonly string[],
  rest: string,
  values: readonly Value[],
): Promise<Rows> {
  const list = columns.map(column => readable(columnOf(table.shape, column)))
  const sql = `SELECT ${['CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)', ...list].join(', ')}
    FROM ${quoteName(table.shape.name)} ${rest}`
  const rows = await session.read(sql, values)
  const time = rows[0]?.[0]
  return {
    raws: rows.map(row => ({
      table: table.shape,
      readAt: String(row[0] ?? ''),
      row: Object.fromEntries(columns.map((column, i) => [column, row[i + 1] ?? null])),
    })),
    serverTime: typeof time === 'string' ? parseTime(time) : null,
  }
}
