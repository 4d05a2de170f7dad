import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { RECHARGE } from '../core/stores/mysql/database.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { type Books, type ChurnOptions, type Planned, planned, startChurn } from './churn.ts'
import { judge } from './judge.ts'
import { proving } from './prove.ts'
import { freeDatabase } from './redis-locks.ts'
import { missingInAudit } from './trace.ts'

const HOUR_MS = 3_600_000

type Place = {
  readonly address: string
  readonly churn: ChurnOptions
  /** Who holds what, read with a plain client. */
  owners(): Promise<Map<string, string>>
  renewalChanges(key: string): boolean
}

/** Plans all of it, applies it while others are at work, and holds what it says against what they know. */
async function prove(locks: readonly Planned[], place: Place) {
  const c = await proving(place.address)
  const plan = await c.plan()
  expect(plan.count).toBe(locks.length)
  const churn = await startChurn(locks, place.churn)
  const end = await c.finish(plan)
  const books = await churn.stop()
  expectContention(books, place.churn.atLeast)
  const judged = judge(locks, end, books, await place.owners(), place.renewalChanges)
  const { progress } = end.plan
  expect(judged.wrongs).toEqual([])
  expect(missingInAudit(c.folder, end)).toEqual([])
  expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  expect(progress).toMatchObject({ state: 'done', total: locks.length, troubles: [], returned: 0 })
  const { released, changed, gone, ...others } = progress.counts
  expect(released + changed + gone).toBe(locks.length)
  expect(Object.values(others).every(count => count === 0)).toBe(true)
  expect(judged.counts).toEqual({ released, changed, gone })
}

/** The proof proves something only if the others did get in between. */
function expectContention(books: readonly Books[], atLeast: number): void {
  const sum = (count: (each: Books) => number) => books.reduce((all, each) => all + count(each), 0)
  expect(sum(each => each.letGo.length)).toBeGreaterThan(atLeast)
  expect(sum(each => each.lost.length + each.notRenewed.length)).toBeGreaterThan(0)
  expect(sum(each => each.renewed.length)).toBeGreaterThan(atLeast)
  expect(sum(each => each.taken)).toBeGreaterThan(atLeast)
}

describe('everything is released at full speed while others work, and nothing that was not in the plan', () => {
  test('50,000 locks in Redis', { timeout: 600_000 }, async () => {
    const port = inject('redisPort')
    const db = await freeDatabase(port)
    const client = new Redis({ port, db })
    onTestFinished(async () => {
      await client.flushdb()
      client.disconnect()
    })
    const locks = planned(50_000, i => (i % 2 === 0 ? `lock:order-${i}` : `lockRecharge:order-${i}`))
    const now = Date.now()
    const isJson = (key: string) => key.startsWith('lockRecharge:')
    for (let start = 0; start < locks.length; start += 5000) {
      const batch = client.pipeline()
      for (const { key, token } of locks.slice(start, start + 5000)) {
        const json = { lockId: token, pid: 4711, timestamp: now, expiresAt: now + HOUR_MS }
        batch.set(key, isJson(key) ? JSON.stringify(json) : token, 'PX', HOUR_MS)
      }
      await batch.exec()
    }
    await prove(locks, {
      address: `redis://127.0.0.1:${port}/${db}`,
      churn: {
        client: { module: './redis-client.mjs', port, db },
        processes: 2,
        workers: 32,
        keep: 2000,
        atLeast: 500,
      },
      // The JSON has its own end in it; a bare token is the same after a renewal.
      renewalChanges: isJson,
      owners: async () => {
        const owners = new Map<string, string>()
        const keys = await client.keys('*')
        for (let start = 0; start < keys.length; start += 5000) {
          const some = keys.slice(start, start + 5000)
          for (const [i, value] of (await client.mget(some)).entries()) {
            const key = some[i] ?? ''
            owners.set(key, isJson(key) ? JSON.parse(value ?? '{}').lockId : String(value))
          }
        }
        return owners
      },
    })
  })

  test('10,000 locks in MySQL', { timeout: 600_000 }, async () => {
    const port = inject('mariadbPort')
    const database = `proof_${randomBytes(8).toString('hex')}`
    const plain = await createConnection({ host: '127.0.0.1', port, user: 'root' })
    onTestFinished(async () => {
      await plain.query(`DROP DATABASE ${database}`)
      await plain.end()
    })
    await plain.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await plain.query(`USE ${database}`)
    await plain.query(RECHARGE)
    const locks = planned(10_000, i => `recharge-${i}`)
    const until = new Date(Date.now() + HOUR_MS)
    await plain.query(
      'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at) VALUES ?',
      [locks.map(({ key, token }) => [key, token, 4711, new Date(), until])],
    )
    await prove(locks, {
      address: `mysql://root@127.0.0.1:${port}/${database}`,
      churn: {
        client: { module: './mysql-client.mjs', port, database, connections: 4 },
        processes: 2,
        workers: 4,
        keep: 400,
        atLeast: 100,
      },
      renewalChanges: () => true,
      owners: async () => {
        const [rows] = await plain.query<RowDataPacket[]>(
          'SELECT lock_key, lock_id FROM recargas_process_locks',
        )
        return new Map(rows.map(row => [String(row['lock_key']), String(row['lock_id'])]))
      },
    })
  })

  test('2,000 locks in DynamoDB', { timeout: 600_000 }, async () => {
    const table = await TestTable.create(inject('dynamodbEndpoint'))
    onTestFinished(() => table.drop())
    const locks = planned(2000, i => `pipeline:${i}`)
    const now = Math.floor(Date.now() / 1000)
    await table.putMany(
      locks.map(({ key, token }) => ({
        lock_key: { S: key },
        owner_id: { S: token },
        expires_at: { N: String(now + 3600) },
        acquired_at: { N: String(now) },
      })),
    )
    const { endpoint, name } = table
    await prove(locks, {
      address: `dynamodb://other:other@eu-west-1/${name}?endpoint=${endpoint}`,
      churn: {
        client: { module: './dynamodb-client.mjs', endpoint, table: name },
        processes: 1,
        workers: 6,
        keep: 100,
        atLeast: 20,
      },
      renewalChanges: () => true,
      owners: async () => {
        const items = await table.all()
        return new Map(items.map(item => [item['lock_key']?.S ?? '', item['owner_id']?.S ?? '']))
      },
    })
  })
})
