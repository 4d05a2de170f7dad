import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { StoreError } from '../../lib/errors.ts'
import type { DynamoConnection } from './connect.ts'
import { isConditionFailed, isThrottled } from './failure.ts'
import { type KeySchema, randomKey } from './format/table-key.ts'

/**
 * Whether this account may delete items; null when it cannot be told now. AWS has no cheap question for it, so a delete
 * is sent that cannot do anything: the condition contradicts itself, whatever the item, and the key is nobody's.
 * Permissions are checked before conditions, so a failed condition means that the account may. It costs one write unit.
 */
export async function mayRelease(
  connection: DynamoConnection,
  schema: KeySchema,
  signal: AbortSignal,
): Promise<boolean | null> {
  const command = new DeleteItemCommand({
    TableName: connection.table,
    Key: randomKey(schema),
    ConditionExpression: 'attribute_exists(#n0) AND attribute_not_exists(#n0)',
    ExpressionAttributeNames: { '#n0': schema.partition.name },
    ReturnConsumedCapacity: 'TOTAL',
  })
  try {
    await connection.send(
      // It changes nothing, so it may be stopped and sent again like a read.
      { operation: 'DeleteItem', effect: 'read' },
      options => connection.client.send(command, options),
      signal,
    )
    return null
  } catch (error) {
    if (isConditionFailed(error)) return true
    if (error instanceof StoreError && error.code === 'STORE_DENIED') return false
    if (error instanceof StoreError && isThrottled(error.cause)) return null
    throw error
  }
}
