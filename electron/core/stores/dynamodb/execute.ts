import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { Act } from '../fenced-release.ts'
import type { DynamoConnection } from './connect.ts'
import { expressionsOf } from './expression.ts'
import { isConditionFailed } from './failure.ts'
import type { DynamoProgram, DynamoRaw } from './format/record.ts'
import { keyOf } from './format/table-key.ts'

/** Compares and acts in one conditional write. */
export async function execute(
  connection: DynamoConnection,
  raw: DynamoRaw,
  program: DynamoProgram,
  signal: AbortSignal,
): Promise<Act> {
  const input = {
    TableName: connection.table,
    Key: keyOf(raw.keySchema, raw.item),
    ...expressionsOf(program, raw.keySchema.partition.name),
    ReturnConsumedCapacity: 'TOTAL' as const,
  }
  const { client } = connection
  try {
    if (program.op === 'delete')
      await connection.send(
        { operation: 'DeleteItem', effect: 'write' },
        options => client.send(new DeleteItemCommand(input), options),
        signal,
      )
    else
      await connection.send(
        { operation: 'UpdateItem', effect: 'write' },
        options => client.send(new UpdateItemCommand(input), options),
        signal,
      )
    return { outcome: 'released', notified: null }
  } catch (error) {
    if (isConditionFailed(error)) return { outcome: 'not-same' }
    throw error
  }
}
