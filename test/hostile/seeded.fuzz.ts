import { expect, inject, it, onTestFinished } from 'vitest'
import { clusterArena, dynamodbArena, mysqlArena, redisArena } from './arenas.ts'
import { runSeeds } from './seeds.ts'

const CASES = Number(process.env['FUZZ_CASES'] ?? 7000)
const FIRST = Number(process.env['FUZZ_SEED'] ?? 1)

it.each([
  ['Redis', () => redisArena(inject('redisPort'))],
  ['Redis Cluster', clusterArena],
  ['MySQL', mysqlArena],
  ['DynamoDB', () => dynamodbArena(inject('dynamodbEndpoint'))],
])('%s', async (kind, open) => {
  const arena = await open()
  onTestFinished(() => arena.close())
  // A case of a cluster waits for its connections, and there is one at a time.
  const count = kind === 'Redis Cluster' ? Math.ceil(CASES / 10) : CASES
  expect(await runSeeds(arena, FIRST, count)).toEqual([])
})
