import { excerpt } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { type OtherRecord, recognise } from '../recognise.ts'
import type { MysqlAddress } from './address.ts'
import type { Session } from './connect.ts'
import {
  type Column,
  type MysqlFormat,
  type MysqlRaw,
  missingColumns,
  type TableShape,
  type Value,
} from './format/table.ts'

export type LockTable = {
  readonly shape: TableShape
  readonly format: MysqlFormat
  readonly key: Column
  /** Whether the store has no other lock table, so that the key alone is an id. */
  readonly isOnly: boolean
}

/** The lock tables, and the candidates that cannot be used. */
export type Catalogue = {
  readonly tables: readonly LockTable[]
  readonly rejected: readonly OtherRecord<MysqlRaw>[]
}

/** `bit` and the geometric types have no text either; everything else does. */
const BINARY =
  /^(binary|varbinary|tinyblob|blob|mediumblob|longblob|bit|geometry|geometrycollection|(multi)?(point|linestring|polygon)|vector)$/

/**
 * Keys that are ordered as they are compared, so that a list neither loses nor repeats rows. ENUM and SET are ordered by
 * the number of their member, and BIT is a number but bound as bytes. BIGINT, DECIMAL and times may be compared with a bound text
 * through a rounding; the smaller integers fit a double exactly.
 */
const KEY_TYPES =
  /^((var)?char|(tiny|medium|long)?text|(var)?binary|(tiny|medium|long)?blob|(tiny|small|medium)?int)$/

/** Reads the table the operator named, or every table that has the columns of a format. */
export async function readCatalogue(
  session: Session,
  address: MysqlAddress,
  formats: readonly MysqlFormat[],
): Promise<Catalogue> {
  const names = address.table === null ? await candidates(session, formats) : [address.table]
  const tables: Omit<LockTable, 'isOnly'>[] = []
  const rejected: OtherRecord<MysqlRaw>[] = []
  for (const name of names) {
    const shape = await readShape(session, name)
    if (shape === null) {
      if (address.table === null) continue
      const where = `"${excerpt(name)}" in the database "${excerpt(address.database)}"`
      throw new StoreError('NOT_FOUND', `There is no table ${where}, or this account may not see it`)
    }
    const table = lockTable(shape, formats, address.format !== null)
    if (typeof table === 'string') rejected.push(notALock(shape.name, table))
    else tables.push(table)
  }
  return { tables: tables.map(table => ({ ...table, isOnly: tables.length === 1 })), rejected }
}

/** A table, or rows of one, of which there is nothing to show but the reason why they are no locks. */
export function notALock(key: string, reason: string): OtherRecord<MysqlRaw> {
  return { lock: null, key, reason, is: 'unreadable', raw: null }
}

/** The table with its format, or the reason why it cannot be used. */
function lockTable(
  shape: TableShape,
  formats: readonly MysqlFormat[],
  pinned: boolean,
): Omit<LockTable, 'isOnly'> | string {
  const hint = { pinned, patternGiven: false }
  const verdict = recognise(formats, { table: shape, row: {}, readAt: '' }, hint, () => ({
    is: 'unreadable',
    reason: whatIsMissing(shape, formats),
  }))
  if (verdict.is === 'companion') return 'it belongs to locks without holding any'
  if (verdict.is !== 'lock') return verdict.reason
  const { format } = verdict
  const key = shape.columns.get(format.keyColumn)
  if (!key || !shape.unique.has(format.keyColumn))
    return `the column ${format.keyColumn} has no unique index of its own, so a row cannot be told from its copies`
  if (!KEY_TYPES.test(key.type))
    return `the column ${format.keyColumn} is of the type ${key.type}, whose rows cannot be listed in a reliable order`
  return { shape, format, key }
}

/** Names the closest format, and the columns that are missing for it. */
function whatIsMissing(shape: TableShape, formats: readonly MysqlFormat[]): string {
  const [nearest] = formats
    .map(format => ({ id: format.info.id, missing: missingColumns(shape, format.columns) }))
    .sort((a, b) => a.missing.length - b.missing.length)
  const missing = nearest?.missing ?? []
  return `for the format ${nearest?.id} it lacks the ${missing.length === 1 ? 'column' : 'columns'} ${missing.join(', ')}`
}

