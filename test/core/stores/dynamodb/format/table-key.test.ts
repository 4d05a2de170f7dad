import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../../../electron/core/lib/errors.ts'
import {
  idOf,
  type KeySchema,
  keyFromId,
  keySchemaOf,
  randomKey,
} from '../../../../../electron/core/stores/dynamodb/format/table-key.ts'

type Type = 'S' | 'N' | 'B'
function schema(partition: Type, sort?: Type): KeySchema {
  return { partition: { name: 'pk', type: partition }, sort: sort ? { name: 'sk', type: sort } : null }
}

const bytes = (...values: number[]): AttributeValue => ({ B: Uint8Array.from(values) })

describe('a key as text', () => {
  it.each<[KeySchema, Record<string, AttributeValue>, string]>([
    [schema('S'), { pk: { S: 'pipeline:a/b%c' } }, 'pipeline:a/b%c'],
    [schema('S'), { pk: { S: 'line\nbreak \u001b[31m \u202e' } }, 'line\nbreak \u001b[31m \u202e'],
    [schema('S'), { pk: { S: 'hex:ff' } }, 'hex:6865783a6666'],
    [schema('N'), { pk: { N: '-12.5' } }, '-12.5'],
    [schema('B'), { pk: bytes(0xff, 0x00) }, 'hex:ff00'],
    [schema('B'), { pk: bytes(0x61, 0x62) }, 'ab'],
    [schema('S', 'S'), { pk: { S: 'a/b%2F' }, sk: { S: 'c/d%' } }, 'a%2Fb%252F/c/d%'],
    [schema('S', 'N'), { pk: { S: 'a' }, sk: { N: '7' } }, 'a/7'],
    [schema('B', 'B'), { pk: bytes(0xff), sk: bytes(0xfe) }, 'hex:ff/hex:fe'],
  ])('%# is reversible', (keys, item, text) => {
    expect(idOf(keys, { ...item, other: { S: 'x' } })).toBe(text)
    const back = keyFromId(keys, text)
    expect(Object.keys(back ?? {})).toEqual(Object.keys(item))
    expect(idOf(keys, back ?? {})).toBe(text)
  })

  it('is never the same for two keys', () => {
    const parts = ['a', 'a/', '/a', 'a%2F', '%', '/', 'a%', 'hex:61']
    const ids = parts.flatMap(pk => parts.map(sk => idOf(schema('S', 'S'), { pk: { S: pk }, sk: { S: sk } })))
    expect(new Set(ids).size).toBe(parts.length ** 2)
  })

  it('is null when no item can have it', () => {
    expect(keyFromId(schema('N'), 'any')).toBeNull()
    expect(keyFromId(schema('N'), '')).toBeNull()
    expect(keyFromId(schema('S'), '')).toBeNull()
    expect(keyFromId(schema('S', 'S'), 'no-slash')).toBeNull()
    expect(keyFromId(schema('S', 'N'), 'a/b')).toBeNull()
  })
})

describe('a table’s key', () => {
  it('is read from its description', () => {
    expect(
      keySchemaOf({
        KeySchema: [
          { AttributeName: 'sk', KeyType: 'RANGE' },
          { AttributeName: 'pk', KeyType: 'HASH' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'B' },
          { AttributeName: 'sk', AttributeType: 'N' },
        ],
      }),
    ).toEqual(schema('B', 'N'))
  })

  it('is an error when the server does not tell it', () => {
    expect(() => keySchemaOf(undefined)).toThrow(StoreError)
    expect(() => keySchemaOf({ KeySchema: [] })).toThrow(StoreError)
  })

  it('has random values of every type', () => {
    for (const type of ['S', 'N', 'B'] as const) {
      const key = randomKey(schema(type, type))
      expect(Object.keys(key['pk'] ?? {})).toEqual([type])
      expect(Object.keys(key['sk'] ?? {})).toEqual([type])
    }
  })
})
