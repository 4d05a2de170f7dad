import { describe, expect, it } from 'vitest'
import { itemsFrom } from '../../../../electron/core/stores/dynamodb/items-from.ts'

const schema = { partition: { name: 'lock_key', type: 'S' as const }, sort: null }
const key = { lock_key: { S: 'a' } }

describe('the items of an answer', () => {
  it('pass with every type, known or new', () => {
    const item = {
      ...key,
      a: { N: '1' },
      b: { B: Uint8Array.of(1) },
      c: { M: { x: { L: [{ SS: ['y'] }, { NULL: true }] } } },
      d: { BS: [Uint8Array.of(1)] },
      e: { $unknown: ['X', 1] },
    }
    expect(itemsFrom(schema, [item])).toEqual([item])
  })

  it('lose attributes whose value the SDK lost, and nothing else', () => {
    expect(itemsFrom(schema, [{ ...key, gone: undefined }])).toEqual([key])
  })

  it.each([
    {},
    'abc',
    null,
    [null],
    ['x'],
    [{}],
    [{ lock_key: null }],
    [{ lock_key: { N: '1' } }],
    [{ lock_key: { S: 5 } }],
    [{ ...key, owner_id: { S: {} } }],
    [{ ...key, owner_id: 'x' }],
    [{ ...key, owner_id: { M: 5 } }],
    [{ ...key, owner_id: { L: 'x' } }],
    [{ ...key, owner_id: { L: [{ S: 1 }] } }],
    [{ ...key, owner_id: { SS: [1] } }],
  ])('are refused when they are not what DynamoDB sends: %j', items => {
    expect(() => itemsFrom(schema, items)).toThrow(expect.objectContaining({ code: 'STORE_ERROR' }))
  })
})
