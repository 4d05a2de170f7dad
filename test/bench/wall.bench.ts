import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { afterAll, describe, expect, inject, it } from 'vitest'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { parseAddress, type StoreAddress } from '../../shared/address.ts'
import type { Lock } from '../../shared/locks.ts'
import { never, releaseLock } from '../contract/ask.ts'
import { openHere, openInRoom } from '../contract/open.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { flow, inTurns } from './measure.ts'
import { createMysqlTable, populateDynamo, populateMysql, populateRedis } from './populate.ts'
import { millis, printResults, record, times } from './table.ts'

const RELEASES = 2000
const ROUNDS = 7
/** What the wall may cost. */
const BOUND = 1.1

async function compare(
  what: string,
  address: StoreAddress,
  work: (store: LockStore) => Promise<number>,
  prepare?: (store: LockStore) => Promise<void>,
): Promise<void> {
  const [here, inRoom] = await Promise.all([openHere(address), openInRoom(address)])
  try {
    const best = await inTurns(
      ROUNDS,
      () => work(here),
      () => work(inRoom),
      prepare && (() => prepare(here)),
    )
    const ratio = best.oursMs / best.floorMs
    record({ what, here: millis(best.floorMs), 'in a room': millis(best.oursMs), ratio: times(ratio) })
    expect(best.ours).toBe(best.floorResult)
    expect.soft(ratio).toBeLessThan(BOUND)
  } finally {
    await Promise.all([here.close(), inRoom.close()])
  }
}

const listAll = async (store: LockStore) => (await flow(store.list({}, never))).locks

async function compareReleases(
  what: string,
  address: StoreAddress,
  fill: () => Promise<void>,
): Promise<void> {
  for (const atOnce of [1, 16]) {
    let locks: Lock[] = []
    const prepare = async (store: LockStore) => {
      await fill()
      locks = []
      for await (const page of store.list({}, never)) locks.push(...page.locks)
    }
    const releaseAll = async (store: LockStore) => {
      let next = 0
      let released = 0
      const worker = async () => {
        for (let lock = locks[next++]; lock !== undefined; lock = locks[next++])
          if ((await releaseLock(store, lock.id, lock.fence, never)).outcome === 'released') released++
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      return released
    }
    await compare(`release ${RELEASES} in ${what}, ${atOnce} at a time`, address, releaseAll, prepare)
  }
}

describe('the wall of a room costs little', () => {
  afterAll(() => printResults('The same store in this thread and in a room'))

  it('Redis', async () => {
    const port = inject('redisPort')
    const client = new Redis({ port, db: 4094 })
    const address = parseAddress(`redis://127.0.0.1:${port}/4094`)
    try {
      await populateRedis(client, 'locks', 100_000)
      await compare('list 100,000 in Redis', address, listAll)
      await client.flushdb()
      await compareReleases('Redis', address, () => populateRedis(client, 'locks', RELEASES))
    } finally {
      await client.flushdb()
      client.disconnect()
    }
  })

  it('MySQL', async () => {
    const port = inject('mariadbPort')
    const database = `wall_${randomUUID().replaceAll('-', '')}`
    const admin = await createConnection({ host: '127.0.0.1', port, user: 'root' })
    await admin.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await admin.query(`USE ${database}`)
    await createMysqlTable(admin)
    const address = parseAddress(`mysql://root@127.0.0.1:${port}/${database}`)
    try {
      await populateMysql(admin, 100_000)
      await compare('list 100,000 in MySQL', address, listAll)
      await admin.query('DELETE FROM recargas_process_locks')
      await compareReleases('MySQL', address, () => populateMysql(admin, RELEASES))
    } finally {
      await admin.query(`DROP DATABASE ${database}`)
      await admin.end()
    }
  })

  it('DynamoDB', async () => {
    const table = await TestTable.create(inject('dynamodbEndpoint'))
    try {
      await populateDynamo(table, 10_000)
      await compare('list 10,000 in DynamoDB', table.address(), listAll)
    } finally {
      await table.drop()
    }
  })
})
