import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Settled } from '../../../../electron/core/lib/concurrency.ts'
import { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import type { ReleaseOutcome } from '../../../../shared/locks.ts'
import { keepNothing, words } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/list-all.ts'
import { type MariaDbServer, startMariaDb } from '../../../servers/mariadb.ts'
import { mysqlAddress, never, RECHARGE } from './database.ts'

const KEYS = Array.from({ length: 20 }, (_, i) => `key-${String(i).padStart(2, '0')}`)

describe('a MySQL server that fails in the middle of many releases', () => {
  let server: MariaDbServer
  let plain: Connection
  /** Holds rows, so that releases of them wait. */
  let other: Connection
  let store: MysqlStore

  const connect = () => createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
  const rows = async (sql: string) => (await plain.query<RowDataPacket[]>(sql))[0]

  beforeAll(async () => {
    server = await startMariaDb()
  })
  afterAll(() => server.close())

  beforeEach(async () => {
    plain = await connect()
    other = await connect()
    // A server that is killed under it must not end the test.
    for (const each of [plain, other]) each.on('error', () => {})
    await plain.query('DROP DATABASE IF EXISTS outage')
    await plain.query('CREATE DATABASE outage')
    for (const each of [plain, other]) await each.query('USE outage')
    await plain.query(RECHARGE)
    await plain.query('INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ?', [
      KEYS.map(key => [key, 'o']),
    ])
    // Without the rights of an administrator, which pass every limit.
    await plain.query("CREATE OR REPLACE USER u@'127.0.0.1' IDENTIFIED BY 'secret'")
    await plain.query("GRANT SELECT, DELETE ON outage.* TO u@'127.0.0.1'")
    store = new MysqlStore(
      mysqlAddress({ port: server.port, username: 'u', password: 'secret', database: 'outage' }),
    )
  })
  afterEach(async () => {
    await store.close()
    for (const each of [plain, other]) each.destroy()
  })

  async function holdRows(from: number, to: number): Promise<void> {
    // Those rows, and not the gaps between them.
    await other.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED')
    await other.query('START TRANSACTION')
    const keys = KEYS.slice(from, to + 1)
    await other.query('SELECT * FROM recargas_process_locks WHERE lock_key IN (?) FOR UPDATE', [keys])
  }

  /** Begins to release all of them, and goes on when so many of the releases wait for a row. */
  async function waitingReleases(count: number): Promise<{
    settled: Promise<readonly Settled<ReleaseOutcome>[]>
    ids: number[]
  }> {
    const { locks } = await listAll(store)
    const settled = store.releaseMany(locks, keepNothing, never)
    const waiting = async () =>
      (
        await rows(
          "SELECT ID AS id FROM information_schema.PROCESSLIST WHERE USER = 'u' AND INFO LIKE 'DELETE%' AND TIME_MS > 100",
        )
      ).map(row => Number(row['id']))
    await expect.poll(waiting, { interval: 20 }).toHaveLength(count)
    return { settled, ids: await waiting() }
  }

  const left = async () => (await rows('SELECT lock_key FROM recargas_process_locks')).length
  const uncertain = (settled: readonly Settled<unknown>[]) =>
    settled.flatMap((each, i) => (!each.ok && each.error.uncertain ? [i] : []))

  it('fails only the rows that another transaction holds, and releases the others', async () => {
    await holdRows(4, 5)
    const { settled } = await waitingReleases(2)
    const all = await settled
    expect(words(all)).toEqual(KEYS.map((_, i) => (i === 4 || i === 5 ? 'STORE_ERROR' : 'released')))
    expect(all[4]).toMatchObject({ error: { message: expect.stringContaining('Another transaction') } })
    expect(uncertain(all)).toEqual([])
    await other.query('ROLLBACK')
    expect(await left()).toBe(2)
  })

  it('is uncertain only of the release whose connection was killed, and continues with another', async () => {
    await holdRows(4, 4)
    const { settled, ids } = await waitingReleases(1)
    await plain.query(`KILL ${ids[0]}`)
    const all = await settled
    expect(words(all)).toEqual(KEYS.map((_, i) => (i === 4 ? 'STORE_UNREACHABLE' : 'released')))
    expect(uncertain(all)).toEqual([4])
    await other.query('ROLLBACK')
    expect(await left()).toBe(1)
  })

  it('releases all of them through the only connection it gets', async () => {
    await plain.query("ALTER USER u@'127.0.0.1' WITH MAX_USER_CONNECTIONS 1")
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks, keepNothing, never)
    expect(new Set(words(settled))).toEqual(new Set(['released']))
    expect(await left()).toBe(0)
  })

  it('releases all of them when the server runs out of connections in between', async () => {
    await plain.query('SET GLOBAL max_connections = 10')
    const taken: Connection[] = []
    const takeAll = async () => {
      const login = { host: '127.0.0.1', port: server.port, user: 'u', password: 'secret' }
      for (;;) {
        try {
          taken.push(await createConnection(login))
        } catch {
          return
        }
      }
    }
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks, takeAll, never)
    for (const each of taken) each.destroy()
    await plain.query('SET GLOBAL max_connections = 151')
    expect(taken.length).toBeGreaterThan(0)
    expect(new Set(words(settled))).toEqual(new Set(['released']))
    expect(await left()).toBe(0)
  })

  it('reports the refusal for releases it could not start, and the outcome of the others', async () => {
    await holdRows(6, 8)
    const { settled, ids } = await waitingReleases(3)
    await plain.query("ALTER USER u@'127.0.0.1' ACCOUNT LOCK")
    for (const id of ids) await plain.query(`KILL ${id}`)
    const all = await settled
    expect(words(all)).toEqual(
      KEYS.map((_, i) => (i < 6 ? 'released' : i < 9 ? 'STORE_UNREACHABLE' : 'STORE_DENIED')),
    )
    expect(uncertain(all)).toEqual([6, 7, 8])
    await other.query('ROLLBACK')
    expect(await left()).toBe(14)
  })

  it('stops when the server becomes read-only, certain that nothing else was released', async () => {
    await holdRows(6, 8)
    const { settled } = await waitingReleases(3)
    // It lets those finish that have begun, and keeps everybody else waiting until then.
    const readOnly = plain.query('SET GLOBAL read_only = 1')
    await sleep(200)
    await other.query('ROLLBACK')
    await readOnly
    const all = await settled
    await plain.query('SET GLOBAL read_only = 0')
    expect(words(all)).toEqual(KEYS.map((_, i) => (i < 9 ? 'released' : 'STORE_DENIED')))
    expect(uncertain(all)).toEqual([])
    expect(await left()).toBe(11)
  })

  it('is uncertain only of releases in flight when the server is killed', async () => {
    await holdRows(6, 8)
    const { settled } = await waitingReleases(3)
    await server.kill()
    const all = await settled
    expect(words(all)).toEqual(KEYS.map((_, i) => (i < 6 ? 'released' : 'STORE_UNREACHABLE')))
    expect(uncertain(all)).toEqual([6, 7, 8])
    await server.revive()
    plain = await connect()
    await plain.query('USE outage')
    // InnoDB may lose the last second here, but nothing that was not released is gone.
    expect(await left()).toBeGreaterThanOrEqual(14)
  })
})
