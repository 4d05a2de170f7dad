import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { Database, failureOf, lockOf, never, RECHARGE, SHEDLOCK } from './database.ts'

const COLUMNS = 'lock_id TEXT, pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

describe('finding the tables that hold locks', () => {
  it('lists the locks of every table with the columns of a format, and of no other', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query(SHEDLOCK)
    await db.plain.query('CREATE TABLE customers (id INT PRIMARY KEY, name TEXT)')
    await db.plain.query('CREATE VIEW lock_view AS SELECT * FROM recargas_process_locks')
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    await db.plain.query("INSERT INTO shedlock VALUES ('nightly', NOW() + INTERVAL 1 HOUR, NOW(), 'h')")
    const { locks, unrecognised, problems } = await listAll(db.store())
    expect(locks.map(lock => lock.id)).toEqual(['recargas_process_locks/GPS', 'shedlock/nightly'])
    expect(locks.map(lock => lock.key)).toEqual(['GPS', 'nightly'])
    expect({ unrecognised, problems }).toEqual({ unrecognised: [], problems: [] })
  })

  it('finds nothing in an empty table', async () => {
    await db.plain.query(RECHARGE)
    expect(await listAll(db.store({ table: 'recargas_process_locks' }))).toMatchObject({
      locks: [],
      unrecognised: [],
      scanned: 0,
    })
  })

  it('names the columns that a named table lacks', async () => {
    await db.plain.query(
      'CREATE TABLE customers (id INT PRIMARY KEY, name TEXT, locked_at INT, locked_by INT)',
    )
    const store = db.store({ table: 'customers' })
    expect((await listAll(store)).unrecognised).toEqual([
      { key: 'customers', reason: 'for the format shedlock-table it lacks the column lock_until' },
    ])
    expect(await store.inspect('customers', never)).toMatchObject({ lock: null })
    expect(await releaseLock(store, 'customers', 'fence', never)).toEqual({
      outcome: 'changed',
      current: null,
    })
  })

  it('uses the pinned format alone', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query(SHEDLOCK)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const { locks } = await listAll(db.store({ format: 'recharge-table' }))
    expect(locks.map(lock => lock.id)).toEqual(['GPS'])
    const pinned = db.store({ format: 'shedlock-table', table: 'recargas_process_locks' })
    expect((await listAll(pinned)).unrecognised).toEqual([
      {
        key: 'recargas_process_locks',
        reason: expect.stringContaining('name, lock_until, locked_at, locked_by'),
      },
    ])
    expect(() => db.store({ format: 'redlock' })).toThrow(/no such format/)
  })

  it.each([
    ['no index', ''],
    ['an index that is not unique', ', INDEX (lock_key)'],
    ['a unique index over more columns', ', UNIQUE (lock_key, pid)'],
    ['a unique index over its start', ', UNIQUE (lock_key(5))'],
  ])('does not use a table whose key has %s', async (_, index) => {
    await db.plain.query(`CREATE TABLE locks (lock_key VARCHAR(50), ${COLUMNS}${index})`)
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES ('a', 'o')")
    const { locks, unrecognised } = await listAll(db.store())
    expect(locks).toEqual([])
    expect(unrecognised).toEqual([{ key: 'locks', reason: expect.stringContaining('no unique index') }])
  })

  it('takes a table with a backtick and a question mark in its name', async () => {
    await db.plain.query(`CREATE TABLE \`od\`\`d?\` (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
    await db.plain.query("INSERT INTO `od``d?` (lock_key, lock_id) VALUES ('a?', 'o')")
    const store = db.store({ table: 'od`d?' })
    const { fence } = await lockOf(store, 'a?')
    const detail = await store.inspect('a?', never)
    expect(detail?.release.join()).toContain("DELETE FROM `od``d?` WHERE `lock_key` = CONVERT('a?' USING")
    expect(await releaseLock(store, 'a?', fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('reports a key in two tables as ambiguous, and accepts table/key', async () => {
    for (const table of ['first', 'second']) {
      await db.plain.query(`CREATE TABLE ${table} (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
      await db.plain.query(`INSERT INTO ${table} (lock_key, lock_id) VALUES ('GPS', 'owner in ${table}')`)
    }
    await db.plain.query("INSERT INTO second (lock_key, lock_id) VALUES ('only', 'o')")
    const store = db.store()
    expect(await failureOf(store.inspect('GPS', never))).toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining('?table='),
    })
    expect((await lockOf(store, 'only')).id).toBe('second/only')
    const first = await lockOf(store, 'first/GPS')
    expect(await releaseLock(store, 'second/GPS', first.fence, never)).toMatchObject({ outcome: 'changed' })
    expect(await releaseLock(store, 'first/GPS', first.fence, never)).toMatchObject({ outcome: 'released' })
    expect((await listAll(store)).locks.map(lock => lock.id)).toEqual(['second/GPS', 'second/only'])
    // With one table in the address the key alone is the id, and table/key is understood.
    const alone = db.store({ table: 'second' })
    expect((await lockOf(alone, 'second/GPS')).id).toBe('GPS')
  })

  it('takes the fence of a list of two tables with the table in the address, and the other way round', async () => {
    for (const table of ['first', 'second']) {
      await db.plain.query(`CREATE TABLE ${table} (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
      await db.plain.query(`INSERT INTO ${table} (lock_key, lock_id) VALUES ('GPS', 'o'), ('VOZ', 'o')`)
    }
    const both = db.store()
    const named = db.store({ table: 'first' })
    const fences = new Map((await listAll(both)).locks.map(lock => [lock.id, lock.fence]))
    const fenceOf = (id: string) => fences.get(id) ?? ''
    // Rows that are equal in two tables are two locks all the same.
    expect(new Set(fences.values()).size).toBe(4)
    expect(await releaseLock(named, 'GPS', fenceOf('second/GPS'), never)).toMatchObject({
      outcome: 'changed',
    })
    expect(await releaseLock(named, 'GPS', fenceOf('first/GPS'), never)).toMatchObject({
      outcome: 'released',
    })
    const [seenAlone] = (await listAll(named)).locks
    expect(await releaseLock(both, 'second/VOZ', seenAlone?.fence ?? '', never)).toMatchObject({
      outcome: 'changed',
    })
    expect(await releaseLock(both, 'first/VOZ', seenAlone?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
    expect(await releaseLock(both, 'second/GPS', fenceOf('second/GPS'), never)).toMatchObject({
      outcome: 'released',
    })
    // What was seen with another table beside it stays the same lock when that table goes.
    await db.plain.query('DROP TABLE first')
    expect(await releaseLock(db.store(), 'VOZ', fenceOf('second/VOZ'), never)).toMatchObject({
      outcome: 'released',
    })
  })

  it('lists the other tables when one may not be read, and names that one', async () => {
    for (const table of ['first', 'second']) {
      await db.plain.query(`CREATE TABLE ${table} (lock_key VARCHAR(50) PRIMARY KEY, ${COLUMNS})`)
      await db.plain.query(`INSERT INTO ${table} (lock_key, lock_id) VALUES ('GPS', 'o')`)
    }
    const account = await db.account(`SELECT ON ${db.name}.second`, `INSERT ON ${db.name}.first`)
    const { locks, problems } = await listAll(db.store(account))
    expect(locks.map(lock => lock.id)).toEqual(['second/GPS'])
    expect(problems).toEqual([{ where: 'first', code: 'STORE_DENIED', message: expect.stringMatching(/\w/) }])
  })

  it('reports a table that was dropped or altered after it was read, and recovers', async () => {
    await db.plain.query(`CREATE TABLE locks (lock_key VARCHAR(50) PRIMARY KEY, extra INT, ${COLUMNS})`)
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES ('a', 'o')")
    const store = db.store()
    await lockOf(store, 'a')
    await db.plain.query('ALTER TABLE locks DROP COLUMN extra')
    expect(await failureOf(store.inspect('a', never))).toMatchObject({ code: 'STORE_ERROR' })
    expect((await lockOf(store, 'a')).owner).toBe('o')
    await db.plain.query('DROP TABLE locks')
    expect(await failureOf(store.inspect('a', never))).toMatchObject({ code: 'NOT_FOUND' })
    expect(await store.inspect('a', never)).toBeNull()
  })
})

describe('permissions and version', () => {
  it('names the product and its version', async () => {
    expect((await db.store().describe(never)).server).toMatch(/^MariaDB \d+\.\d+\.\d+$/)
  })

  it.each([
    ['all of the database', ['ALL ON db.*'], true],
    ['delete and select', ['SELECT, DELETE ON db.*'], true],
    ['delete in this table', ['SELECT ON db.*', 'DELETE ON db.recargas_process_locks'], true],
    ['select only', ['SELECT ON db.*'], false],
    ['update, where a release deletes', ['SELECT, UPDATE ON db.*'], false],
    ['update of one column', ['SELECT ON db.*', 'UPDATE (pid) ON db.recargas_process_locks'], false],
  ])('offers a release or not with %s', async (_, grants, may) => {
    await db.plain.query(RECHARGE)
    const account = await db.account(...grants.map(grant => grant.replace('db.', `${db.name}.`)))
    const capabilities = await db.store(account).capabilities(never)
    expect(capabilities.includes('release')).toBe(may)
  })
})
