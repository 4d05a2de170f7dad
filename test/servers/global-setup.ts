import type { TestProject } from 'vitest/node'
import { startDynamoDb } from './dynamodb.ts'
import { startMariaDb } from './mariadb.ts'
import { startRedis } from './redis.ts'

/** One server of each kind for the whole run. Tests make their own database or table in them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [redis, mariadb, dynamodb] = await Promise.all([startRedis(), startMariaDb(), startDynamoDb()])
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
