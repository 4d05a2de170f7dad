import type { TestProject } from 'vitest/node'
import { startDynamoDb } from './dynamodb.ts'
import { startMariaDb } from './mariadb.ts'
import { startRedis } from './redis.ts'

/** One server of each kind for the whole run. Tests make their own database or table in them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const starting = [startRedis(), startMariaDb(), startDynamoDb()] as const
  const [redis, mariadb, dynamodb] = await Promise.all(starting).catch(async error => {
    // One that does not start must not leave the others running.
    const [redis, mariadb, dynamodb] = await Promise.allSettled(starting)
    if (redis.status === 'fulfilled') await redis.value.stop('SIGKILL')
    if (mariadb.status === 'fulfilled') await mariadb.value.close()
    if (dynamodb.status === 'fulfilled') await dynamodb.value.close()
    throw error
  })
  project.provide('redisPort', redis.port)
  project.provide('mariadbPort', mariadb.port)
  project.provide('dynamodbEndpoint', dynamodb.endpoint)
  return async () => {
    await Promise.all([redis.stop('SIGKILL'), mariadb.close(), dynamodb.close()])
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    redisPort: number
    mariadbPort: number
    dynamodbEndpoint: string
  }
}
