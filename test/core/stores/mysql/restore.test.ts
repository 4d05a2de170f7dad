import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quoteName } from '../../../../electron/core/stores/mysql/sql.ts'
import type { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import type { RecordCopy } from '../../../../electron/core/stores/types.ts'
import { releaseAndKeep } from '../../../contract/ask.ts'
import { Database, failureOf, lockOf, never, RECHARGE, SHEDLOCK, Wire } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

async function released(store: MysqlStore, id: string): Promise<RecordCopy> {
  const { copy, outcome } = await releaseAndKeep(store, await lockOf(store, id))
  expect(outcome).toBe('released')
  if (copy === null) throw new Error('there is no copy')
  return copy
}

/** Every byte of every column, so that nothing can differ unseen. */
async function bytesOf(table: string): Promise<string> {
  const columns = await db.rows(
    'SELECT COLUMN_NAME AS name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?',
    [db.name, table],
  )
  const hex = columns.map(({ name }, i) => `HEX(CAST(${quoteName(String(name))} AS BINARY)) AS c${i}`)
  return JSON.stringify(await db.rows(`SELECT ${hex.join(', ')} FROM ${table}`))
}

const TIMES = 'acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL'

describe('a restored row', () => {
  it.each<[string, string, string]>([
    [
      'as its own program writes it',
      RECHARGE,
      "(5, 'GPS', 'GPS_1', 4711, '2024-01-01 00:00:00', '2037-01-01 00:00:00')",
    ],
    ['with nothing in it', RECHARGE, "(4294967, 'GPS', '', NULL, NULL, NULL)"],
    [
      'with microseconds and wall clocks',
      `CREATE TABLE recargas_process_locks (lock_key VARCHAR(9) UNIQUE, lock_id TEXT, pid INT,
        acquired_at TIMESTAMP(6) NULL, expires_at DATETIME(6))`,
      "('GPS', 'o', 1, '2024-01-01 00:00:00.000001', '2099-12-31 23:59:59.999999')",
    ],
    [
      'with columns of its own, hostile names and every odd type',
      `CREATE TABLE recargas_process_locks (lock_key VARCHAR(9) UNIQUE, lock_id VARCHAR(50) CHARSET latin1, pid INT, ${TIMES},
        \`__proto__\` JSON, \`a?\`\` b\` TEXT, place GEOMETRY, flags BIT(10), raw BLOB, price DECIMAL(30,10), ratio DOUBLE,
        big BIGINT UNSIGNED, kind ENUM('x','y'), tags SET('p','q'), day DATE, hour TIME(3), age YEAR, pad CHAR(5), who INET6)`,
      `('GPS', 'José', 1, NULL, '2037-01-01 00:00:00', '{"a": [1, "é"]}', 'tab\\tquote'' \\\\ 漢😀\\0', POINT(1, 2), b'1000000101',
        x'ff00fe27', 12345678901234567890.0123456789, 0.1, 18446744073709551615, 'y', 'p,q', '0000-00-00', '-12:00:00.125',
        2024, 'ab', '::1')`,
    ],
    [
      'with columns that the server computes',
      `CREATE TABLE recargas_process_locks (lock_key VARCHAR(9) UNIQUE, lock_id TEXT, pid INT, ${TIMES},
        twice INT AS (pid * 2) VIRTUAL, thrice INT AS (pid * 3) STORED, made INT DEFAULT (1 + 1))`,
      "('GPS', 'o', 21, NULL, NULL, DEFAULT, DEFAULT, 7)",
    ],
  ])('is the same to the last byte: %s', async (_, create, values) => {
    await db.plain.query(create)
    await db.plain.query(`INSERT INTO recargas_process_locks VALUES ${values}`)
    const before = await bytesOf('recargas_process_locks')
    const store = db.store()
    const { fence } = await lockOf(store, 'GPS')
    const copy = await released(store, 'GPS')
    expect(await db.rows('SELECT lock_key FROM recargas_process_locks')).toEqual([])
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await bytesOf('recargas_process_locks')).toBe(before)
    expect((await lockOf(store, 'GPS')).fence).toBe(fence)
  })

  it('is restored under a binary key', async () => {
    await db.plain.query(
      `CREATE TABLE locks (lock_key VARBINARY(9) PRIMARY KEY, lock_id VARBINARY(9), pid INT, ${TIMES})`,
    )
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES (x'ff00fe', x'80c1')")
    const before = await bytesOf('locks')
    const store = db.store()
    const copy = await released(store, 'hex:ff00fe')
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await bytesOf('locks')).toBe(before)
  })

  it('changes nothing under a name that the index considers equal, and names its holder', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const store = db.store()
    const copy = await released(store, 'GPS')
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('gps', 'next')")
    expect(await store.restore(copy, never)).toMatchObject({ outcome: 'taken', current: { owner: 'next' } })
  })

  it('is not restored when another lock has its number, with that as the reason', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (id, lock_key, lock_id) VALUES (5, 'GPS', 'o')")
    const store = db.store()
    const copy = await released(store, 'GPS')
    await db.plain.query("INSERT INTO recargas_process_locks (id, lock_key, lock_id) VALUES (5, 'SMS', 'p')")
    expect(await failureOf(store.restore(copy, never))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('must be unique'),
    })
  })

  it('is removed again when a trigger changes it', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const store = db.store()
    const copy = await released(store, 'GPS')
    await db.plain.query(
      "CREATE TRIGGER t BEFORE INSERT ON recargas_process_locks FOR EACH ROW SET NEW.lock_id = 'other'",
    )
    expect(await failureOf(store.restore(copy, never))).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining("changed the lock's values"),
    })
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })

  it('needs a table with the same columns and with transactions', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const store = db.store()
    const copy = await released(store, 'GPS')
    await db.plain.query('ALTER TABLE recargas_process_locks ENGINE = MyISAM')
    expect(await failureOf(db.store().restore(copy, never))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining('MyISAM'),
    })
    await db.plain.query('ALTER TABLE recargas_process_locks ENGINE = InnoDB, ADD note TEXT')
    expect(await failureOf(db.store().restore(copy, never))).toMatchObject({
      message: expect.stringContaining('altered'),
    })
    await db.plain.query('DROP TABLE recargas_process_locks')
    expect((await failureOf(db.store().restore(copy, never))).code).toBe('NOT_FOUND')
  })

  it('needs the privilege, and is refused in the words of the server', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const store = db.store(await db.account(`SELECT, DELETE ON ${db.name}.*`))
    const copy = await released(store, 'GPS')
    expect(await failureOf(store.restore(copy, never))).toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining('INSERT'),
    })
    // The connection is not left in a transaction.
    expect((await failureOf(store.restore(copy, never))).code).toBe('STORE_DENIED')
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })

  it.each([
    ['the row is lost', 'cut-after-write', undefined, 0],
    ['the last word is lost', 'cut-after-commit', true, 1],
  ] as const)(
    'when the answer to %s, the error says whether it may be there',
    async (_, mode, uncertain, rows) => {
      await db.plain.query(RECHARGE)
      await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
      const wire = await Wire.to(db.port)
      const store = db.store({ port: wire.port })
      const copy = await released(store, 'GPS')
      wire.mode = mode
      const failure = await failureOf(store.restore(copy, never))
      expect(failure.code).toBe('STORE_UNREACHABLE')
      expect(failure.uncertain).toBe(uncertain)
      await expect.poll(() => db.rows('SELECT id FROM recargas_process_locks')).toHaveLength(rows)
      await wire.close()
    },
  )
})

