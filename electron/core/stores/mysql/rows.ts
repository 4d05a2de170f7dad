import type { LockTable } from './catalogue.ts'
import type { Session } from './connect.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { anyOf, columnOf, compareKey, quoteName, readable, type Sql } from './sql.ts'

/** Rows with the server's time from the same statement, so that every state is judged by the clock it was read with. */
export type Rows = { readonly raws: readonly MysqlRaw[]; readonly now: number }

/** `next` is the key that the next page starts after; null on the last page. */
export type RowPage = Rows & { readonly next: Value }

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
  const rows = await select(session, table, wanted, where)
  return { ...rows, next: rows.raws[limit - 1]?.row[keyColumn] ?? null }
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
  return Number(row?.[0] ?? 0)
}

async function select(
  session: Session,
  table: LockTable,
  columns: readonly string[],
  where: Sql,
): Promise<Rows> {
  const list = columns.map(column => readable(columnOf(table.shape, column)))
  const sql = `SELECT ${['CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)', ...list].join(', ')}
    FROM ${quoteName(table.shape.name)} WHERE ${where.text}`
  const rows = await session.read(sql, where.values)
  return {
    raws: rows.map(row => ({
      table: table.shape,
      readAt: String(row[0] ?? ''),
      row: Object.fromEntries(columns.map((column, i) => [column, row[i + 1] ?? null])),
    })),
    now: parseTime(String(rows[0]?.[0])) ?? Date.now(),
  }
}
