import { inject, onTestFinished } from 'vitest'
import { Database, RECHARGE } from '../../core/stores/mysql/database.ts'
import { TestTable } from '../../servers/dynamodb-table.ts'
import { startRedis } from '../../servers/redis.ts'

/** Places for locks that are gone when the test is over, by their addresses. */

export async function privateRedis(): Promise<string> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop('SIGKILL'))
  return `redis://127.0.0.1:${redis.port}/0`
}

/** The table as other programs make it. */
export async function privateTable(): Promise<string> {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  return `mysql://root@127.0.0.1:${database.port}/${database.name}?table=recargas_process_locks`
}

export async function dynamoTable(): Promise<string> {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  onTestFinished(() => table.drop())
  return `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}`
}
