import type { RowDataPacket } from 'mysql2/promise'
import { inject, onTestFinished } from 'vitest'
import { Database, RECHARGE } from '../../core/stores/mysql/database.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { TestTable } from '../../servers/dynamodb-table.ts'

type Counted = { readonly held: number; readonly expired: number; readonly endless: number }
export type CountedStore = { readonly address: string; readonly count: () => Promise<Counted> }

/** Some locks in a store of each kind, and how many there are by the store's own client and the rules of who wrote them. */
export async function threeStores(): Promise<Record<'redis' | 'mysql' | 'dynamodb', CountedStore>> {
  return { redis: await inRedis(), mysql: await inMariaDb(), dynamodb: await inDynamoDb() }
}

async function inRedis(): Promise<CountedStore> {
  const { client, address } = await redisPlace()
  const now = Date.now()
  for (let i = 0; i < 30; i++) {
    const [timestamp, expiresAt] = i % 3 === 0 ? [now - 7_200_000, now - 3_600_000] : [now, now + 3_600_000]
    const lock = { lockId: `P_${i}`, pid: i % 4, timestamp, expiresAt }
    await client.set(`lockRecharge:P_${i}`, JSON.stringify(lock))
  }
  for (let i = 0; i < 5; i++) await client.set(`pipeline_lock:acme:job-${i}`, `run-${i}-a`)
  return {
    address,
    async count() {
      const json = await client.mget(await client.keys('lockRecharge:*'))
      const expired = json.filter(text => JSON.parse(text ?? '').expiresAt <= Date.now()).length
      const endless = (await client.keys('pipeline_lock:*')).length
      return { held: json.length - expired, expired, endless }
    },
  }
}

async function inMariaDb(): Promise<CountedStore> {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  const rows = Array.from({ length: 40 }, (_, i) => [
    `P_${i}`,
    `P_${i}_1`,
    i % 4,
    i % 5 === 0 ? -60 : i % 7 === 0 ? null : 60,
  ])
  for (const [key, id, pid, minutes] of rows)
    await database.plain.query(
      'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES (?, ?, ?, NOW() + INTERVAL ? MINUTE)',
      [key, id, pid, minutes],
    )
  return {
    address: `mysql://root@127.0.0.1:${database.port}/${database.name}`,
    async count() {
      const [[counted]] = await database.plain.query<RowDataPacket[]>(
        `SELECT SUM(expires_at > NOW()) AS held, SUM(expires_at <= NOW()) AS expired, SUM(expires_at IS NULL) AS endless
         FROM recargas_process_locks`,
      )
      const number = (name: string) => Number(counted?.[name])
      return { held: number('held'), expired: number('expired'), endless: number('endless') }
    },
  }
}

async function inDynamoDb(): Promise<CountedStore> {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  onTestFinished(() => table.drop())
  const now = Math.floor(Date.now() / 1000)
  await table.putMany(
    Array.from({ length: 20 }, (_, i) => ({
      lock_key: { S: `pipeline:dataset_${i}` },
      owner_id: { S: `run-${i}` },
      acquired_at: { N: String(now - (i % 4 === 0 ? 7200 : 60)) },
      expires_at: { N: String(now + (i % 4 === 0 ? -3600 : 3600)) },
    })),
  )
  return {
    address: `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}`,
    async count() {
      const items = await table.all()
      const expired = items.filter(item => Number(item['expires_at']?.N) < Date.now() / 1000).length
      return { held: items.length - expired, expired, endless: 0 }
    },
  }
}
