import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockSchema } from '../../../../../shared/locks.ts'
import { releaseLock } from '../../../../contract/ask.ts'
import { listAll } from '../../../../contract/suite.ts'
import { Database, failureOf, lockOf, never, RECHARGE } from '../database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

async function put(columns: Record<string, string | number | null>) {
  const names = Object.keys(columns).join(', ')
  const marks = Object.keys(columns).map(() => '?')
  await db.plain.execute(
    `INSERT INTO recargas_process_locks (${names}) VALUES (${marks.join(', ')})`,
    Object.values(columns),
  )
}

describe('the process lock table', () => {
  beforeEach(async () => {
    await db.plain.query(RECHARGE)
  })

  it('shows who holds the lock, since when and until when, by the server’s clock', async () => {
    await db.plain.query(`INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at)
      VALUES ('GPS_PROCESS', 'GPS_PROCESS_1703123456789', 12345, '2024-01-02 03:04:05', '2037-01-02 04:04:05')`)
    const lock = lockSchema.parse(await lockOf(db.store(), 'GPS_PROCESS'))
    expect(lock).toMatchObject({
      id: 'GPS_PROCESS',
      key: 'GPS_PROCESS',
      name: 'GPS_PROCESS',
      format: 'recharge-table',
      owner: 'GPS_PROCESS_1703123456789',
      holder: { label: 'pid 12345', pid: 12345 },
      acquiredAt: Date.UTC(2024, 0, 2, 3, 4, 5),
      acquiredAtSource: 'stored',
      lease: { kind: 'deadline', expiresAt: Date.UTC(2037, 0, 2, 4, 4, 5), afterwards: 'expired' },
      fields: { pid: 12345, expires_at: '2037-01-02 04:04:05' },
    })
  })

  it('shows an expired row as expired, because it is still stored', async () => {
    await put({ lock_key: 'VOZ', lock_id: 'v', pid: 1, expires_at: '2024-01-01 00:00:00' })
    expect(await lockOf(db.store(), 'VOZ')).toMatchObject({ state: 'expired', notes: [] })
  })

  it('shows a row without expiry as never ending, and one without pid without a holder', async () => {
    await put({ lock_key: 'VOZ', lock_id: 'v', pid: null, expires_at: null })
    expect(await lockOf(db.store(), 'VOZ')).toMatchObject({
      state: 'held',
      lease: { kind: 'never' },
      holder: null,
    })
    const store = db.store()
    const { id, fence } = await lockOf(store, 'VOZ')
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('notes that a zero date is not a time, and still releases the row', async () => {
    await put({ lock_key: 'VOZ', lock_id: 'v', pid: 1, expires_at: '0000-00-00 00:00:00' })
    const store = db.store()
    const lock = await lockOf(store, 'VOZ')
    expect(lock).toMatchObject({ state: 'unknown', deadlines: [] })
    expect(lock.notes).toEqual([
      { code: 'wrong-type', field: 'expires_at', found: '0000-00-00 00:00:00', wanted: 'a time' },
    ])
    expect(await releaseLock(store, lock.id, lock.fence, never)).toMatchObject({ outcome: 'released' })
  })

  it.each([
    ['lock_id', "lock_id = 'other'"],
    ['pid', 'pid = 2'],
    ['pid to none', 'pid = NULL'],
    ['acquired_at', "acquired_at = '2024-05-05 00:00:00'"],
    ['expires_at', "expires_at = '2036-05-05 00:00:00'"],
    ['id', 'id = 77'],
    ['the case of the owner', "lock_id = 'OWNER'"],
    ['a space after the owner', "lock_id = 'owner '"],
    ['an accent of the owner', "lock_id = 'ownér'"],
  ])('refuses to release when %s changed', async (_, change) => {
    await put({ lock_key: 'VOZ', lock_id: 'owner', pid: 1, expires_at: '2037-01-01 00:00:00' })
    const store = db.store()
    const { id, fence } = await lockOf(store, 'VOZ')
    await db.plain.query(`UPDATE recargas_process_locks SET ${change}`)
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'changed' })
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toHaveLength(1)
  })

  it('distinguishes a row that was deleted and written again from the one that was seen', async () => {
    await put({ lock_key: 'VOZ', lock_id: 'o', pid: 1, acquired_at: '2024-01-01 00:00:00' })
    const store = db.store()
    const { id, fence } = await lockOf(store, 'VOZ')
    await db.plain.query('DELETE FROM recargas_process_locks')
    await put({ lock_key: 'VOZ', lock_id: 'o', pid: 1, acquired_at: '2024-01-01 00:00:00' })
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'changed' })
  })

  it('distinguishes keys that the collation considers equal', async () => {
    await put({ lock_key: 'Orders', lock_id: 'o', pid: 1 })
    const store = db.store()
    expect(await store.inspect('orders', never)).toBeNull()
    expect(await store.inspect('Orders ', never)).toBeNull()
    expect((await lockOf(store, 'Orders')).owner).toBe('o')
  })

  it.each([
    'line\nbreak',
    '\u001b[31mred',
    `quote ' " \` end`,
    'back\\slash\\',
    "'; DROP TABLE recargas_process_locks; -- ",
    '%_?',
    'naïve 😀 ключ',
    'hex:ff',
    ' spaces  ',
  ])('finds and releases a lock with the key %j, and only that', async key => {
    await put({ lock_key: key, lock_id: `owner of ${key}`, pid: 1 })
    await put({ lock_key: 'bystander', lock_id: 'b', pid: 1 })
    const store = db.store()
    const lock = (await listAll(store)).locks.find(each => each.key !== 'bystander')
    expect(lock).toMatchObject({ id: key, key, owner: `owner of ${key}` })
    const detail = await store.inspect(key, never)
    expect(detail?.raw.map(part => part.label)).toContain('lock_id')
    expect(detail?.release.join()).not.toContain('\n')
    expect(await releaseLock(store, key, lock?.fence ?? '', never)).toMatchObject({ outcome: 'released' })
    expect(
      (await db.rows('SELECT lock_key FROM recargas_process_locks')).map(row => row['lock_key']),
    ).toEqual(['bystander'])
  })

  it('gives the empty key an id that can be typed', async () => {
    await put({ lock_key: '', lock_id: 'o', pid: 1 })
    const store = db.store()
    const [lock] = (await listAll(store)).locks
    expect(lock).toMatchObject({ key: '', id: 'recargas_process_locks/' })
    expect(await releaseLock(store, lock?.id ?? '', lock?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
  })

  it('shows the statement that a release sends, with the values quoted', async () => {
    await put({ lock_key: "it's", lock_id: 'a\\b', pid: 7 })
    const detail = await db.store().inspect("it's", never)
    expect(detail?.release).toHaveLength(1)
    expect(detail?.release[0]).toMatch(/^DELETE FROM `recargas_process_locks` WHERE `lock_key` = /)
    expect(detail?.release[0]).toContain("'it''s'")
    expect(detail?.release[0]).toContain("'a\\\\b'")
    // What is shown is what is meant: the server takes it as it is.
    await db.plain.query(detail?.release[0] ?? '')
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })

  it('pages through keys in the order of the collation without a loss', async () => {
    const keys = Array.from({ length: 260 }, (_, i) => `${i % 2 ? 'k' : 'K'}${'áaÁbB_é'[i % 7]}${i}`)
    for (const key of keys) await put({ lock_key: key, lock_id: 'o', pid: 1 })
    const { locks } = await listAll(db.store())
    expect(locks.map(lock => lock.key).sort()).toEqual([...keys].sort())
  })
})

describe('an account that may only read', () => {
  it('is denied a release in words without secrets', async () => {
    await db.plain.query(RECHARGE)
    await put({ lock_key: 'VOZ', lock_id: 'o', pid: 1 })
    const store = db.store(await db.account(`SELECT ON ${db.name}.*`))
    const { id, fence } = await lockOf(store, 'VOZ')
    const failure = await failureOf(releaseLock(store, id, fence, never))
    expect(failure.code).toBe('STORE_DENIED')
    expect(failure.message).not.toContain('topsecret')
  })
})