describe('a restored ShedLock', () => {
  const HELD = "('job', NOW(3) + INTERVAL 1 HOUR, NOW(3) - INTERVAL 1 MINUTE, 'host')"
  const CLOCKS = [
    ['TIMESTAMP(3)', HELD],
    ['DATETIME', HELD],
    ['DATETIME(6)', HELD],
    ['VARBINARY(40)', HELD],
  ] as const

  const create = (type: string) =>
    db.plain.query(`CREATE TABLE jobs (name VARCHAR(64) PRIMARY KEY, lock_until ${type} NULL,
      locked_at ${type} NULL, locked_by TEXT)`)

  it.each(CLOCKS)('has its end again, in %s', async (type, values) => {
    await create(type)
    await db.plain.query(`INSERT INTO jobs VALUES ${values}`)
    const before = await bytesOf('jobs')
    const store = db.store()
    const copy = await released(store, 'job')
    expect(await bytesOf('jobs')).not.toBe(before)
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await bytesOf('jobs')).toBe(before)
  })

  it('has no end again, when it had none', async () => {
    await create('DATETIME')
    await db.plain.query("INSERT INTO jobs VALUES ('job', NULL, NULL, NULL)")
    const before = await bytesOf('jobs')
    const store = db.store()
    expect(await store.restore(await released(store, 'job'), never)).toEqual({ outcome: 'restored' })
    expect(await bytesOf('jobs')).toBe(before)
  })

  it.each([
    ['its holder released it as well', 'lock_until = NOW(3) - INTERVAL 0.001 SECOND'],
    ['the same host took it again', 'locked_at = NOW(3), lock_until = NOW(3) + INTERVAL 1 HOUR'],
    ['another host had it', "locked_by = 'HOST'"],
  ])('stays unchanged when %s since', async (_, change) => {
    await db.plain.query(SHEDLOCK)
    await db.plain.query(`INSERT INTO shedlock VALUES ${HELD}`)
    const store = db.store()
    const copy = await released(store, 'job')
    await new Promise(resolve => setTimeout(resolve, 5))
    await db.plain.query(`UPDATE shedlock SET ${change}`)
    const before = await bytesOf('shedlock')
    expect(await store.restore(copy, never)).toMatchObject({ outcome: 'taken' })
    expect(await bytesOf('shedlock')).toBe(before)
  })

  it('is not recreated when its row is gone', async () => {
    await db.plain.query(SHEDLOCK)
    await db.plain.query(`INSERT INTO shedlock VALUES ${HELD}`)
    const store = db.store()
    const copy = await released(store, 'job')
    await db.plain.query('DELETE FROM shedlock')
    expect(await store.restore(copy, never)).toEqual({ outcome: 'taken', current: null })
    expect(await db.rows('SELECT * FROM shedlock')).toEqual([])
  })
})
