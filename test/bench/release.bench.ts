import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { type Connection, createConnection, createPool } from 'mysql2/promise'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import type { Lock } from '../../shared/locks.ts'
import { releaseLock } from '../contract/ask.ts'
import { inTurns } from './measure.ts'
import { createMysqlTable, MYSQL_TABLE, populateMysql, populateRedis } from './populate.ts'
import { millis, printResults, record, times } from './table.ts'

const never = new AbortController().signal
const LOCKS = 2000

/** What the lock libraries themselves do to let go. */
const COMPARE_AND_DELETE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

/** Runs through a list with so many at work at a time, and says for how many it answered true. */
async function each<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<boolean>,
): Promise<number> {
  let next = 0
  let count = 0
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) if (await work(item)) count++
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return count
}

async function locksOf(store: LockStore): Promise<Lock[]> {
  const locks: Lock[] = []
  for await (const page of store.list({}, never)) locks.push(...page.locks)
  return locks
}

async function compare(
  what: string,
  store: LockStore,
  atOnce: number,
  populate: () => Promise<void>,
  floor: (lock: Lock) => Promise<boolean>,
  bound: number,
): Promise<void> {
  let locks: Lock[] = []
  const fill = async () => {
    await populate()
    locks = await locksOf(store)
  }
  const release = async (lock: Lock) =>
    (await releaseLock(store, lock.id, lock.fence, never)).outcome === 'released'
  const best = await inTurns(
    3,
    () => each(locks, atOnce, floor),
    () => each(locks, atOnce, release),
    fill,
  )
  const ratio = best.oursMs / best.floorMs
  record({
    what: `${what}, ${atOnce} at a time`,
    'floor each': millis(best.floorMs / LOCKS),
    'ours each': millis(best.oursMs / LOCKS),
    ratio: times(ratio),
  })
  expect([best.floorResult, best.ours]).toEqual([LOCKS, LOCKS])
  expect.soft(ratio).toBeLessThan(bound)
}

describe('a safe release costs a few plain ones', () => {
  afterAll(() => printResults(`Releasing ${LOCKS} locks, against the plain client's guarded delete`))

  it.each([1, 16])('Redis, %i at a time', async atOnce => {
    const port = inject('redisPort')
    const client = new Redis({ port, db: 4095 })
    client.defineCommand('release', { numberOfKeys: 1, lua: COMPARE_AND_DELETE })
    const bare = client as unknown as { release(key: string, value: string): Promise<number> }
    const store = await openStore(`redis://127.0.0.1:${port}/4095`, undefined)
    try {
      const populate = () => populateRedis(client, 'locks', LOCKS)
      const floor = async (lock: Lock) => (await bare.release(lock.key, lock.owner ?? '')) === 1
      await compare('redis', store, atOnce, populate, floor, 8)
    } finally {
      await store.close()
      await client.flushdb()
      client.disconnect()
    }
  })

  it.each([1, 16])('MySQL, %i at a time', async atOnce => {
    const port = inject('mariadbPort')
    const database = `release_${randomUUID().replaceAll('-', '')}`
    const admin = await createConnection({ host: '127.0.0.1', port, user: 'root' })
    await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await admin.query(`USE ${database}`)
    await createMysqlTable(admin as Connection)
    const plain = createPool({ host: '127.0.0.1', port, user: 'root', database, connectionLimit: 4 })
    const store = await openStore(`mysql://root@127.0.0.1:${port}/${database}`, undefined)
    try {
      const sql = `DELETE FROM ${MYSQL_TABLE} WHERE lock_key = ? AND lock_id = ?`
      const floor = async (lock: Lock) => {
        const [result] = await plain.execute(sql, [lock.key, lock.owner])
        return (result as { affectedRows: number }).affectedRows === 1
      }
      await compare('mysql', store, atOnce, () => populateMysql(admin, LOCKS), floor, 7)
    } finally {
      await Promise.all([store.close(), plain.end()])
      await admin.query(`DROP DATABASE ${database}`)
      await admin.end()
    }
  })
})
