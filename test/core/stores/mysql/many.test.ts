import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clipText } from '../../../../electron/core/stores/clip-lock.ts'
import { readCatalogue } from '../../../../electron/core/stores/mysql/catalogue.ts'
import { Connections } from '../../../../electron/core/stores/mysql/connect.ts'
import { MYSQL_FORMATS } from '../../../../electron/core/stores/mysql/formats/index.ts'
import { anyOf, compareKey } from '../../../../electron/core/stores/mysql/sql.ts'
import type { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import type { Keep } from '../../../../electron/core/stores/types.ts'
import { keepNothing, words } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/list-all.ts'
import { Database, never, RECHARGE, SHEDLOCK } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

const COLUMNS = 'lock_id TEXT, pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL'

async function put(table: string, keys: readonly string[]): Promise<void> {
  await db.plain.query(`INSERT INTO ${table} (lock_key, lock_id) VALUES ?`, [
    keys.map(key => [key, `holder of ${key}`]),
  ])
}

async function look(store: MysqlStore, ids: readonly string[]): Promise<string[]> {
  const looked = await store.look(ids, never)
  return looked.map(each => {
    if (!each.ok) return each.error.code
    return each.value.is === 'lock' ? (each.value.lock.owner ?? '') : each.value.is
  })
}

describe('looking at many rows', () => {
  it('distinguishes keys that the index considers equal', async () => {
    await db.plain.query(RECHARGE)
    await put('recargas_process_locks', ['GPS', 'café', 'plain'])
    expect(await look(db.store(), ['gps', 'GPS', 'GPS ', 'cafe', 'café', 'PLAIN', 'plain'])).toEqual([
      'absent',
      'holder of GPS',
      'absent',
      'absent',
      'holder of café',
      'absent',
      'holder of plain',
    ])
  })

  it('finds two keys that differ only in case, where the table allows them', async () => {
    await db.plain.query(
      `CREATE TABLE locks (lock_key VARCHAR(9) PRIMARY KEY, ${COLUMNS}) COLLATE utf8mb4_bin`,
    )
    await put('locks', ['a', 'A'])
    expect(await look(db.store(), ['A', 'a', 'locks/A'])).toEqual([
      'holder of A',
      'holder of a',
      'holder of A',
    ])
  })

  it('accepts a key and table/key, and fails only a key that is in two tables', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query(`CREATE TABLE other (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
    await put('recargas_process_locks', ['both', 'mine'])
    await put('other', ['both', 'theirs', 'recargas_process_locks/mine'])
    const store = db.store()
    const ids = ['both', 'mine', 'theirs', 'other/both', 'recargas_process_locks/mine', 'other/mine', 'none']
    expect(await look(store, ids)).toEqual([
      'BAD_INPUT',
      'holder of mine',
      'holder of theirs',
      'holder of both',
      'holder of mine',
      'absent',
      'absent',
    ])
    const { locks } = await listAll(store)
    const targets = [{ id: 'both', fence: locks[0]?.fence ?? '' }, ...locks]
    expect(words(await store.releaseMany(targets, keepNothing, never))).toEqual([
      'BAD_INPUT',
      ...locks.map(() => 'released'),
    ])
  })

  it('does not let a table that may not be read hide the others', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query(`CREATE TABLE secret (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
    await put('recargas_process_locks', ['mine'])
    await put('secret', ['hidden'])
    const account = await db.account(
      `SELECT ON ${db.name}.recargas_process_locks`,
      `INSERT ON ${db.name}.secret`,
    )
    const ids = ['recargas_process_locks/mine', 'secret/hidden', 'mine']
    expect(await look(db.store(account), ids)).toEqual(['holder of mine', 'STORE_DENIED', 'STORE_DENIED'])
  })

  it('finds binary keys and keys as large as a statement allows together', async () => {
    await db.plain.query(`CREATE TABLE locks (lock_key BLOB, ${COLUMNS}, UNIQUE (lock_key))`)
    const large = Array.from({ length: 8 }, (_, i) => `${'x'.repeat(60_000)}${i}`)
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES (x'ff00', 'bytes')")
    await put('locks', large)
    const found = await look(db.store(), ['hex:ff00', ...large, 'hex:ff01'])
    expect(found).toEqual(['bytes', ...large.map(key => clipText(`holder of ${key}`)), 'absent'])
  })

  it.each([
    ['VARCHAR(50)', 'utf8mb4'],
    ['VARCHAR(50)', 'latin1'],
    ['VARBINARY(50)', 'utf8mb4'],
    ['INT', 'utf8mb4'],
  ])('goes through the index of a %s key in %s', async (type, charset) => {
    await db.plain.query(`CREATE TABLE locks (lock_key ${type} PRIMARY KEY, ${COLUMNS}) CHARSET ${charset}`)
    await put(
      'locks',
      Array.from({ length: 5000 }, (_, i) => String(i)),
    )
    await db.plain.query('ANALYZE TABLE locks')
    const connections = new Connections(db.address())
    await connections.use(never, async session => {
      const { tables } = await readCatalogue(session, db.address(), MYSQL_FORMATS)
      const key = tables[0]?.key
      if (!key) throw new Error('no lock table')
      const values = Array.from({ length: 100 }, (_, i) => String(i * 37))
      const where = anyOf(values.map(each => compareKey(key, '=', key.binary ? Buffer.from(each) : each)))
      const [plan] = await session.read(`EXPLAIN SELECT * FROM locks WHERE ${where.text}`, where.values)
      expect(plan?.[3]).toBe('range')
    })
    await connections.close()
  })
})

describe('locks beside columns of many MB', () => {
  it('are looked at and released together; one that is read by itself keeps its copy', async () => {
    await db.plain.query(
      `CREATE TABLE locks (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS}, log LONGTEXT, dump LONGBLOB)`,
    )
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    await put('locks', [...keys, 'small', 'huge'])
    await db.plain.query("UPDATE locks SET log = REPEAT('x', 12000000), lock_id = CONCAT(lock_id, ' now')")
    await db.plain.query("UPDATE locks SET log = 'a line' WHERE lock_key = 'small'")
    await db.plain.query("UPDATE locks SET dump = REPEAT('y', 12000000) WHERE lock_key = 'huge'")
    const store = db.store()
    expect(await look(store, [...keys, 'small'])).toEqual(
      [...keys, 'small'].map(key => `holder of ${key} now`),
    )
    const detail = await store.inspect('huge', never)
    expect(detail?.raw.map(({ label }) => label).slice(-2)).toEqual([
      'log (not read: too large together)',
      'dump (not read: too large together)',
    ])
    const { locks } = await listAll(store)
    const target = (wanted: readonly string[]) => locks.filter(({ key }) => wanted.includes(key))
    const copied = async (wanted: readonly string[]) => {
      const copies = new Map<string, boolean>()
      const keep: Keep = async about => {
        for (const { lock, copy } of about) copies.set(lock.key, copy !== null)
      }
      const outcomes = words(await store.releaseMany(target(wanted), keep, never))
      expect(outcomes).toEqual(wanted.map(() => 'released'))
      return Object.fromEntries(copies)
    }
    expect(await copied(['a'])).toEqual({ a: true })
    expect(await copied(['huge'])).toEqual({ huge: false })
    const rest = await copied(['b', 'c', 'd', 'e', 'f', 'small'])
    expect(rest).toEqual({ b: false, c: false, d: false, e: false, f: false, small: true })
  })
})

describe('releasing many ShedLocks', () => {
  it('moves each to the past, and keeps the rows', async () => {
    await db.plain.query(SHEDLOCK)
    const rows = Array.from({ length: 250 }, (_, i) => [`job-${i}`, '2037-01-01', '2024-01-01', 'host'])
    await db.plain.query('INSERT INTO shedlock VALUES ?', [rows])
    const store = db.store()
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks, keepNothing, never)
    expect(new Set(words(settled))).toEqual(new Set(['released']))
    expect(await db.rows('SELECT name FROM shedlock WHERE lock_until <= NOW(3)')).toHaveLength(250)
  })
})
