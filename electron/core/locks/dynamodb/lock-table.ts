import {
  CreateTableCommand,
  DescribeTableCommand,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import type { DynamoConnection } from '../../stores/dynamodb/connect.ts'
import { keySchemaOf } from '../../stores/dynamodb/format/table-key.ts'
import { END, KEY } from './lock-item.ts'

const POLL_MS = 250
/** DynamoDB takes some seconds to create a table. */
const PATIENCE_MS = MINUTE_MS

/** Creates the table if it is missing, and waits until it is ready. Many processes may call it at once. */
export async function setUpTable(connection: DynamoConnection, signal: AbortSignal): Promise<void> {
  const start = performance.now()
  let table = await describe(connection, signal)
  let isOurs = false
  while (table?.TableStatus !== 'ACTIVE' && table?.TableStatus !== 'UPDATING') {
    if (performance.now() - start > PATIENCE_MS)
      throw new StoreError('STORE_ERROR', `The table ${connection.table} is still not ready for use`)
    // In every round: a table of this name may have been in deletion before.
    if (table === null && (await createTable(connection, signal))) isOurs = true
    await sleep(POLL_MS, signal)
    throwIfAborted(signal)
    table = await describe(connection, signal)
  }
  const { partition, sort } = keySchemaOf(table)
  if (partition.name !== KEY || partition.type !== 'S' || sort !== null)
    throw new StoreError(
      'UNSUPPORTED',
      `The table ${connection.table} cannot hold these locks: its key is not the string ${KEY} alone`,
    )
  if (isOurs) await removeExpiredItems(connection, signal)
}

async function describe(connection: DynamoConnection, signal: AbortSignal): Promise<TableDescription | null> {
  const command = new DescribeTableCommand({ TableName: connection.table })
  try {
    return (await connection.read('DescribeTable', command, signal)).Table ?? null
  } catch (error) {
    if (error instanceof StoreError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/** Whether this process created it. */
async function createTable(connection: DynamoConnection, signal: AbortSignal): Promise<boolean> {
  const command = new CreateTableCommand({
    TableName: connection.table,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: KEY, KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: KEY, AttributeType: 'S' }],
  })
  const request = { operation: 'CreateTable', effect: 'write', act: 'making the table' } as const
  try {
    await connection.request(command, request, signal)
    return true
  } catch (error) {
    // Another process is creating it.
    const { cause } = error as { readonly cause?: unknown }
    if (cause instanceof Error && cause.name === 'ResourceInUseException') return false
    throw error
  }
}

/** Lets DynamoDB remove items days after their expiry. Optional: the account may not, or the emulator cannot. */
async function removeExpiredItems(connection: DynamoConnection, signal: AbortSignal): Promise<void> {
  const command = new UpdateTimeToLiveCommand({
    TableName: connection.table,
    TimeToLiveSpecification: { AttributeName: END, Enabled: true },
  })
  const request = { operation: 'UpdateTimeToLive', effect: 'write' } as const
  await connection.request(command, request, signal).catch(() => {})
}
