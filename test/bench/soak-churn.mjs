import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { Redis } from 'ioredis'
import { createPool } from 'mysql2/promise'

/**
 * Programs that take, renew and give back locks for as long as it lasts, at a steady pace: some keys are used again and again,
 * others have a name that never comes back, and some are never given back. Outages are waited out.
 */
const { redis, mysql, dynamodb } = JSON.parse(process.argv[2])
const seconds = () => Math.floor(Date.now() / 1000)

async function everyMs(ms, work) {
  for (let n = 0; ; n++) {
    await work(n).catch(() => {})
    await sleep(ms)
  }
}

const client = new Redis({ port: redis.port, retryStrategy: () => 200 })
client.on('error', () => {})
void everyMs(20, async n => {
  const key = n % 2 === 0 ? `lock:auction:${n}` : `lock:auction:${n % 400}`
  await client.set(key, randomUUID(), 'PX', 20_000 + (n % 7) * 1000)
  if (n % 3 === 0) await client.del(`lock:auction:${Math.max(0, n - 300)}`)
  if (n % 50 === 0) await client.set(`lock:endless:${n % 500}`, randomUUID())
  if (n % 5 === 0) await client.pexpire(`lock:auction:${n % 400}`, 30_000)
})

const pool = createPool({ host: '127.0.0.1', port: mysql.port, user: 'root', database: mysql.database })
void everyMs(40, async n => {
  const key = n % 2 === 0 ? `PROCESS_${n}` : `PROCESS_${n % 200}`
  await pool.query(
    `REPLACE INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at)
     VALUES (?, ?, ?, UTC_TIMESTAMP(), DATE_ADD(UTC_TIMESTAMP(), INTERVAL ? SECOND))`,
    [key, `${key}_${n}`, n % 30, 20 + (n % 40)],
  )
  if (n % 25 === 0)
    await pool.query(
      'DELETE FROM recargas_process_locks WHERE expires_at <= UTC_TIMESTAMP() - INTERVAL 20 SECOND',
    )
})

const dynamo = new DynamoDBClient({
  region: 'eu-west-1',
  endpoint: dynamodb.endpoint,
  credentials: { accessKeyId: 'other', secretAccessKey: 'other' },
})
void everyMs(300, async n => {
  const item = {
    lock_key: { S: `pipeline:dataset_${n % 60}` },
    owner_id: { S: `run-${n}` },
    acquired_at: { N: String(seconds()) },
    expires_at: { N: String(seconds() + 60) },
  }
  await dynamo.send(new PutItemCommand({ TableName: dynamodb.table, Item: item }))
  if (n % 3 === 0)
    await dynamo.send(
      new DeleteItemCommand({
        TableName: dynamodb.table,
        Key: { lock_key: { S: `pipeline:dataset_${(n + 30) % 60}` } },
      }),
    )
})

// A run that died must not leave it behind.
process.on('disconnect', () => process.exit())
process.send('ready')
