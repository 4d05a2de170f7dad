import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { Database, lockOf, never, RECHARGE } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

/** From the farthest behind UTC on. */
const ZONES = ['-12:00', '-05:00', '+05:30', '+11:00']

/** The wall clock of an application in that zone; CONVERT_TZ does not know all of them. */
const wall = (zone: string) => `ADDTIME(UTC_TIMESTAMP(), '${zone.replace('+', '')}:00')`

describe('a ShedLock table whose times have no zone', () => {
  const create = (lockedAt: string) =>
    db.plain.query(`CREATE TABLE jobs (name VARCHAR(64) PRIMARY KEY, lock_until DATETIME NOT NULL,
      locked_at ${lockedAt}, locked_by TEXT)`)
  /** Taken ten minutes ago. */
  const take = (zone: string, left: string) =>
    db.plain.query(`INSERT INTO jobs VALUES ('nightly', ${wall(zone)} + INTERVAL ${left},
      ${wall(zone)} - INTERVAL 10 MINUTE, 'app-1')`)
  const isFreeIn = async (zone: string) =>
    (await db.rows(`SELECT lock_until <= ${wall(zone)} AS free FROM jobs`))[0]?.['free']

  it.each(ZONES)('reports a two-hour lock in the zone %s as neither held nor free', async zone => {
    await create('DATETIME')
    await take(zone, '2 HOUR')
    const store = db.store()
    const lock = await lockOf(store, 'nightly')
    expect(lock).toMatchObject({ state: 'unknown', lease: { kind: 'unknown' } })
    expect(lock.deadlines).toEqual([{ at: expect.any(Number), source: 'stored' }])
    expect(lock.notes).toContainEqual({ code: 'zone-unknown', field: 'lock_until' })
    expect((await listAll(store)).locks[0]?.state).toBe('unknown')
    expect(await releaseLock(store, 'nightly', lock.fence, never)).toMatchObject({ outcome: 'released' })
    expect(await isFreeIn(zone)).toBe(1)
    // A second operator is told that there is nothing left to release.
    expect((await lockOf(store, 'nightly')).state).toBe('released')
    expect(await releaseLock(store, 'nightly', lock.fence, never)).toEqual({ outcome: 'gone' })
  })

  it('does not report as held a lock that ended an hour ago, fourteen hours ahead of UTC', async () => {
    await create('DATETIME')
    await take('+14:00', '-1 HOUR')
    expect((await lockOf(db.store(), 'nightly')).state).toBe('unknown')
  })

  it('releases a lock without a start on the same clock', async () => {
    await create('TIMESTAMP NULL')
    await db.plain.query(
      `INSERT INTO jobs VALUES ('nightly', ${wall('-05:00')} + INTERVAL 2 HOUR, UTC_TIMESTAMP(), 'app-1')`,
    )
    const store = db.store()
    const { fence } = await lockOf(store, 'nightly')
    expect(await releaseLock(store, 'nightly', fence, never)).toMatchObject({ outcome: 'released' })
    expect(await isFreeIn('-05:00')).toBe(1)
  })

  it.each(ZONES)('does not release a lock that was re-acquired in the zone %s', async zone => {
    await create('DATETIME')
    await take(zone, '2 HOUR')
    const store = db.store()
    const { fence } = await lockOf(store, 'nightly')
    await db.plain.query("UPDATE jobs SET locked_by = 'app-2'")
    expect(await releaseLock(store, 'nightly', fence, never)).toMatchObject({ outcome: 'changed' })
    expect(await isFreeIn(zone)).toBe(0)
  })

  it.each([
    ['-841 MINUTE', 'released'],
    ['-839 MINUTE', 'unknown'],
    ['839 MINUTE', 'unknown'],
    ['842 MINUTE', 'held'],
  ])('is sure of an end %s from now, or not: %s', async (left, state) => {
    await create('DATETIME')
    await db.plain.query(
      `INSERT INTO jobs VALUES ('nightly', UTC_TIMESTAMP() + INTERVAL ${left}, UTC_TIMESTAMP(), 'app-1')`,
    )
    expect((await lockOf(db.store(), 'nightly')).state).toBe(state)
  })
})

describe('a process lock table whose times have no zone', () => {
  it.each(ZONES)('reports a lock of the zone %s as neither held nor expired', async zone => {
    await db.plain.query(
      RECHARGE.replaceAll('TIMESTAMP DEFAULT CURRENT_TIMESTAMP', 'DATETIME').replace(
        'expires_at TIMESTAMP',
        'expires_at DATETIME',
      ),
    )
    const insert = (owner: string) =>
      db.plain.query(`REPLACE INTO recargas_process_locks (id, lock_key, lock_id, acquired_at, expires_at)
        VALUES (1, 'GPS', '${owner}', ${wall(zone)}, ${wall(zone)} + INTERVAL 1 HOUR)`)
    await insert('first')
    const store = db.store()
    const { fence, state, notes } = await lockOf(store, 'GPS')
    expect(state).toBe('unknown')
    expect(notes).toContainEqual({ code: 'zone-unknown', field: 'expires_at' })
    await insert('second')
    expect(await releaseLock(store, 'GPS', fence, never)).toMatchObject({ outcome: 'changed' })
    const second = await lockOf(store, 'GPS')
    expect(await releaseLock(store, 'GPS', second.fence, never)).toMatchObject({ outcome: 'released' })
    expect(await db.rows('SELECT * FROM recargas_process_locks')).toEqual([])
  })

  it('is sure of the end in a TIMESTAMP column, whatever acquired_at is', async () => {
    await db.plain.query(RECHARGE.replace('TIMESTAMP DEFAULT CURRENT_TIMESTAMP', 'DATETIME'))
    await db.plain.query(`INSERT INTO recargas_process_locks (lock_key, lock_id, expires_at) VALUES
      ('past', 'o', UTC_TIMESTAMP() - INTERVAL 1 SECOND), ('future', 'o', UTC_TIMESTAMP() + INTERVAL 1 HOUR)`)
    const { locks } = await listAll(db.store())
    expect(locks.map(({ key, state }) => [key, state])).toEqual([
      ['future', 'held'],
      ['past', 'expired'],
    ])
  })
})
