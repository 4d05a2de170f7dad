import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { z } from 'zod'
import { BadAnswer } from '../bad-answer.ts'
import { damagedCopy } from '../record-copy.ts'
import type { Item } from './format/attribute.ts'
import { type KeySchema, keyAttributes } from './format/table-key.ts'

const isString = (value: unknown) => typeof value === 'string'
const isBoolean = (value: unknown) => typeof value === 'boolean'
const isBytes = (value: unknown) => value instanceof Uint8Array
const listOf = (is: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(is)
const isMap = (value: unknown) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isAttribute)

const CHECKS: Record<string, (value: unknown) => boolean> = {
  S: isString,
  N: isString,
  B: isBytes,
  BOOL: isBoolean,
  NULL: isBoolean,
  SS: listOf(isString),
  NS: listOf(isString),
  BS: listOf(isBytes),
  L: listOf(isAttribute),
  M: isMap,
}

/** The validated items of an answer: the SDK passes on anything. Items without the table's key: the table was recreated. */
export function itemsFrom(schema: KeySchema, items: unknown): Item[] {
  const whole = Array.isArray(items) ? items.map(withoutHoles) : [null]
  if (whole.every(item => isMap(item) && isItemOf(schema, item as Item))) return whole as Item[]
  throw new BadAnswer('sent items that do not fit the description of the table')
}

export function isItemOf(schema: KeySchema, item: Item): boolean {
  return keyAttributes(schema).every(
    ({ name, type }) => Object.hasOwn(item, name) && item[name]?.[type] !== undefined,
  )
}

/** The SDK loses the value of an attribute called `__proto__`; any program may write one, and it must not hide the rest. */
function withoutHoles(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined))
}

/** Accepts unknown types, which are shown as such. */
function isAttribute(value: unknown): value is AttributeValue {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).every(
    ([type, content]) => !Object.hasOwn(CHECKS, type) || CHECKS[type]?.(content),
  )
}

/** Deeper than DynamoDB nests: a file must not exhaust the stack. */
const DEEPEST = 40

/** An attribute in DynamoDB's own JSON, which has one type and writes bytes in base64. */
const attributeSchema = z.union([
  z.strictObject({ S: z.string() }),
  z.strictObject({ N: z.string() }),
  z.strictObject({ B: z.base64() }),
  z.strictObject({ BOOL: z.boolean() }),
  z.strictObject({ NULL: z.boolean() }),
  z.strictObject({ SS: z.array(z.string()) }),
  z.strictObject({ NS: z.array(z.string()) }),
  z.strictObject({ BS: z.array(z.base64()) }),
  z.strictObject({ L: z.array(z.unknown()) }),
  z.strictObject({ M: z.unknown() }),
])

/** The inverse of `itemJson`, for what comes out of a file. */
export function itemFromJson(json: unknown, depth = 0): Item {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw damagedCopy()
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, attributeFrom(value, depth)]))
}

function attributeFrom(json: unknown, depth: number): AttributeValue {
  const parsed = attributeSchema.safeParse(json)
  if (!parsed.success || depth > DEEPEST) throw damagedCopy()
  const value = parsed.data
  if ('B' in value) return { B: Buffer.from(value.B, 'base64') }
  if ('BS' in value) return { BS: value.BS.map(each => Buffer.from(each, 'base64')) }
  if ('L' in value) return { L: value.L.map(each => attributeFrom(each, depth + 1)) }
  if ('M' in value) return { M: itemFromJson(value.M, depth + 1) }
  if ('NULL' in value) return { NULL: true }
  return value
}
