import { randomUUID } from 'node:crypto'
import type { AttributeValue, TableDescription } from '@aws-sdk/client-dynamodb'
import { keyToText, textToKey } from '../../../lib/bytes.ts'
import { BadAnswer } from '../../bad-answer.ts'
import type { Item } from './attribute.ts'

type KeyType = 'S' | 'N' | 'B'
export type KeyAttribute = { readonly name: string; readonly type: KeyType }
export type KeySchema = { readonly partition: KeyAttribute; readonly sort: KeyAttribute | null }

export function keySchemaOf(table: TableDescription | undefined): KeySchema {
  const find = (role: string): KeyAttribute | null => {
    const name = table?.KeySchema?.find(key => key.KeyType === role)?.AttributeName
    const type = table?.AttributeDefinitions?.find(each => each.AttributeName === name)?.AttributeType
    return name !== undefined && (type === 'S' || type === 'N' || type === 'B') ? { name, type } : null
  }
  const partition = find('HASH')
  if (!partition) throw new BadAnswer('described the table without its key')
  return { partition, sort: find('RANGE') }
}

/** The partition key, and the sort key if there is one. */
export function keyAttributes({ partition, sort }: KeySchema): readonly KeyAttribute[] {
  return sort ? [partition, sort] : [partition]
}

/** The part of an item that addresses it. */
export function keyOf(schema: KeySchema, item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(keyAttributes(schema).map(({ name }) => [name, item[name] as AttributeValue]))
}

/**
 * An item's key as text that can be shown, typed and sent back. Without a sort key it is the partition key's text. With
 * one it is `partition/sort`, where `/` and `%` in the partition key are written `%2F` and `%25`; the sort key is as it
 * is. Each part is text, a decimal number, or `hex:…` for bytes that are not UTF-8.
 */
export function idOf(schema: KeySchema, item: Item): string {
  const partition = partToText(schema.partition, item)
  if (schema.sort === null) return partition
  return `${partition.replace(/[%/]/g, encodeURIComponent)}/${partToText(schema.sort, item)}`
}

/** The inverse of idOf; null when no item of this table can have such an id. */
export function keyFromId(schema: KeySchema, id: string): Record<string, AttributeValue> | null {
  if (schema.sort === null) return keyFrom([[schema.partition, id]])
  const slash = id.indexOf('/')
  if (slash < 0) return null
  const partition = id.slice(0, slash).replace(/%(25|2F)/gi, decodeURIComponent)
  return keyFrom([
    [schema.partition, partition],
    [schema.sort, id.slice(slash + 1)],
  ])
}

/** A key that no item has. */
export function randomKey(schema: KeySchema): Record<string, AttributeValue> {
  const text = `lockkeeper-${randomUUID()}`
  const value = (type: KeyType): AttributeValue => {
    if (type === 'S') return { S: text }
    return type === 'B' ? { B: Buffer.from(text) } : { N: String(-Math.floor(Math.random() * 1e15)) }
  }
  return Object.fromEntries(keyAttributes(schema).map(({ name, type }) => [name, value(type)]))
}

function partToText({ name, type }: KeyAttribute, item: Item): string {
  const value = item[name]
  if (type === 'N') return value?.N ?? ''
  return keyToText(Buffer.from(type === 'S' ? (value?.S ?? '') : (value?.B ?? [])))
}

/** The same text for the same key: DynamoDB normalizes numbers, `1.0` to `1`. */
export function sameKeyText(schema: KeySchema, key: Item): string {
  return JSON.stringify(
    keyAttributes(schema).map(({ name, type }) => {
      const value = key[name]
      if (type === 'N') return plainNumber(value?.N ?? '')
      return type === 'S' ? value?.S : Buffer.from(value?.B ?? []).toString('latin1')
    }),
  )
}

/** A decimal number as its digits and its power of ten, exactly: a double may have too few digits. */
function plainNumber(text: string): string {
  const [, sign = '', whole = '', decimals = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${decimals}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const exponent = Number(power) - decimals.length + (digits.length - significant.length)
  return `${sign}${significant}e${exponent}`
}

/** DynamoDB's numbers: 38 digits, exponent to 125. */
const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?(?:E[+-]?\d{1,3})?$/i

function keyFrom(parts: [KeyAttribute, string][]): Record<string, AttributeValue> | null {
  const key: [string, AttributeValue][] = []
  for (const [{ name, type }, text] of parts) {
    if (type === 'N') {
      if (!NUMBER.test(text)) return null
      key.push([name, { N: text }])
      continue
    }
    const bytes = textToKey(text)
    // DynamoDB has no empty keys.
    if (bytes.length === 0) return null
    key.push([name, type === 'S' ? { S: bytes.toString('utf8') } : { B: bytes }])
  }
  return Object.fromEntries(key)
}