/** Looks for the formats' columns first: a database may have thousands of tables, and few with locks. */
async function candidates(session: Session, formats: readonly MysqlFormat[]): Promise<string[]> {
  const wanted = [...new Set(formats.flatMap(format => format.columns))]
  const rows = await session.read(
    `SELECT c.TABLE_NAME, c.COLUMN_NAME FROM information_schema.COLUMNS c
      JOIN information_schema.TABLES t ON t.TABLE_SCHEMA = c.TABLE_SCHEMA AND t.TABLE_NAME = c.TABLE_NAME
      WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE <> 'VIEW'
      AND c.COLUMN_NAME IN (${wanted.map(() => '?').join(', ')}) ORDER BY c.TABLE_NAME`,
    wanted,
  )
  const found = new Map<string, Set<string>>()
  for (const [table, column] of rows) {
    const columns = found.get(text(table)) ?? new Set()
    found.set(text(table), columns.add(text(column).toLowerCase()))
  }
  return [...found]
    .filter(([, has]) => formats.some(format => format.columns.every(column => has.has(column))))
    .map(([table]) => table)
}

/** A table as the server describes it; null if it does not exist, or if this account may not see it. */
export async function readShape(session: Session, table: string): Promise<TableShape | null> {
  const columnRows = await session.read(
    `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, IS_NULLABLE, CHARACTER_SET_NAME, COLLATION_NAME,
      CHARACTER_MAXIMUM_LENGTH, DATETIME_PRECISION, EXTRA FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`,
    [table],
  )
  // Servers with case-insensitive table names find `Locks` for `locks`; others may have both.
  const names = [...new Set(columnRows.map(row => text(row[0])))]
  const name = names.includes(table) ? table : names[0]
  if (name === undefined) return null
  const indexRows = await session.read(
    `SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND NON_UNIQUE = 0`,
    [name],
  )
  const columns = columnRows.filter(row => text(row[0]) === name).map(columnFrom)
  return {
    name,
    columns: new Map(columns.map(column => [column.name.toLowerCase(), column])),
    unique: uniqueColumns(indexRows.filter(row => text(row[0]) === name)),
  }
}

/** The engine of a table, and whether a change in it can be rolled back. */
export async function readEngine(session: Session, table: TableShape) {
  const rows = await session.read(
    `SELECT t.TABLE_NAME, t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t
      LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
      WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = ?`,
    [table.name],
  )
  const [, engine, transactions] = rows.find(([name]) => text(name) === table.name) ?? []
  return { engine: excerpt(text(engine)), isTransactional: text(transactions) === 'YES' }
}

/** Whether a row may be large, as far as these columns go. */
export function hasLargeColumns({ shape }: LockTable, columns: readonly string[]): boolean {
  return columns.some(column => isLarge(shape.columns.get(column)))
}

export function isLarge(column: Column | undefined): boolean {
  return /text|blob|json|geometry|point|linestring|polygon/.test(column?.type ?? '')
}

function columnFrom(row: readonly Value[]): Column {
  const [, name, type, nullable, charset, collation, width, precision, extra] = row
  const dataType = text(type).toLowerCase()
  return {
    name: text(name),
    type: dataType,
    binary: BINARY.test(dataType),
    nullable: text(nullable) !== 'NO',
    charset: charset == null ? null : text(charset),
    collation: collation == null ? null : text(collation),
    width: Number(text(width)),
    precision: Math.min(6, Math.max(0, Number(precision ?? 0) || 0)),
    // `DEFAULT_GENERATED` is only a default.
    generated: /\b(VIRTUAL|STORED|PERSISTENT)\b/i.test(text(extra)),
    numbered: /\bauto_increment\b/i.test(text(extra)),
  }
}

/** Columns with a unique index over the whole of that column and nothing else. */
function uniqueColumns(rows: readonly (readonly Value[])[]): Set<string> {
  const indexes = new Map<string, { columns: string[]; whole: boolean }>()
  for (const [, index, column, prefix] of rows) {
    const parts = indexes.get(text(index)) ?? { columns: [], whole: true }
    parts.columns.push(text(column).toLowerCase())
    parts.whole &&= prefix == null
    indexes.set(text(index), parts)
  }
  const single = [...indexes.values()].filter(({ columns, whole }) => whole && columns.length === 1)
  return new Set(single.map(({ columns }) => columns[0] ?? ''))
}

/** Metadata comes as text, bytes or numbers, depending on the server. */
function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('utf8') : String(value ?? '')
}
