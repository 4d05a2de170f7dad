import type { RowDataPacket } from 'mysql2/promise'
import { inject, onTestFinished } from 'vitest'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { Database, RECHARGE } from '../../stores/mysql/database.ts'
import { redisPlace } from '../../stores/redis/place.ts'

export type Provider = 'redis' | 'mysql' | 'dynamodb'

/** A place of its own on a real server, and a program that takes locks there with that server's own client. */
export type WorkPlace = {
  readonly kind: Provider
  readonly address: string
  /** Also extends it. A negative time is a lock that ran out and is still stored. */
  hold(name: string, owner?: string, forMs?: number): Promise<void>
  free(name: string): Promise<void>
  names(): Promise<string[]>
}

const HOUR = 3_600_000

/** Acquires one lock after another, as workers do, until the switch has seen enough. */
export async function acquireUntil(place: WorkPlace, isEnough: () => boolean): Promise<void> {
  for (let n = 0; !isEnough(); n++) {
    await place.hold(`JOB_${n}`, 'w2')
    await new Promise(resolve => setTimeout(resolve, 300))
    if (n > 100) throw new Error('The switch sees no lock')
  }
}

export function workPlace(kind: Provider): Promise<WorkPlace> {
  return { redis: inRedis, mysql: inMariaDb, dynamodb: inDynamoDb }[kind]()
}

async function inRedis(): Promise<WorkPlace> {
  const { client, address } = await redisPlace()
  return {
    kind: 'redis',
    address,
    async hold(name, owner = 'w1', forMs = HOUR) {
      const now = Date.now()
      const lock = { lockId: owner, pid: 7, timestamp: now, expiresAt: now + forMs }
      await client.set(`lockRecharge:${name}`, JSON.stringify(lock))
    },
    free: async name => void (await client.del(`lockRecharge:${name}`)),
    names: async () =>
      (await client.keys('lockRecharge:*')).map(key => key.replace('lockRecharge:', '')).sort(),
  }
}

async function inMariaDb(): Promise<WorkPlace> {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  return {
    kind: 'mysql',
    address: `mysql://root@127.0.0.1:${database.port}/${database.name}`,
    async hold(name, owner = 'w1', forMs = HOUR) {
      await database.plain.query(
        `REPLACE INTO recargas_process_locks (lock_key, lock_id, pid, expires_at)
         VALUES (?, ?, 7, NOW() + INTERVAL ? SECOND)`,
        [name, owner, Math.round(forMs / 1000)],
      )
    },
    async free(name) {
      await database.plain.query('DELETE FROM recargas_process_locks WHERE lock_key = ?', [name])
    },
    async names() {
      const [rows] = await database.plain.query<RowDataPacket[]>(
        'SELECT lock_key FROM recargas_process_locks ORDER BY lock_key',
      )
      return rows.map(row => String(row['lock_key']))
    },
  }
}

async function inDynamoDb(): Promise<WorkPlace> {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  onTestFinished(() => table.drop())
  return {
    kind: 'dynamodb',
    address: `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}`,
    async hold(name, owner = 'w1', forMs = HOUR) {
      const now = Math.floor(Date.now() / 1000)
      await table.put({
        lock_key: { S: name },
        owner_id: { S: owner },
        acquired_at: { N: String(now) },
        expires_at: { N: String(now + Math.round(forMs / 1000)) },
      })
    },
    free: name => table.delete({ lock_key: { S: name } }),
    names: async () => (await table.all()).map(item => item['lock_key']?.S ?? '').sort(),
  }
}
