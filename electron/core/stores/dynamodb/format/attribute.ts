import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { FieldValue, Note } from '../../../../../shared/locks.ts'
import { bytesToDisplay } from '../../../lib/bytes.ts'

export type Item = Readonly<Record<string, AttributeValue>>

/** DynamoDB's own letters for its types, in words. */
const TYPES = {
  S: 'a string',
  N: 'a number',
  B: 'binary',
  BOOL: 'a boolean',
  NULL: 'null',
  L: 'a list',
  M: 'a map',
  SS: 'a set of strings',
  NS: 'a set of numbers',
  BS: 'a set of binaries',
} as const

/** Own properties only: an attribute may be called `constructor`. */
export function attribute(item: Item, name: string): AttributeValue | null {
  return Object.hasOwn(item, name) ? (item[name] ?? null) : null
}

export function typeName(value: AttributeValue): string {
  const [, words = 'an unknown type'] =
    Object.entries(TYPES).find(([type]) => Object.hasOwn(value, type)) ?? []
  return words
}

/** The text of a string or number attribute: a number has up to 38 digits. Anything else is null, with a note of what is wrong. */
export function textOf(item: Item, name: string, type: 'S' | 'N', notes: Note[]): string | null {
  const value = attribute(item, name)
  const text = value?.[type] ?? null
  if (value === null) notes.push({ code: 'missing-field', field: name })
  else if (text === null)
    notes.push({ code: 'wrong-type', field: name, found: typeName(value), wanted: TYPES[type] })
  return text
}

/** The attribute in DynamoDB's JSON: the same text for the same value, however the server orders maps and sets. */
export function attributeJson(value: AttributeValue): unknown {
  if (value.B !== undefined) return { B: base64(value.B) }
  if (value.BS !== undefined) return { BS: value.BS.map(base64).sort() }
  if (value.SS !== undefined) return { SS: [...value.SS].sort() }
  if (value.NS !== undefined) return { NS: [...value.NS].sort() }
  if (value.L !== undefined) return { L: value.L.map(attributeJson) }
  if (value.M !== undefined) return { M: itemJson(value.M) }
  return { ...value }
}

export function itemJson(item: Item): Record<string, unknown> {
  const names = Object.keys(item).sort()
  return Object.fromEntries(names.map(name => [name, attributeJson(item[name] as AttributeValue)]))
}

/** For the fence: null when absent, which is as much a fact as any value. */
export function seenPart(value: AttributeValue | null): string | null {
  return value === null ? null : JSON.stringify(attributeJson(value))
}

/** The bytes to show for an attribute: text and numbers as they are, binary as bytes, the rest as JSON. */
export function attributeBytes(value: AttributeValue): Buffer {
  if (value.B !== undefined) return Buffer.from(value.B)
  return Buffer.from(value.S ?? value.N ?? JSON.stringify(attributeJson(value)))
}

/** All attributes but the key. */
export function fieldsOf(item: Item, except: readonly string[]): Record<string, FieldValue> {
  const entries = Object.entries(item).filter(([name]) => !except.includes(name))
  return Object.fromEntries(entries.map(([name, value]) => [name, fieldValue(value)]))
}

function fieldValue(value: AttributeValue): FieldValue {
  if (value.BOOL !== undefined) return value.BOOL
  if (value.NULL !== undefined) return null
  // Numbers that JavaScript cannot carry exactly stay text.
  if (value.N !== undefined && Number.isFinite(Number(value.N)) && String(Number(value.N)) === value.N)
    return Number(value.N)
  if (value.B !== undefined) return bytesToDisplay(Buffer.from(value.B))
  return value.S ?? value.N ?? JSON.stringify(attributeJson(value))
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
