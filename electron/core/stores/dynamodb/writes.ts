import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { StoreError } from '../../lib/errors.ts'
import { unreadable } from '../bad-answer.ts'
import type { Act } from '../fenced-release.ts'
import type { DynamoConnection } from './connect.ts'
import { expressionsOf } from './expression.ts'
import { isAccessDenied, isConditionFailed, isThrottled } from './failure.ts'
import type { DynamoProgram, DynamoRaw } from './format/record.ts'
import { idOf, type KeySchema, keyOf, randomKey } from './format/table-key.ts'
import { itemsFrom } from './items-from.ts'

/** Compares and acts in one conditional write. */
export async function execute(
  connection: DynamoConnection,
  { keySchema, item }: DynamoRaw,
  program: DynamoProgram,
  signal: AbortSignal,
): Promise<Act> {
  const send = (proof: 'ALL_OLD' | 'NONE') => {
    const command = new DeleteItemCommand({
      TableName: connection.table,
      Key: keyOf(keySchema, item),
      ...expressionsOf(program, keySchema.partition.name),
      ReturnValues: proof,
      ReturnConsumedCapacity: 'TOTAL',
    })
    return unlessUnmet(connection.request(command, { operation: 'DeleteItem', effect: 'write' }, signal))
  }
  // The deleted item proves that there was one. A policy may forbid to return it, and a denial proves that nothing happened.
  let mayProve = true
  const answer = await send('ALL_OLD').catch(error => {
    if (!(error instanceof StoreError && isAccessDenied(error.cause))) throw error
    mayProve = false
    return send('NONE')
  })
  if (answer === null) return { outcome: 'not-same' }
  if (!mayProve) return { outcome: 'released', notified: null }
  const [deleted] = itemsFrom(keySchema, [answer.Attributes])
  if (!deleted || idOf(keySchema, deleted) !== idOf(keySchema, item)) throw unreadable('the deleted item')
  return { outcome: 'released', notified: null }
}

/** Writes the item in one conditional write; false if there is one with its key. */
export async function restoreItem(
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
  const request = { operation: 'PutItem', effect: 'write', act: 'the restore' } as const
  return (await unlessUnmet(connection.request(command, request, signal))) !== null
}

/**
 * Whether this account may delete items; null if unknown. AWS has no cheap way to find out, so this sends a delete
 * that cannot do anything: its condition contradicts itself, and no item has its key. Permissions are checked before conditions,
 * so a failed condition means that the account may. It costs one write unit.
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
  // It changes nothing, so it may be aborted and retried like a read.
  const request = { operation: 'DeleteItem', effect: 'read' } as const
  try {
    return (await unlessUnmet(connection.request(command, request, signal))) === null ? true : null
  } catch (error) {
    if (error instanceof StoreError && error.code === 'STORE_DENIED') return false
    if (error instanceof StoreError && isThrottled(error.cause)) return null
    throw error
  }
}

/** Null if the condition of the write failed. */
async function unlessUnmet<T>(write: Promise<T>): Promise<T | null> {
  try {
    return await write
  } catch (error) {
    if (isConditionFailed(error)) return null
    throw error
  }
}
