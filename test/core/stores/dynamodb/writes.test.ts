import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { DynamoConnection } from '../../../../electron/core/stores/dynamodb/connect.ts'
import type { DynamoProgram } from '../../../../electron/core/stores/dynamodb/format/record.ts'
import { execute } from '../../../../electron/core/stores/dynamodb/writes.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal
const key = { key: { S: 'lock-1' } }
const item = { ...key, guid: { B: Uint8Array.of(1, 2) }, fencingToken: { N: '7' }, data: { S: 'x' } }

describe('a release in DynamoDB', () => {
  let table: TestTable
  let connection: DynamoConnection

  beforeAll(async () => {
    table = await TestTable.create(inject('dynamodbEndpoint'), [['key', 'S']])
    connection = new DynamoConnection(table.address())
  })
  afterAll(async () => {
    connection.close()
    await table.drop()
  })
  beforeEach(() => table.put(item))

  function run(program: DynamoProgram) {
    const keySchema = { partition: { name: 'key', type: 'S' as const }, sort: null }
    return execute(connection, { keySchema, item, readAt: 0 }, program, never)
  }

  it('deletes the item as it was seen, once', async () => {
    const guards = [{ attribute: 'guid', seen: item.guid }]
    expect(await run({ guards })).toEqual({ outcome: 'released', notified: null })
    expect(await table.get(key)).toBeNull()
    expect(await run({ guards })).toEqual({ outcome: 'not-same' })
  })

  it('releases nothing when the item is gone, even if only absent attributes are compared', async () => {
    await table.delete(key)
    expect(await run({ guards: [{ attribute: 'owner', seen: null }] })).toEqual({ outcome: 'not-same' })
    expect(await table.get(key)).toBeNull()
  })

  it('leaves an item alone that has an attribute which was not there', async () => {
    expect(await run({ guards: [{ attribute: 'data', seen: null }] })).toEqual({
      outcome: 'not-same',
    })
    expect(await table.get(key)).not.toBeNull()
  })
})
