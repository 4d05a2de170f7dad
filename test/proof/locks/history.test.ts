import { expect, onTestFinished, test } from 'vitest'
import { startRedis } from '../../servers/redis.ts'
import { judgeHistory, type Traits, type Verdict } from './judge-history.ts'
import { dynamoTable, privateRedis, privateTable } from './places.ts'
import { type Play, playHistory } from './run-history.ts'

/** Long enough that every kind of trouble happens; a hundred thousand operations are in the benchmarks. */
const SHORT: Omit<Play, 'address'> = {
  ...{ operations: 1500, processes: 4, loops: 3, keys: 12, ttlMs: 1000, troubleEveryMs: 150, seed: 7 },
}

async function prove(play: Play, traits: Traits = { lateMs: 0 }): Promise<Verdict['counts']> {
  const { attempts, kills, pauses } = await playHistory(play)
  const { wrongs, counts } = judgeHistory(attempts, traits)
  expect(wrongs).toEqual([])
  expect(counts.operations).toBeGreaterThan(play.operations / 2)
  // A history in which nobody was in anybody's way, or nothing went wrong, would prove nothing.
  expect(counts.refused).toBeGreaterThan(30)
  expect(counts.guarded).toBeGreaterThan(30)
  // Programs that are paused fail now and then; a store that fails them all would prove nothing either.
  expect(counts.failed).toBeLessThan(counts.taken / 2)
  if (play.troubleEveryMs !== null) {
    expect(kills).toBeGreaterThan(0)
    expect(pauses).toBeGreaterThan(0)
  }
  return counts
}

/** The programs stop after so many operations, however long a busy machine takes for them. */
const LIMIT_MS = 900_000

test.each(['recharge-json', 'flask-cache'])(
  'nobody shares a lock in Redis, written as %s, though programs are killed and paused',
  async format => {
    await prove({ ...SHORT, address: await privateRedis(), options: { format } })
  },
  LIMIT_MS,
)

test(
  'no two holders share a lock in MariaDB',
  async () => {
    // Whole seconds: one that has run out may be there for another one.
    await prove({ ...SHORT, address: await privateTable() }, { lateMs: 2000 })
  },
  LIMIT_MS,
)

test(
  'no two holders share a lock in DynamoDB, and its numbers rise',
  async () => {
    const counts = await prove(
      { ...SHORT, address: await dynamoTable(), options: { fencing: true } },
      { lateMs: 4000, inSteps: true },
    )
    expect(counts.taken).toBeGreaterThan(100)
  },
  LIMIT_MS,
)

test(
  'no two holders share a lock in memory',
  async () => {
    await prove({ ...SHORT, address: 'memory:history', processes: 1, loops: 12, troubleEveryMs: null })
  },
  LIMIT_MS,
)

test(
  'no two holders share a lock on three masters while one is killed',
  async () => {
    const masters = await Promise.all([startRedis(), startRedis(), startRedis()])
    onTestFinished(async () => void (await Promise.all(masters.map(each => each.stop('SIGKILL')))))
    const address = masters.map(({ port }) => `redis://127.0.0.1:${port}/0`)
    const meanwhile = async () => masters[2].stop('SIGKILL')
    await prove({ ...SHORT, address, operations: 1000, meanwhile }, { lateMs: 2000, inSteps: true })
  },
  LIMIT_MS,
)

test.each<[string, () => Promise<string>, Play['options'], number]>([
  ['Redis JSON', privateRedis, { format: 'recharge-json' }, 0],
  ['Redis runs of pipelines', privateRedis, { format: 'pipeline-run' }, 0],
  ['a MariaDB table', privateTable, {}, 2000],
  ['a DynamoDB table', dynamoTable, {}, 4000],
])(
  'no two holders share a lock in %s with programs that use their own statements',
  async (_, address, options, lateMs) => {
    await prove({ ...SHORT, address: await address(), options: options ?? {}, others: 'some' }, { lateMs })
  },
  LIMIT_MS,
)

test(
  'a careless lock manager is detected',
  async () => {
    const address = await privateRedis()
    const { attempts } = await playHistory({
      ...{ ...SHORT, address, operations: 2000, keys: 2, troubleEveryMs: null, others: 'all' },
      options: { format: 'careless' },
    })
    expect(judgeHistory(attempts, { lateMs: 60_000 }).wrongs.join()).toContain('both held it')
  },
  LIMIT_MS,
)
