import { type DynamoDBClient, ScanCommand, type ScanCommandOutput } from '@aws-sdk/client-dynamodb'
import type { Redis } from 'ioredis'
import type { Connection } from 'mysql2/promise'

/**
 * The least that listing can cost: the plain client fetching the same records, page by page, without looking at them.
 * Each returns how many there were.
 */

export async function redisFloor(client: Redis, pattern: string): Promise<number> {
  let count = 0
  let cursor = '0'
  do {
    const [next, keys] = await client.scan(cursor, 'MATCH', pattern, 'COUNT', 1000)
    cursor = next
    if (keys.length === 0) continue
    const batch = client.pipeline()
    for (const key of keys) batch.get(key).pttl(key)
    await batch.exec()
    count += keys.length
  } while (cursor !== '0')
  return count
}

export async function mysqlFloor(client: Connection, table: string): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const sql = `SELECT * FROM ${table} WHERE lock_key > ? ORDER BY lock_key LIMIT 1000`
    const [rows] = (await client.query(sql, [after])) as unknown as [{ lock_key: string }[]]
    count += rows.length
    if (rows.length < 1000) return count
    after = rows.at(-1)?.lock_key ?? ''
  }
}

export async function dynamoFloor(client: DynamoDBClient, table: string): Promise<number> {
  let count = 0
  let start: ScanCommandOutput['LastEvaluatedKey']
  do {
    const command: ScanCommand = new ScanCommand({
      TableName: table,
      ConsistentRead: true,
      Limit: 1000,
      ...(start ? { ExclusiveStartKey: start } : {}),
    })
    const page: ScanCommandOutput = await client.send(command)
    count += page.Items?.length ?? 0
    start = page.LastEvaluatedKey
  } while (start)
  return count
}
