import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createMysqlProvider } from '../../../../electron/core/locks/mysql/provider.ts'
import type { Grant, Provider, Refusal } from '../../../../electron/core/locks/provider.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { Database, lockOf, never, RECHARGE } from '../../stores/mysql/database.ts'

const TABLE = 'recargas_process_locks'
const MINUTE = 60_000

let db: Database
let provider: Provider

/** A table exactly as the document makes it, in a database with the server's usual collation. */
beforeEach(async () => {
  db = await Database.create()
  await db.plain.query(RECHARGE)
  provider = createMysqlProvider(db.address(), { format: null, fencing: undefined })
})
afterEach(async () => {
  await provider.close()
  await db.drop()
})

/** Another program, with the statements of its own document. */
const other = {
  async acquire(key: string, lockId: string, seconds = 3600): Promise<boolean> {
    await db.rows(`DELETE FROM ${TABLE} WHERE expires_at <= NOW()`)
    try {
      await db.plain.execute(
        `INSERT INTO ${TABLE} (lock_key, lock_id, pid, expires_at) VALUES (?, ?, 4711, NOW() + INTERVAL ? SECOND)`,
        [key, lockId, seconds],
      )
      return true
    } catch (error) {
      if ((error as { errno?: number }).errno === 1062) return false
      throw error
    }
  },
  async release(key: string, lockId: string): Promise<boolean> {
    const [result] = await db.plain.execute(`DELETE FROM ${TABLE} WHERE lock_key = ? AND lock_id = ?`, [
      key,
      lockId,
    ])
    return (result as { affectedRows: number }).affectedRows === 1
  },
  active: () => db.rows(`SELECT lock_key, lock_id FROM ${TABLE} WHERE expires_at > NOW()`),
}

async function taken(name: string, owner: string, ttlMs = MINUTE): Promise<Grant> {
  const answer = await provider.take(name, { owner, ttlMs, metadata: null }, never)
  if (answer.is !== 'taken') throw new Error(`${name} was not free`)
  return answer
}
const refused = async (name: string, owner: string) =>
  (await provider.take(name, { owner, ttlMs: MINUTE, metadata: null }, never)) as Refusal
const runOut = (name: string) => db.rows(`UPDATE ${TABLE} SET expires_at = NOW() WHERE lock_key = ?`, [name])

describe('a program with the documented statements shares the table', () => {
  it('keeps us out of its locks, and their holder, start and expiry are known', async () => {
    expect(await other.acquire('GPS_PROCESS', 'GPS_1')).toBe(true)
    const answer = await refused('GPS_PROCESS', 'ours')
    expect(answer).toMatchObject({ is: 'held', holder: { owner: 'GPS_1', label: 'pid 4711' } })
    expect(answer.leftMs).toBeGreaterThan(0)
    expect(answer.leftMs).toBeLessThanOrEqual(3_600_000)
    expect((answer.holder.expiresAt ?? 0) - (answer.holder.acquiredAt ?? 0)).toBe(3_600_000)
  })

  it('is kept out of our locks, and lists them as active', async () => {
    await taken('GPS_PROCESS', 'ours')
    expect(await other.acquire('GPS_PROCESS', 'GPS_1')).toBe(false)
    expect(await other.active()).toEqual([{ lock_key: 'GPS_PROCESS', lock_id: 'ours' }])
  })

  it('each releases only its own locks', async () => {
    const lock = await taken('A', 'ours')
    await other.acquire('B', 'theirs')
    expect(await other.release('A', 'theirs')).toBe(false)
    expect(await provider.release('B', { owner: 'ours', mark: lock.mark }, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'theirs' },
    })
    expect(await other.release('B', 'theirs')).toBe(true)
    expect(await provider.release('A', { owner: 'ours', mark: lock.mark }, never)).toEqual({ is: 'released' })
    expect(await db.rows(`SELECT * FROM ${TABLE}`)).toEqual([])
  })

  it('each acquires a lock of the other that expired', async () => {
    await other.acquire('A', 'theirs')
    await runOut('A')
    const ours = await taken('A', 'ours')
    await runOut('A')
    expect(await other.acquire('A', 'theirs-again')).toBe(true)
    expect(await provider.extend('A', { owner: 'ours', mark: ours.mark }, MINUTE, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'theirs-again' },
    })
  })

  it('is cleaned up only after it expires', async () => {
    await taken('A', 'ours', 1)
    // Rounded up to the next whole second, and until then nobody else’s.
    const [row] = await db.rows(`SELECT expires_at > acquired_at AS later FROM ${TABLE}`)
    expect(Number(row?.['later'])).toBe(1)
    await expect.poll(() => db.rows(`SELECT 1 FROM ${TABLE} WHERE expires_at > NOW()`)).toEqual([])
    expect(await provider.read('A', never)).toBeNull()
    expect(await other.acquire('A', 'theirs')).toBe(true)
  })

  it('keeps a lock without an end for ever', async () => {
    await db.rows(`INSERT INTO ${TABLE} (lock_key, lock_id) VALUES ('A', 'theirs')`)
    expect(await refused('A', 'ours')).toMatchObject({
      is: 'held',
      holder: { owner: 'theirs', label: null, expiresAt: null },
      leftMs: null,
    })
  })

  it.each([
    ['gps', 'GPS'],
    ['gps', 'gps '],
  ])(
    'where the collation equates %j and %j, the second is refused and cannot release the first',
    async (a, b) => {
      const lock = await taken(a, 'ours')
      expect(await refused(b, 'ours')).toMatchObject({ is: 'held', holder: { owner: 'ours' } })
      const proof = { owner: 'ours', mark: lock.mark }
      expect(await provider.release(b, proof, never)).toMatchObject({ is: 'lost' })
      expect(await provider.extend(b, proof, MINUTE, never)).toMatchObject({ is: 'lost' })
      expect(await provider.release(a, { owner: 'OURS', mark: null }, never)).toMatchObject({ is: 'lost' })
      expect(await provider.release(a, { owner: 'ours ', mark: null }, never)).toMatchObject({ is: 'lost' })
      expect(await provider.release(a, proof, never)).toEqual({ is: 'released' })
    },
  )
})

describe('the console', () => {
  it('reads what we write as what it is, and releases it', async () => {
    const lock = await taken('GPS_PROCESS', 'GPS_PROCESS_17')
    const store = db.store()
    const seen = await lockOf(store, 'GPS_PROCESS')
    expect(seen).toMatchObject({
      format: 'recharge-table',
      name: 'GPS_PROCESS',
      owner: 'GPS_PROCESS_17',
      holder: { pid: process.pid },
      acquiredAt: lock.acquiredAt,
      lease: { kind: 'deadline', expiresAt: lock.expiresAt },
      state: 'held',
      notes: [],
    })
    expect(await releaseLock(store, seen.id, seen.fence, never)).toMatchObject({ outcome: 'released' })
    expect(
      await provider.extend('GPS_PROCESS', { owner: 'GPS_PROCESS_17', mark: lock.mark }, MINUTE, never),
    ).toEqual({ is: 'lost', holder: null })
  })

  it('does not release the next acquisition of the same owner', async () => {
    const first = await taken('A', 'ours')
    const store = db.store()
    const seen = await lockOf(store, 'A')
    await provider.release('A', { owner: 'ours', mark: first.mark }, never)
    await taken('A', 'ours')
    expect(await releaseLock(store, seen.id, seen.fence, never)).toMatchObject({ outcome: 'changed' })
  })
})
