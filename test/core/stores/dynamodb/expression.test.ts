import { describe, expect, it } from 'vitest'
import { expressionsOf } from '../../../../electron/core/stores/dynamodb/expression.ts'

describe('expressions', () => {
  it('name nothing and carry nothing but aliases', () => {
    const hostile = 'owner = :v0 OR attribute_exists(x)'
    const built = expressionsOf(
      { op: 'delete', guards: [{ attribute: hostile, seen: { S: '" OR 1' } }] },
      'key',
    )
    expect(built).toEqual({
      ConditionExpression: 'attribute_exists(#n0) AND #n1 = :v0',
      ExpressionAttributeNames: { '#n0': 'key', '#n1': hostile },
      ExpressionAttributeValues: { ':v0': { S: '" OR 1' } },
    })
  })

  it('always demand that the item exists, and leave out an empty map of values', () => {
    expect(expressionsOf({ op: 'delete', guards: [{ attribute: 'owner', seen: null }] }, 'key')).toEqual({
      ConditionExpression: 'attribute_exists(#n0) AND attribute_not_exists(#n1)',
      ExpressionAttributeNames: { '#n0': 'key', '#n1': 'owner' },
    })
  })

  it('set and remove, with one alias for each name however often it is used', () => {
    const built = expressionsOf(
      {
        op: 'update',
        guards: [{ attribute: 'guid', seen: { B: Uint8Array.of(1) } }],
        set: { leaseDurationMs: { N: '1' }, guid: { B: Uint8Array.of(2) } },
        remove: ['data'],
      },
      'key',
    )
    expect(built.ConditionExpression).toBe('attribute_exists(#n0) AND #n1 = :v0')
    expect(built.UpdateExpression).toBe('SET #n2 = :v1, #n1 = :v2 REMOVE #n3')
    expect(built.ExpressionAttributeNames).toEqual({
      '#n0': 'key',
      '#n1': 'guid',
      '#n2': 'leaseDurationMs',
      '#n3': 'data',
    })
  })
})
