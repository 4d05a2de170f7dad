import { CreateTableCommand, DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { inject, onTestFinished } from 'vitest'

/** A table of its own on the shared emulator, for the length of one test. */
export async function dynamoTable(
  key: string,
): Promise<{ client: DynamoDBClient; table: string; address: string }> {
  const endpoint = inject('dynamodbEndpoint')
  const client = new DynamoDBClient({
    endpoint,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })
  const table = `cli-${Date.now()}-${Math.floor(Math.random() * 1e9)}`
  await client.send(
    new CreateTableCommand({
      TableName: table,
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  )
  onTestFinished(async () => {
    await client.send(new DeleteTableCommand({ TableName: table }))
    client.destroy()
  })
  return { client, table, address: `dynamodb://eu-west-1/${table}?endpoint=${endpoint}` }
}
