import { describe, expect, it } from 'vitest'
import { expressionsOf } from '../../../../electron/core/stores/dynamodb/expression.ts'

describe('expressions', () => {
  it('contain nothing but aliases', () => {
    const hostile = 'owner = :v0 OR attribute_exists(x)'
    const built = expressionsOf({ guards: [{ attribute: hostile, seen: { S: '" OR 1' } }] }, 'key')
    expect(built).toEqual({
      ConditionExpression: 'attribute_exists(#n0) AND #n1 = :v0',
      ExpressionAttributeNames: { '#n0': 'key', '#n1': hostile },
      ExpressionAttributeValues: { ':v0': { S: '" OR 1' } },
    })
  })

  it('always require the item to exist, and omit an empty map of values', () => {
    expect(expressionsOf({ guards: [{ attribute: 'owner', seen: null }] }, 'key')).toEqual({
      ConditionExpression: 'attribute_exists(#n0) AND attribute_not_exists(#n1)',
      ExpressionAttributeNames: { '#n0': 'key', '#n1': 'owner' },
    })
  })

  it('use one alias for each name however often it is compared', () => {
    const guards = [
      { attribute: 'guid', seen: { B: Uint8Array.of(1) } },
      { attribute: 'key', seen: { S: 'a' } },
    ]
    const built = expressionsOf({ guards }, 'key')
    expect(built.ConditionExpression).toBe('attribute_exists(#n0) AND #n1 = :v0 AND #n0 = :v1')
    expect(built.ExpressionAttributeNames).toEqual({ '#n0': 'key', '#n1': 'guid' })
  })
})
