import { expect, inject, it, onTestFinished } from 'vitest'
import { dynamodbArena, mysqlArena, redisArena } from './arenas.ts'
import { runSeeds } from './seeds.ts'

it.each([
  ['Redis', 300, () => redisArena(inject('redisPort'))],
  ['MySQL', 150, mysqlArena],
  ['DynamoDB', 100, () => dynamodbArena(inject('dynamodbEndpoint'))],
] as const)(
  'no mutation of what %s answers ends the process, misleads or is a bug',
  async (_, count, open) => {
    const arena = await open()
    onTestFinished(() => arena.close())
    expect(await runSeeds(arena, 1, count)).toEqual([])
  },
)
