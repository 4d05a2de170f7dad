import { afterAll, expect, it, onTestFinished } from 'vitest'
import { judgeHistory } from '../proof/locks/judge-history.ts'
import { dynamoTable, privateRedis, privateTable } from '../proof/locks/places.ts'
import { type Play, playHistory } from '../proof/locks/run-history.ts'
import { startRedis } from '../servers/redis.ts'
import { printResults, record } from './table.ts'

/** LOCKKEEPER_HISTORY_OPERATIONS for a shorter look at whether it still runs. */
const OPERATIONS = Number(process.env['LOCKKEEPER_HISTORY_OPERATIONS'] ?? 100_000)

afterAll(() => printResults('Histories of locks, with programs killed and paused'))

async function masters(): Promise<string[]> {
  const servers = await Promise.all([startRedis(), startRedis(), startRedis()])
  onTestFinished(async () => void (await Promise.all(servers.map(each => each.stop('SIGKILL')))))
  return servers.map(({ port }) => `redis://127.0.0.1:${port}/0`)
}

type Case = [title: string, address: () => Promise<Play['address']>, options: Play['options'], lateMs: number]

it.each<Case>([
  ['Redis', privateRedis, { format: 'recharge-json' }, 0],
  ['Redis, token with Pub/Sub', privateRedis, { format: 'pubsub-token' }, 0],
  ['MariaDB', privateTable, {}, 2000],
  ['DynamoDB (emulator)', dynamoTable, { fencing: true }, 10_000],
  ['three Redis masters', masters, {}, 2000],
  ['memory (one process)', async () => 'memory:history', {}, 0],
])(
  'nobody shares a lock: %s',
  async (title, address, options, lateMs) => {
    const place = await address()
    const inMemory = place === 'memory:history'
    const startedAt = performance.now()
    const { attempts, kills, pauses } = await playHistory({
      ...{ address: place, options: options ?? {}, operations: OPERATIONS, keys: 24, ttlMs: 1000, seed: 11 },
      ...(inMemory
        ? { processes: 1, loops: 24, troubleEveryMs: null }
        : { processes: 6, loops: 4, troubleEveryMs: 300 }),
    })
    const { wrongs, counts } = judgeHistory(attempts, {
      lateMs,
      inSteps: title.startsWith('Dynamo') || title.startsWith('three'),
    })
    const { operations, taken, refused, lost, unknown } = counts
    record({
      ...{ store: title, operations, taken, refused, 'lost, and noticed': lost },
      ...{ 'cut off': unknown, kills, pauses, wrongs: wrongs.length },
      minutes: ((performance.now() - startedAt) / 60_000).toFixed(1),
    })
    expect(wrongs).toEqual([])
    expect(operations).toBeGreaterThanOrEqual(OPERATIONS)
  },
  30 * 60_000,
)
