import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'

/** The pipelines' own conditional writes. */
export async function connect({ endpoint, table }) {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true'
  const credentials = { accessKeyId: 'other', secretAccessKey: 'other' }
  const client = new DynamoDBClient({ region: 'eu-west-1', endpoint, credentials, maxAttempts: 1 })
  const did = async command => {
    try {
      await client.send(command)
      return true
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    }
  }
  const inHours = hours => ({ N: String(Math.floor(Date.now() / 1000) + hours * 3600) })
  const mine = token => ({
    ConditionExpression: 'owner_id = :mine',
    ExpressionAttributeValues: { ':mine': { S: token } },
  })
  return {
    take: (key, token) =>
      did(
        new PutItemCommand({
          TableName: table,
          Item: {
            lock_key: { S: key },
            owner_id: { S: token },
            expires_at: inHours(1),
            acquired_at: inHours(0),
          },
          ConditionExpression: 'attribute_not_exists(lock_key)',
        }),
      ),
    letGo: (key, token) =>
      did(new DeleteItemCommand({ TableName: table, Key: { lock_key: { S: key } }, ...mine(token) })),
    renew: (key, token) =>
      did(
        new UpdateItemCommand({
          TableName: table,
          Key: { lock_key: { S: key } },
          UpdateExpression: 'SET expires_at = :end',
          ConditionExpression: 'owner_id = :mine',
          ExpressionAttributeValues: { ':mine': { S: token }, ':end': inHours(2) },
        }),
      ),
    ownerOf: async key => {
      const command = new GetItemCommand({
        TableName: table,
        Key: { lock_key: { S: key } },
        ConsistentRead: true,
      })
      return (await client.send(command)).Item?.owner_id?.S ?? null
    },
    close: async () => client.destroy(),
  }
}
