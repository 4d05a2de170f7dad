import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { DynamoStore } from '../../electron/core/stores/dynamodb/store.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startRedis } from '../servers/redis.ts'
import { dynamoFloor, mysqlFloor, redisFloor } from './floors.ts'
import { flow, heapOf, inTurns } from './measure.ts'
import { createMysqlTable, MYSQL_TABLE, populateDynamo, populateMysql, populateRedis } from './populate.ts'
import { megabytes, millis, printResults, record, times } from './table.ts'

const never = new AbortController().signal

type Bounds = {
  /** Ours in times of the floor. */
  ratio: number
  /** Of the time of the whole list. */
  firstPage: number
  /** What is held while pages flow by, of what all the locks weigh. */
  held: number
}

async function compare(
  what: string,
  store: LockStore,
  floor: () => Promise<number>,
  locks: number,
  bounds: Bounds,
): Promise<void> {
  const list = () => store.list({}, never)
  const best = await inTurns(3, floor, () => flow(list()))
  const heap = await heapOf(list)
  const ratio = best.oursMs / best.floorMs
  record({
    what,
    floor: millis(best.floorMs),
    ours: millis(best.oursMs),
    ratio: times(ratio),
    'first page': millis(best.ours.firstPageMs),
    'peak heap': megabytes(best.ours.peakHeap),
    held: megabytes(heap.flowing),
    'all locks': megabytes(heap.whole),
  })
  expect([best.floorResult, best.ours.locks]).toEqual([locks, locks])
  // Soft, so that one slow store does not keep the next from being measured.
  expect.soft(ratio).toBeLessThan(bounds.ratio)
  expect.soft(best.ours.firstPageMs).toBeLessThan(best.oursMs * bounds.firstPage)
  expect.soft(heap.flowing).toBeLessThan(heap.whole * bounds.held)
}

describe('listing costs little more than fetching', () => {
  afterAll(() => printResults('Listing, against the plain client that fetches the same and looks at nothing'))

  it('100,000 locks in Redis, alone and among 1,000,000 keys', async () => {
    const server = await startRedis()
    const client = new Redis({ port: server.port })
    const address = `redis://127.0.0.1:${server.port}/0`
    const [alone, matching] = await Promise.all([
      openStore(address, undefined),
      openStore(`${address}?match=pipeline_lock:*`, undefined),
    ])
    try {
      await populateRedis(client, 'locks', 100_000)
      const bounds = { ratio: 2.5, firstPage: 0.05, held: 0.25 }
      await compare('redis, 100,000 locks', alone, () => redisFloor(client, '*'), 100_000, bounds)
      await populateRedis(client, 'others', 900_000)
      const floor = () => redisFloor(client, 'pipeline_lock:*')
      await compare('redis, 100,000 of 1,000,000 keys', matching, floor, 100_000, bounds)
    } finally {
      await Promise.all([alone.close(), matching.close()])
      client.disconnect()
      await server.stop('SIGKILL')
    }
  })

  it('100,000 locks in MySQL', async () => {
    const port = inject('mariadbPort')
    const client = await createConnection({ host: '127.0.0.1', port, user: 'root' })
    await client.query('CREATE DATABASE list_bench CHARACTER SET utf8mb4')
    await client.query('USE list_bench')
    await createMysqlTable(client)
    await populateMysql(client, 100_000)
    const store = await openStore(`mysql://root@127.0.0.1:${port}/list_bench`, undefined)
    try {
      const floor = () => mysqlFloor(client, MYSQL_TABLE)
      await compare('mysql, 100,000 rows', store, floor, 100_000, { ratio: 7.5, firstPage: 0.15, held: 0.1 })
    } finally {
      await store.close()
      await client.query('DROP DATABASE list_bench')
      await client.end()
    }
  })

  it('10,000 locks in DynamoDB', async () => {
    const table = await TestTable.create(inject('dynamodbEndpoint'))
    await populateDynamo(table, 10_000)
    const store = new DynamoStore(table.address())
    try {
      const floor = () => dynamoFloor(table.client, table.name)
      const bounds = { ratio: 3, firstPage: 0.4, held: 0.5 }
      await compare('dynamodb, 10,000 items', store, floor, 10_000, bounds)
    } finally {
      await store.close()
      await table.drop()
    }
  })
})
