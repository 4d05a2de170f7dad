import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { inject, onTestFinished } from 'vitest'
import { TestTable } from '../servers/dynamodb-table.ts'

/** A table of its own on the shared emulator, for the length of one test. */
export async function dynamoTable(
  key: string,
): Promise<{ client: DynamoDBClient; table: string; address: string }> {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint, [[key, 'S']])
  onTestFinished(() => table.drop())
  return {
    client: table.client,
    table: table.name,
    address: `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}`,
  }
}
