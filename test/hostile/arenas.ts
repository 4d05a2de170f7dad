import { Redis } from 'ioredis'
import type { Connection } from 'mysql2/promise'
import { createDynamoProvider } from '../../electron/core/locks/dynamodb/provider.ts'
import { createMysqlProvider } from '../../electron/core/locks/mysql/provider.ts'
import type { Provider } from '../../electron/core/locks/provider.ts'
import { createRedisProvider } from '../../electron/core/locks/redis/provider.ts'
import type { DynamoAddress } from '../../electron/core/stores/dynamodb/address.ts'
import type { MysqlAddress } from '../../electron/core/stores/mysql/address.ts'
import type { RedisAddress } from '../../electron/core/stores/redis/address.ts'
import { parseAddress } from '../../shared/address.ts'
import { Database, RECHARGE } from '../core/stores/mysql/database.ts'
import type { Random } from '../random.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startRedis } from '../servers/redis.ts'
import type { Protocol } from './mutate.ts'

/** A real server with locks of its own, which a test reaches directly, and others through a port. */
export type Arena = {
  readonly protocol: Protocol
  readonly port: number
  address(port: number, random: Random): string
  provider(port: number): Provider
  /** Makes a lock that nobody else changes. Returns its id. */
  put(name: string, random: Random): Promise<string>
  has(id: string): Promise<boolean>
  close(): Promise<void>
  /** Cases at a time, if not many. */
  readonly atOnce?: number
  /** Called with the port through which the next operation goes. */
  announce?(port: number): Promise<unknown>
}

const OPTIONS = { format: null, fencing: undefined }
const ENDS_MS = 3_600_000

export async function redisArena(port: number): Promise<Arena> {
  const admin = new Redis({ port })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  const client = new Redis({ port, db })
  await client.flushdb()
  // Without scripts everything is read and released by single commands.
  await admin.call('ACL', ['SETUSER', 'scriptless', 'on', '>secret', '~*', '&*', '+@all', '-@scripting'])
  return {
    protocol: 'redis',
    port,
    address(through, random) {
      const user = random.below(4) === 0 ? 'scriptless:secret@' : ''
      const query = random.pick(['', '?match=*', '?match=lock:*'])
      return `redis://${user}127.0.0.1:${through}/${db}${query}`
    },
    provider: through =>
      createRedisProvider(parseAddress(`redis://127.0.0.1:${through}/${db}`) as RedisAddress, OPTIONS),
    async put(name, random) {
      const thread = '6f4ae6a5-93b4-4ab1-9e9c-3a3a1c7dcd01:77'
      if (random.below(3) > 0) {
        await client.set(`lock:${name}`, '7fcd75c2e17311f1a98102fc00000001', 'PX', ENDS_MS)
        return `lock:${name}`
      }
      await client.hset(name, thread, 1)
      await client.zadd(`redisson_lock_timeout:{${name}}`, 1, thread)
      return name
    },
    has: async id => (await client.exists(id)) === 1,
    async close() {
      await client.flushdb()
      client.disconnect()
      admin.disconnect()
    },
  }
}

/** One node of a cluster, which tells its clients to come through the port that they came through. One case at a time. */
export async function clusterArena(): Promise<Arena> {
  const args = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1', '--databases', '1']
  const server = await startRedis({ args })
  const client = new Redis({ port: server.port })
  await client.call('CLUSTER', ['ADDSLOTSRANGE', 0, 16_383])
  while (!String(await client.call('CLUSTER', ['INFO'])).includes('cluster_state:ok'))
    await new Promise(resolve => setTimeout(resolve, 20))
  const address = (through: number) => `redis+cluster://127.0.0.1:${through}`
  const announce = (through: number) => client.config('SET', 'cluster-announce-port', through)
  return {
    protocol: 'redis',
    port: server.port,
    atOnce: 1,
    announce,
    address,
    provider: through => createRedisProvider(parseAddress(address(through)) as RedisAddress, OPTIONS),
    async put(name) {
      await announce(server.port)
      await client.set(`lock:${name}`, '7fcd75c2e17311f1a98102fc00000001', 'PX', ENDS_MS)
      return `lock:${name}`
    },
    has: async id => (await client.exists(id)) === 1,
    async close() {
      client.disconnect()
      await server.stop('SIGKILL')
    },
  }
}

export async function mysqlArena(): Promise<Arena> {
  const database = await Database.create()
  const { plain, name: schema, port } = database
  await plain.query(RECHARGE)
  const address = (through: number) => `mysql://root@127.0.0.1:${through}/${schema}`
  return {
    protocol: 'mysql',
    port,
    address,
    provider: through => createMysqlProvider(parseAddress(address(through)) as MysqlAddress, OPTIONS),
    async put(name) {
      const insert =
        'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES (?, ?, 7, UTC_TIMESTAMP() + INTERVAL 1 HOUR)'
      await plain.execute(insert, [name, `owner of ${name}`])
      return name
    },
    has: id => hasRow(plain, id),
    close: () => database.drop(),
  }
}

async function hasRow(plain: Connection, id: string): Promise<boolean> {
  const [rows] = await plain.execute('SELECT 1 FROM recargas_process_locks WHERE lock_key = ?', [id])
  return (rows as unknown[]).length === 1
}

export async function dynamodbArena(endpoint: string): Promise<Arena> {
  const table = await TestTable.create(endpoint)
  const address = (through: number) =>
    `dynamodb://eu-west-1/${table.name}?endpoint=http://127.0.0.1:${through}`
  return {
    protocol: 'dynamodb',
    port: Number(new URL(endpoint).port),
    address,
    provider: through => createDynamoProvider(parseAddress(address(through)) as DynamoAddress, OPTIONS),
    async put(name) {
      await table.put({
        lock_key: { S: name },
        owner_id: { S: `owner of ${name}` },
        expires_at: { N: String(Math.round((Date.now() + ENDS_MS) / 1000)) },
        acquired_at: { N: String(Math.round(Date.now() / 1000)) },
      })
      return name
    },
    has: async id => (await table.get({ lock_key: { S: id } })) != null,
    close: () => table.drop(),
  }
}
