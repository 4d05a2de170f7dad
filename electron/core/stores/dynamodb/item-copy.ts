import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { z } from 'zod'
import { damagedCopy } from '../record-copy.ts'
import type { Item } from './format/attribute.ts'

/** Deeper than DynamoDB nests: a file must not be able to exhaust the stack. */
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
