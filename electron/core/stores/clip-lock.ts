import { hash } from 'node:crypto'
import type { FieldValue } from '../../../shared/locks.ts'

/** In characters. The inspector shows the whole value, and the fence is made from it. */
const LONGEST_TEXT = 512
const KEPT_START = 200
const MOST_FIELDS = 100

/** A text of a lock as screens, files and histories carry it. Two long texts that differ anywhere stay different. */
export function clipText<T extends string | null>(text: T): T {
  if (text === null || text.length <= LONGEST_TEXT) return text
  // Half a surrogate pair is no text.
  const start = text.slice(0, KEPT_START).replace(/[\ud800-\udbff]$/, '')
  return `${start}… (${text.length} characters, ${hash('sha256', text, 'hex').slice(0, 12)})` as T
}

/** Runs for every lock of a list, and almost never has to change anything. */
export function clipFields(
  fields: Readonly<Record<string, FieldValue>>,
): Readonly<Record<string, FieldValue>> {
  let count = 0
  let isLong = false
  for (const name in fields) {
    const value = fields[name]
    count++
    isLong ||= name.length > LONGEST_TEXT || (typeof value === 'string' && value.length > LONGEST_TEXT)
  }
  if (!isLong && count <= MOST_FIELDS) return fields
  const kept = Object.entries(fields)
    .slice(0, MOST_FIELDS)
    .map(([name, value]) => [clipText(name), typeof value === 'string' ? clipText(value) : value])
  if (count > MOST_FIELDS) kept.push(['…', `${count - MOST_FIELDS} more`])
  return Object.fromEntries(kept)
}
