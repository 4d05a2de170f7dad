import { describe, expect, it } from 'vitest'
import {
  attribute,
  attributeBytes,
  fieldsOf,
  seenPart,
  typeName,
} from '../../../../../electron/core/stores/dynamodb/format/attribute.ts'

describe('attributes', () => {
  it('are found by their own name only', () => {
    expect(attribute({}, 'constructor')).toBeNull()
    expect(attribute({ constructor: { S: 'x' } } as never, 'constructor')).toEqual({ S: 'x' })
  })

  it('are the same to the fence however the server orders maps and sets, and no two values alike', () => {
    const part = (value: object) => seenPart(value as never)
    expect(part({ M: { x: { N: '1' }, y: { SS: ['a', 'b'] } } })).toBe(
      part({ M: { y: { SS: ['b', 'a'] }, x: { N: '1' } } }),
    )
    const values = [
      { S: '1' },
      { N: '1' },
      { BOOL: true },
      { NULL: true },
      { B: Buffer.from('1') },
      { L: [] },
    ]
    expect(new Set(values.map(part)).size).toBe(values.length)
    expect(seenPart(null)).toBeNull()
  })

  it('are shown as they are: text, digits, bytes, and JSON for the rest', () => {
    expect(attributeBytes({ S: 'é' }).toString()).toBe('é')
    expect(attributeBytes({ N: '1e30' }).toString()).toBe('1e30')
    expect(attributeBytes({ B: Uint8Array.of(255, 0) })).toEqual(Buffer.from([255, 0]))
    expect(attributeBytes({ L: [{ B: Uint8Array.of(255) }] }).toString()).toBe('{"L":[{"B":"/w=="}]}')
  })

  it('are fields that keep long numbers whole', () => {
    const fields = fieldsOf(
      {
        a: { N: '12345678901234567890' },
        b: { N: '7' },
        c: { BOOL: false },
        d: { NULL: true },
        e: { N: 'NaN' },
      },
      ['b'],
    )
    expect(fields).toEqual({ a: '12345678901234567890', c: false, d: null, e: 'NaN' })
  })

  it('have types with names', () => {
    expect(typeName({ SS: [] })).toBe('a set of strings')
    expect(typeName({ $unknown: ['X', 1] } as never)).toBe('an unknown type')
  })
})
