import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { Database, lockOf, never } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

async function put(columns: Record<string, string | number | null>) {
  const names = Object.keys(columns).join(', ')
  const marks = Object.keys(columns).map(() => '?')
  await db.plain.execute(`INSERT INTO locks (${names}) VALUES (${marks.join(', ')})`, Object.values(columns))
}

describe('process lock tables of other shapes', () => {
  const shape = (columns: string, rest = '') => `CREATE TABLE locks (${columns}) ${rest}`

  it('warns that DATETIME has no zone, and that the year 9999 is no expiry', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id TEXT, pid INT, acquired_at DATETIME, expires_at DATETIME(6)',
      ),
    )
    await put({
      lock_key: 'a',
      lock_id: 'o',
      acquired_at: '2024-01-01 00:00:00',
      expires_at: '9999-12-31 23:59:59.5',
    })
    const lock = await lockOf(db.store(), 'a')
    expect(lock.notes).toEqual([
      { code: 'implausible-expiry', raw: '9999-12-31 23:59:59.500000' },
      { code: 'zone-unknown', field: 'expires_at' },
      { code: 'zone-unknown', field: 'acquired_at' },
    ])
    expect(lock.state).toBe('held')
  })

  it('lists a row that is too large for a lock by its name and size', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id MEDIUMTEXT, pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
      ),
    )
    await put({ lock_key: 'a', lock_id: 'x'.repeat(70_000) })
    await put({ lock_key: 'b', lock_id: 'x'.repeat(60_000) })
    const pages = []
    for await (const page of db.store().list({}, never)) pages.push(page)
    expect(pages.flatMap(page => page.unrecognised)).toEqual([
      { key: 'a', reason: 'a row of 68.4 KB, which is too large to be a lock' },
    ])
    const [lock] = pages.flatMap(page => page.locks)
    expect(lock).toMatchObject({ key: 'b' })
    expect(JSON.stringify(lock).length).toBeLessThan(2000)
  })

  it('recognizes the columns in any case and order, among others', async () => {
    await db.plain.query(
      shape(
        'extra GEOMETRY, EXPIRES_AT TIMESTAMP NULL, Pid INT, LOCK_ID VARCHAR(9), Lock_Key VARCHAR(9), `__proto__` JSON, acquired_at TIMESTAMP NULL, flags BIT(3), UNIQUE (LOCK_KEY)',
      ),
    )
    await db.plain.query(
      "INSERT INTO locks (extra, pid, lock_id, lock_key, `__proto__`, flags) VALUES (POINT(1, 2), 3, 'o', 'a', '{}', b'101')",
    )
    const store = db.store()
    const detail = await store.inspect('a', never)
    expect(detail?.lock).toMatchObject({ owner: 'o', holder: { pid: 3 } })
    expect(detail?.raw.map(part => part.label)).toEqual([
      'extra',
      'EXPIRES_AT (NULL)',
      'Pid',
      'LOCK_ID',
      'Lock_Key',
      '__proto__',
      'acquired_at (NULL)',
      'flags',
    ])
    expect(await releaseLock(store, 'a', detail?.lock?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
  })

  it('compares a latin1 column exactly, accents included', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id VARCHAR(50), pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
        'CHARACTER SET latin1',
      ),
    )
    await put({ lock_key: 'café', lock_id: 'José' })
    const store = db.store()
    const { fence, owner } = await lockOf(store, 'café')
    expect(owner).toBe('José')
    expect(await store.inspect('cafe', never)).toBeNull()
    expect(await store.inspect('caf😀', never)).toBeNull()
    await db.plain.query("UPDATE locks SET lock_id = 'Jose'")
    expect(await releaseLock(store, 'café', fence, never)).toMatchObject({ outcome: 'changed' })
    const again = await lockOf(store, 'café')
    expect(await releaseLock(store, 'café', again.fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('pages through a latin1 key in its own order', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id VARCHAR(50), pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
        'CHARACTER SET latin1',
      ),
    )
    const keys = Array.from({ length: 260 }, (_, i) => `${'zÿéeßsÄaåñ'[i % 10]}${i}`)
    for (const key of keys) await put({ lock_key: key, lock_id: 'o' })
    const { locks } = await listAll(db.store())
    expect(locks.map(lock => lock.key).sort()).toEqual([...keys].sort())
  })

  it('shows a binary key in hex, and accepts it back', async () => {
    await db.plain.query(
      shape(
        'lock_key VARBINARY(50) PRIMARY KEY, lock_id VARBINARY(50), pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
      ),
    )
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES (x'ff00fe', x'80c1'), ('plain', 'o')")
    const store = db.store()
    expect((await listAll(store)).locks.map(lock => lock.key)).toEqual(['plain', 'hex:ff00fe'])
    const lock = await lockOf(store, 'hex:ff00fe')
    expect(lock.owner).toBe('\\x80\\xc1')
    expect(await releaseLock(store, lock.id, lock.fence, never)).toMatchObject({ outcome: 'released' })
    expect((await listAll(store)).locks.map(lock => lock.key)).toEqual(['plain'])
  })

  it('shows the start of an owner of a megabyte, and compares all of it', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id LONGTEXT, pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
      ),
    )
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES ('a', REPEAT('x', 1048576))")
    const store = db.store()
    const detail = await store.inspect('a', never)
    expect(detail?.raw.find(part => part.label === 'lock_id')).toMatchObject({ size: 1048576 })
    expect(detail?.raw.find(part => part.label === 'lock_id')?.text.length).toBeLessThan(100_000)
    expect(detail?.release.join('').length).toBeLessThan(2000)
    await db.plain.query("UPDATE locks SET lock_id = CONCAT(REPEAT('x', 1048575), 'y')")
    expect(await releaseLock(store, 'a', detail?.lock?.fence ?? '', never)).toMatchObject({
      outcome: 'changed',
    })
    const again = await lockOf(store, 'a')
    expect(await releaseLock(store, 'a', again.fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('notes the content of a pid that is not a number, and of a time that is not a time', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) PRIMARY KEY, lock_id TEXT, pid TEXT, acquired_at BIGINT, expires_at BIGINT',
      ),
    )
    await put({ lock_key: 'a', lock_id: 'o', pid: 'main', acquired_at: 1703123456789, expires_at: 5 })
    const lock = await lockOf(db.store(), 'a')
    expect(
      lock.notes.map(note => (note.code === 'wrong-type' ? [note.field, note.found] : note.code)),
    ).toEqual([
      ['expires_at', '5'],
      ['acquired_at', '1703123456789'],
      ['pid', 'main'],
    ])
    expect(lock.state).toBe('unknown')
  })

  it('reports rows without a key instead of hiding them', async () => {
    await db.plain.query(
      shape(
        'lock_key VARCHAR(50) UNIQUE, lock_id TEXT, pid INT, acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL',
      ),
    )
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES (NULL, 'o'), (NULL, 'p'), ('a', 'q')")
    const { locks, unrecognised } = await listAll(db.store())
    expect(locks.map(lock => lock.key)).toEqual(['a'])
    expect(unrecognised).toEqual([{ key: 'locks', reason: '2 rows have no lock_key' }])
  })
})
