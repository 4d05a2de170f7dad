import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoConnection } from './connect.ts'
import { isConditionFailed } from './failure.ts'
import type { DynamoRaw } from './format/record.ts'

/** Writes the item only if there is none with its key, in one conditional write: whether it did. */
export async function restoreRecord(
  connection: DynamoConnection,
  { keySchema, item }: DynamoRaw,
  signal: AbortSignal,
): Promise<boolean> {
  const command = new PutItemCommand({
    TableName: connection.table,
    Item: item,
    ConditionExpression: 'attribute_not_exists(#n0)',
    ExpressionAttributeNames: { '#n0': keySchema.partition.name },
    ReturnConsumedCapacity: 'TOTAL',
  })
  try {
    await connection.send(
      { operation: 'PutItem', effect: 'write', act: 'putting it back' },
      options => connection.client.send(command, options),
      signal,
    )
    return true
  } catch (error) {
    if (isConditionFailed(error)) return false
    throw error
  }
}
