import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { inject } from 'vitest'
import { createMysqlTable, populateDynamo, populateMysql, populateRedis } from '../bench/populate.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startRedis } from '../servers/redis.ts'
import type { GivenStore } from './console.ts'

/** So many locks in each of a Redis, a MariaDB and a DynamoDB. */
export async function manyLocks(
  each: number,
): Promise<{ stores: readonly GivenStore[]; close: () => Promise<void> }> {
  const redis = await startRedis()
  const client = new Redis({ port: redis.port })
  await populateRedis(client, 'locks', each)
  client.disconnect()
  const port = inject('mariadbPort')
  const name = `many_${randomUUID().replaceAll('-', '')}`
  const sql = await createConnection({ host: '127.0.0.1', port, user: 'root' })
  await sql.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
  await sql.query(`USE ${name}`)
  await createMysqlTable(sql)
  await populateMysql(sql, each)
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  await populateDynamo(table, each)
  return {
    stores: [
      { name: 'cache', address: `redis://127.0.0.1:${redis.port}/0` },
      { name: 'orders', address: `mysql://root@127.0.0.1:${port}/${name}` },
      { name: 'pipelines', address: `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}` },
    ],
    async close() {
      await sql.query(`DROP DATABASE ${name}`)
      await sql.end()
      await table.drop()
      await redis.stop('SIGKILL')
    },
  }
}
