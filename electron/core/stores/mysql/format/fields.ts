import type { FieldValue } from '../../../../../shared/locks.ts'
import { bytesToDisplay, keyToText } from '../../../lib/bytes.ts'
import type { MysqlRaw, Value } from './table.ts'

/** A field is for reading; the whole value is what is compared, and what the inspector shows. */
const SHOWN_FIELD = 1000

/** A column's value for people, or null. Not for comparing: bytes that are no text are written as escapes. */
export function textOf(raw: MysqlRaw, column: string): string | null {
  const value = raw.row[column] ?? null
  return Buffer.isBuffer(value) ? bytesToDisplay(value) : value
}

/** The key as it is shown, typed and sent back. */
export function keyText(raw: MysqlRaw, column: string): string {
  return showKey(raw.row[column] ?? null)
}

export function showKey(value: Value): string {
  return Buffer.isBuffer(value) ? keyToText(value) : (value ?? '')
}

/** `columns` are a format's own names, never the server's. */
export function fieldsOf(raw: MysqlRaw, columns: readonly string[]): Record<string, FieldValue> {
  const fields: Record<string, FieldValue> = {}
  for (const column of columns) if (raw.table.columns.has(column)) fields[column] = fieldOf(raw, column)
  return fields
}

/** What the fence stands for: the table, and every column that the release compares. */
export function seenPart(raw: MysqlRaw, columns: readonly string[]): Value[] {
  const parts: Value[] = [raw.table.name]
  for (const column of columns) if (raw.table.columns.has(column)) parts.push(raw.row[column] ?? null)
  return parts
}

function fieldOf(raw: MysqlRaw, column: string): FieldValue {
  const text = textOf(raw, column)
  if (text === null) return null
  const isInteger = raw.table.columns.get(column)?.type.endsWith('int')
  if (isInteger && Number.isSafeInteger(Number(text))) return Number(text)
  return text.length > SHOWN_FIELD ? `${text.slice(0, SHOWN_FIELD)}…` : text
}
