import type { FieldValue } from '../../../../../shared/locks.ts'
import { bytesToDisplay, keyToText } from '../../../lib/bytes.ts'
import { type Decoded, OTHER } from '../../types.ts'
import { type MysqlFormat, type MysqlRaw, missingColumns, type SeenColumn, type Value } from './table.ts'
import { leaseUntil, timeIn } from './times.ts'

/** A column's value for people, or null. Not for comparisonOf: bytes that are no text are written as escapes. */
export function textOf(raw: MysqlRaw, column: string): string | null {
  const value = raw.row[column] ?? null
  return Buffer.isBuffer(value) ? bytesToDisplay(value) : value
}

/** The key as it is shown, typed and sent back. */
export function keyText(raw: MysqlRaw, column: string): string {
  const value = raw.row[column] ?? null
  return Buffer.isBuffer(value) ? keyToText(value) : (value ?? '')
}

/** Recognizes tables that have all of these columns. */
export function byColumns(columns: readonly string[]): MysqlFormat['recognise'] {
  return ({ table }) =>
    missingColumns(table, columns).length === 0 ? { is: 'lock', confidence: 0.98 } : OTHER
}

/** What a release compares: `compared` are a format's own names, in a fixed order, of which a table may lack some. */
export function comparisonOf(raw: MysqlRaw, keyColumn: string, compared: readonly string[]) {
  const seenIn = (column: string): SeenColumn => [column, raw.row[column] ?? null]
  const seen = compared.filter(column => raw.table.columns.has(column)).map(seenIn)
  return { table: raw.table, key: seenIn(keyColumn), seen }
}

/** The columns in which a format stores the parts of a lock. */
type Columns = {
  readonly key: string
  readonly owner: string
  readonly acquiredAt: string
  readonly until: string
  readonly afterwards: 'expired' | 'released'
  readonly compared: readonly string[]
}

/** Decodes a row that is one lock, with the holder that the format read from it. Runs for every row: copies are slow. */
export function decodeRow(
  raw: MysqlRaw,
  now: number,
  columns: Columns,
  { holder, notes: holderNotes = [] }: Pick<Decoded, 'holder'> & Partial<Pick<Decoded, 'notes'>>,
): Decoded {
  const acquired = timeIn(raw, columns.acquiredAt)
  const { lease, deadlines, notes } = leaseUntil(raw, columns.until, now, columns.afterwards)
  const fields: Record<string, FieldValue> = {}
  const exact: Value[] = [raw.table.name]
  for (const column of columns.compared) {
    if (!raw.table.columns.has(column)) continue
    fields[column] = fieldOf(raw, column)
    exact.push(raw.row[column] ?? null)
  }
  return {
    name: keyText(raw, columns.key),
    owner: textOf(raw, columns.owner),
    holder,
    acquiredAt: acquired.at,
    acquiredAtSource: acquired.at === null ? 'unknown' : 'stored',
    lease,
    deadlines,
    notes: [...notes, ...acquired.notes, ...holderNotes],
    fields,
    seen: { exact },
  }
}

function fieldOf(raw: MysqlRaw, column: string): FieldValue {
  const text = textOf(raw, column)
  if (text === null) return null
  const isInteger = raw.table.columns.get(column)?.type.endsWith('int')
  if (isInteger && Number.isSafeInteger(Number(text))) return Number(text)
  return text
}
