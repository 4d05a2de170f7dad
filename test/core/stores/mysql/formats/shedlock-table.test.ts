import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../../contract/ask.ts'
import { listAll } from '../../../../contract/suite.ts'
import { Database, lockOf, never, SHEDLOCK } from '../database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

describe('the ShedLock table', () => {
  beforeEach(async () => {
    await db.plain.query(SHEDLOCK)
  })

  const insert = (until: string) =>
    db.plain.query(`INSERT INTO shedlock (name, lock_until, locked_at, locked_by)
      VALUES ('nightly', ${until}, NOW(3) - INTERVAL 1 MINUTE, 'batch-7')`)

  it('shows the host that holds the job, since when and until when', async () => {
    await db.plain.query(
      "INSERT INTO shedlock VALUES ('nightly', '2037-01-01 00:00:00.250', '2024-01-01 00:00:00.125', 'batch-7')",
    )
    expect(await lockOf(db.store(), 'nightly')).toMatchObject({
      format: 'shedlock-table',
      owner: 'batch-7',
      holder: { label: 'batch-7', host: 'batch-7' },
      acquiredAt: Date.UTC(2024, 0, 1, 0, 0, 0, 125),
      lease: { kind: 'deadline', expiresAt: Date.UTC(2037, 0, 1, 0, 0, 0, 250), afterwards: 'released' },
    })
  })

  it('shows a row whose time has passed as free, and answers gone to a release of it', async () => {
    await insert('NOW(3) - INTERVAL 1 SECOND')
    const store = db.store()
    const { id, fence, state } = await lockOf(store, 'nightly')
    expect(state).toBe('released')
    const before = await db.rows('SELECT * FROM shedlock')
    expect(await releaseLock(store, id, fence, never)).toEqual({ outcome: 'gone' })
    expect(await db.rows('SELECT * FROM shedlock')).toEqual(before)
  })

  it('releases by moving lock_until to now, and keeps the rest of the row', async () => {
    await insert('NOW(3) + INTERVAL 1 HOUR')
    const [before] = await db.rows('SELECT * FROM shedlock')
    const store = db.store()
    const { id, fence } = await lockOf(store, 'nightly')
    expect(await releaseLock(store, id, fence, never)).toEqual({ outcome: 'released', notified: null })
    const [after] = await db.rows('SELECT *, lock_until <= NOW(3) AS free FROM shedlock')
    expect(after).toEqual({ ...before, lock_until: expect.any(String), free: 1 })
    const [age] = await db.rows('SELECT TIMESTAMPDIFF(SECOND, lock_until, NOW(3)) AS s FROM shedlock')
    expect(age?.['s']).toBeLessThan(5)
    expect((await lockOf(store, 'nightly')).state).toBe('released')
    expect((await listAll(store)).locks).toHaveLength(1)
  })

  it.each([
    ['lock_until', "lock_until = '2036-01-01 00:00:00.001'"],
    ['locked_at', "locked_at = '2023-01-01 00:00:00.001'"],
    ['locked_by', "locked_by = 'BATCH-7'"],
  ])('refuses to release when %s changed', async (_, change) => {
    await insert('NOW(3) + INTERVAL 1 HOUR')
    const store = db.store()
    const { id, fence } = await lockOf(store, 'nightly')
    await db.plain.query(`UPDATE shedlock SET ${change}`)
    const before = await db.rows('SELECT * FROM shedlock')
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'changed' })
    expect(await db.rows('SELECT * FROM shedlock')).toEqual(before)
  })

  it('shows an update, never a delete, as the release', async () => {
    await insert('NOW(3) + INTERVAL 1 HOUR')
    const detail = await db.store().inspect('nightly', never)
    expect(detail?.release.join()).toMatch(/^UPDATE `shedlock` SET `lock_until` = LEAST\(/)
    expect(detail?.release.join()).not.toMatch(/DELETE/)
  })
})

describe('a ShedLock table with times of the application’s own clock', () => {
  it('releases a lock of an application whose clock is hours behind UTC', async () => {
    await db.plain.query(
      'CREATE TABLE jobs (name VARCHAR(64) PRIMARY KEY, lock_until DATETIME, locked_at DATETIME, locked_by TEXT)',
    )
    // Bogotá, five hours behind: taken ten minutes ago for eight hours.
    await db.plain.query(`INSERT INTO jobs VALUES ('nightly', NOW() - INTERVAL 5 HOUR + INTERVAL 8 HOUR,
      NOW() - INTERVAL 5 HOUR - INTERVAL 10 MINUTE, 'bogota-1')`)
    const store = db.store()
    const lock = await lockOf(store, 'nightly')
    expect(lock.notes).toEqual([
      { code: 'zone-unknown', field: 'lock_until' },
      { code: 'zone-unknown', field: 'locked_at' },
    ])
    expect(await releaseLock(store, 'nightly', lock.fence, never)).toMatchObject({ outcome: 'released' })
    const [row] = await db.rows('SELECT lock_until <= NOW() - INTERVAL 5 HOUR AS free FROM jobs')
    expect(row?.['free']).toBe(1)
  })

  it('releases a row whose times are missing', async () => {
    await db.plain.query(
      'CREATE TABLE jobs (name VARCHAR(64) PRIMARY KEY, lock_until DATETIME, locked_at DATETIME, locked_by TEXT)',
    )
    await db.plain.query("INSERT INTO jobs VALUES ('nightly', NULL, NULL, NULL)")
    const store = db.store()
    const lock = await lockOf(store, 'nightly')
    expect(lock).toMatchObject({ owner: null, lease: { kind: 'never' } })
    expect(await releaseLock(store, 'nightly', lock.fence, never)).toMatchObject({ outcome: 'released' })
    expect((await lockOf(store, 'nightly')).lease.kind).toBe('deadline')
  })
})
