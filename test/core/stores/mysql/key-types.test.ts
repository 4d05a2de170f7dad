import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { Database, lockOf, never } from './database.ts'

let db: Database

beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

const create = (type: string) =>
  db.plain.query(`CREATE TABLE locks (lock_key ${type} NOT NULL UNIQUE, lock_id TEXT, pid INT,
    acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL)`)

async function put(keys: readonly (string | number)[]): Promise<void> {
  await db.plain.query('INSERT INTO locks (lock_key, lock_id) VALUES ?', [keys.map(key => [key, 'o'])])
}

/** More than the first page, and not in the order of their text. */
const NUMBERS = Array.from({ length: 250 }, (_, i) => (i * 7919) % 250)

describe('a key that is ordered differently from how it is compared', () => {
  const members = NUMBERS.map(number => `m${number}`)

  it.each([
    ['enum', `ENUM(${members.map(each => `'${each}'`).join()})`, members],
    ['set', "SET('z', 'y', 'a')", ['z', 'y', 'a', 'z,a']],
    ['bit', 'BIT(16)', NUMBERS],
    ['bigint', 'BIGINT', NUMBERS],
    ['decimal', 'DECIMAL(10, 2)', NUMBERS],
    ['double', 'DOUBLE', NUMBERS],
    ['date', 'DATE', ['2024-01-01']],
    ['uuid', 'UUID', ['123e4567-e89b-12d3-a456-426655440000']],
  ])('makes a table unusable, with the reason: %s', async (type, definition, keys) => {
    await create(definition)
    await put(keys)
    const store = db.store()
    const { locks, unrecognised } = await listAll(store)
    expect(locks).toEqual([])
    expect(unrecognised).toEqual([
      { key: 'locks', reason: expect.stringContaining(`the column lock_key is of the type ${type}`) },
    ])
    expect(await store.inspect(String(keys[0]), never)).toBeNull()
  })
})

describe('a key of a type that pages in its own order', () => {
  it.each([
    ['TINYINT', NUMBERS.map(number => number - 125)],
    ['SMALLINT UNSIGNED', NUMBERS.map(number => number * 200)],
    ['MEDIUMINT', NUMBERS.map(number => number * 50_000 - 6_000_000)],
    ['INT', NUMBERS.map(number => number * 10_000_001 - 1_250_000_000)],
    ['INT UNSIGNED', NUMBERS.map(number => 4_294_967_295 - number)],
    ['CHAR(20)', NUMBERS],
    ['VARCHAR(700)', NUMBERS],
    ['TINYTEXT', NUMBERS],
    ['TEXT', NUMBERS],
    ['LONGTEXT', NUMBERS],
    ['VARBINARY(50)', NUMBERS],
    ['BLOB', NUMBERS],
    ['TEXT', NUMBERS.map(number => `${'x'.repeat(2000)}${number}`)],
    ['BLOB', NUMBERS.map(number => `${'x'.repeat(2000)}${number}`)],
    ['VARCHAR(5000)', NUMBERS.map(number => `${'x'.repeat(3000)}${number}`)],
    ['LONGTEXT', NUMBERS.map(number => `${'x'.repeat(3000)}${number}`)],
  ])('lists every row once, finds each and releases it: %s', async (definition, keys) => {
    await create(definition)
    await put(keys)
    const store = db.store()
    const { locks, unrecognised, problems } = await listAll(store)
    expect({ unrecognised, problems }).toEqual({ unrecognised: [], problems: [] })
    expect(locks.map(lock => lock.key).sort()).toEqual(keys.map(String).sort())
    const { id, fence } = await lockOf(store, String(keys[3]))
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'released' })
    expect(await store.inspect(id, never)).toBeNull()
    expect(await db.rows('SELECT lock_id FROM locks')).toHaveLength(keys.length - 1)
  })

  it('reports that rows may be missing after keys longer than the server sorts by', async () => {
    await create('TEXT')
    await put(NUMBERS.map(number => `${'x'.repeat(30_000)}${number}`))
    const { problems } = await listAll(db.store())
    expect(problems).toContainEqual({
      code: 'STORE_ERROR',
      message: expect.stringContaining('may be missing'),
      where: 'locks',
    })
  })
})
