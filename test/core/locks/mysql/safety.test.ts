import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { numbersRise } from '../../../../electron/core/locks/mysql/lock-table.ts'
import { createMysqlProvider } from '../../../../electron/core/locks/mysql/provider.ts'
import type { Grant, Provider } from '../../../../electron/core/locks/provider.ts'
import type { MysqlAddress } from '../../../../electron/core/stores/mysql/address.ts'
import { Database, failureOf, never, RECHARGE, Wire } from '../../stores/mysql/database.ts'

const TABLE = 'recargas_process_locks'
const MINUTE = 60_000
const HOUR = 3_600_000

let db: Database
const closing: (() => Promise<void>)[] = []

beforeEach(async () => {
  db = await Database.create()
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) await close()
  await db.drop()
})

function open(address: Partial<MysqlAddress> = {}, fencing?: boolean): Provider {
  const provider = createMysqlProvider(db.address(address), { format: null, fencing })
  closing.push(() => provider.close())
  return provider
}
const request = (owner: string, ttlMs = MINUTE) => ({ owner, ttlMs, metadata: null })
async function taken(provider: Provider, name: string, owner = 'ours'): Promise<Grant> {
  const answer = await provider.take(name, request(owner), never)
  if (answer.is !== 'taken') throw new Error(`${name} was not free`)
  return answer
}
const rows = () => db.rows(`SELECT lock_key, lock_id FROM ${TABLE} ORDER BY id`)

describe('setup', () => {
  it('creates the table once when several processes ask at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => open().setup(never)))
    const [row] = await db.rows(`SHOW CREATE TABLE ${TABLE}`)
    expect(row?.['Create Table']).toMatch(/ENGINE=InnoDB/)
    expect(await open().take('A', request('ours'), never)).toMatchObject({ is: 'taken' })
  })

  it('creates the table that the address names, whatever its name', async () => {
    const provider = open({ table: 'odd `name` ?' })
    await provider.setup(never)
    await taken(provider, 'A')
    expect(await db.rows('SELECT lock_key FROM `odd ``name`` ?`')).toEqual([{ lock_key: 'A' }])
  })

  it('leaves the documented table as it is', async () => {
    await db.plain.query(RECHARGE)
    const before = await db.rows(`SHOW CREATE TABLE ${TABLE}`)
    await open().setup(never)
    expect(await db.rows(`SHOW CREATE TABLE ${TABLE}`)).toEqual(before)
  })

  it('needs no right to create an existing table', async () => {
    await db.plain.query(RECHARGE)
    const account = await db.account(`SELECT, INSERT, UPDATE, DELETE ON ${db.name}.*`)
    const provider = open(account)
    await provider.setup(never)
    const lock = await taken(provider, 'A')
    expect(await provider.release('A', { owner: 'ours', mark: lock.mark }, never)).toEqual({ is: 'released' })
  })

  it.each([
    ['pid INT,', '', 'lacks the column pid'],
    ['NOT NULL UNIQUE', 'NOT NULL', 'no unique index'],
    ['expires_at TIMESTAMP NULL', 'expires_at DATETIME NULL', 'expires_at is not a TIMESTAMP'],
    ['id INT AUTO_INCREMENT PRIMARY KEY', 'id INT PRIMARY KEY', 'not AUTO_INCREMENT'],
    ['lock_id VARCHAR(255)', 'lock_id VARBINARY(255)', 'lock_id is not a VARCHAR'],
  ])('refuses a table with %j replaced by %j, and alters nothing', async (part, by, why) => {
    await db.plain.query(RECHARGE.replace(part, by))
    const before = await db.rows(`SHOW CREATE TABLE ${TABLE}`)
    const refusal = { code: 'UNSUPPORTED', message: expect.stringContaining(why) }
    expect(await failureOf(open().setup(never))).toMatchObject(refusal)
    expect(await failureOf(open().take('A', request('ours'), never))).toMatchObject(refusal)
    expect(await db.rows(`SHOW CREATE TABLE ${TABLE}`)).toEqual(before)
  })

  it.each(['MyISAM', 'MEMORY'])('refuses tables of %s, which has no transactions', async engine => {
    await db.plain.query(`${RECHARGE} ENGINE=${engine}`)
    expect(await failureOf(open().take('A', request('ours'), never))).toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringContaining(engine),
    })
  })

  it('is required where the table is missing', async () => {
    const provider = open()
    expect(await failureOf(provider.take('A', request('ours'), never))).toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('setup()'),
    })
    await provider.setup(never)
    await taken(provider, 'A')
  })
})

describe('a lock in MySQL', () => {
  it('is refused, before a request, for a name or owner that the table would truncate', async () => {
    await db.plain.query(RECHARGE.replace('VARCHAR(100)', 'VARCHAR(20)'))
    const provider = open()
    for (const [name, owner] of [
      ['x'.repeat(21), 'ours'],
      ['A', 'x'.repeat(256)],
      ['A', `${'x'.repeat(255)} `],
      ['\ud800', 'ours'],
      ['A', '\udc00'],
    ] as const)
      expect((await failureOf(provider.take(name, request(owner), never))).code, name).toBe('BAD_INPUT')
    expect(await rows()).toEqual([])
    // Characters, not bytes.
    await taken(provider, '🔒'.repeat(20), '🔒'.repeat(255))
  })

  it('ends before 2038, or is refused', async () => {
    const provider = open()
    await provider.setup(never)
    const tooLong = 20 * 365 * 24 * HOUR
    for (const ttlMs of [tooLong, Number.NaN, Number.POSITIVE_INFINITY])
      expect((await failureOf(provider.take('A', request('ours', ttlMs), never))).code).toBe('BAD_INPUT')
    const { mark } = await taken(provider, 'A')
    const proof = { owner: 'ours', mark }
    expect((await failureOf(provider.extend('A', proof, tooLong, never))).code).toBe('BAD_INPUT')
  })

  it('exists in this format only', () => {
    const make = () => createMysqlProvider(db.address(), { format: 'shedlock-table', fencing: undefined })
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })

  it('counts as renewed even if the row does not change', async () => {
    const provider = open()
    await provider.setup(never)
    const { mark } = await taken(provider, 'A')
    for (let i = 0; i < 5; i++)
      expect(await provider.extend('A', { owner: 'ours', mark }, MINUTE, never)).toMatchObject({
        is: 'extended',
      })
  })

  it('that has expired is lost to its holder, and its row is removed', async () => {
    const provider = open()
    await provider.setup(never)
    const { mark } = await taken(provider, 'A')
    await db.rows(`UPDATE ${TABLE} SET expires_at = NOW()`)
    expect(await provider.release('A', { owner: 'ours', mark }, never)).toEqual({ is: 'lost', holder: null })
    expect(await rows()).toEqual([])
  })

  it.each([-HOUR, HOUR])('is unaffected by a local clock that is %i ms off', async wrongMs => {
    const provider = open()
    await provider.setup(never)
    const { expiresAt } = await taken(provider, 'held')
    await taken(provider, 'gone')
    await db.rows(`UPDATE ${TABLE} SET expires_at = NOW() WHERE lock_key = 'gone'`)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs })
    const wrong = open()
    expect(await wrong.take('held', request('theirs'), never)).toMatchObject({
      is: 'held',
      holder: { expiresAt },
    })
    expect((await wrong.read('held', never))?.owner).toBe('ours')
    expect(await wrong.read('gone', never)).toBeNull()
    const lock = await taken(wrong, 'gone')
    const [row] = await db.rows(
      `SELECT TIMESTAMPDIFF(SECOND, NOW(), expires_at) AS secondsLeft FROM ${TABLE} WHERE lock_key = 'gone'`,
    )
    expect(Number(row?.['secondsLeft'])).toBeGreaterThan(50)
    expect(Number(row?.['secondsLeft'])).toBeLessThanOrEqual(61)
    expect(Math.abs(lock.expiresAt - expiresAt)).toBeLessThan(MINUTE)
  })

  it('uses up no numbers while others wait', async () => {
    const provider = open()
    await provider.setup(never)
    await taken(provider, 'A')
    const next = async () => {
      const [row] = await db.rows(
        'SELECT AUTO_INCREMENT AS number FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()',
      )
      return Number(row?.['number'])
    }
    const before = await next()
    for (let i = 0; i < 10; i++) await provider.take('A', request(`run-${i}`), never)
    expect(await next()).toBe(before)
  })

  it('has no fencing number when that is turned off', async () => {
    const provider = open({}, false)
    await provider.setup(never)
    const lock = await taken(provider, 'A')
    expect(lock.fencing).toBeNull()
    expect(lock.mark).toMatch(/^\d+$/)
  })

  it.each([
    ['8.0.36', true],
    ['5.7.44-log', false],
    ['10.11.19-MariaDB-0+deb12u1', true],
    ['5.5.5-10.2.3-MariaDB', false],
    ['5.5.5-10.2.4-MariaDB', true],
    ['11.4.2-MariaDB', true],
    ['', false],
  ])('of the server %s has numbers that rise: %s', (version, rise) => {
    expect(numbersRise(version)).toBe(rise)
  })
})

describe('a later holder has the greater number', () => {
  it('while many acquire and release', async () => {
    const providers = Array.from({ length: 6 }, () => open())
    await Promise.all(providers.map(provider => provider.setup(never)))
    const numbers: number[] = []
    await Promise.all(
      providers.map(async (provider, i) => {
        for (let left = 30; left > 0; ) {
          const lock = await provider.take('A', request(`run-${i}`), never)
          if (lock.is === 'held') continue
          left--
          // Nobody else can be told of a number before this one is let go.
          numbers.push(lock.fencing ?? 0)
          await provider.release('A', { owner: `run-${i}`, mark: lock.mark }, never)
        }
      }),
    )
    expect(numbers).toHaveLength(180)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })
})

describe('a connection that dies', () => {
  /** An INSERT waits in a trigger for a name that the test holds, with the old row already deleted. */
  async function stuckTake(): Promise<{ answer: Promise<unknown>; id: number; provider: Provider }> {
    const provider = open()
    await provider.setup(never)
    await taken(provider, 'A', 'old')
    await db.rows(`UPDATE ${TABLE} SET expires_at = NOW()`)
    await db.plain.query(
      `CREATE TRIGGER waits BEFORE INSERT ON ${TABLE} FOR EACH ROW DO GET_LOCK('${db.name}', 3)`,
    )
    await db.rows(`SELECT GET_LOCK('${db.name}', 0)`)
    const answer = provider.take('A', request('new'), never)
    answer.catch(() => {})
    const find = () =>
      db.rows("SELECT ID FROM information_schema.PROCESSLIST WHERE DB = ? AND STATE = 'User lock'", [db.name])
    await expect.poll(find).toHaveLength(1)
    const [row] = await find()
    return { answer, id: Number(row?.['ID']), provider }
  }

  it('in the middle of a transaction changes nothing', async () => {
    const { answer, id, provider } = await stuckTake()
    await db.plain.query(`KILL ${id}`)
    const failure = await failureOf(answer)
    expect(failure.code).toBe('STORE_UNREACHABLE')
    expect(failure.uncertain).toBeUndefined()
    expect(await rows()).toEqual([{ lock_key: 'A', lock_id: 'old' }])
    // Until its transaction is rolled back, it holds the table against DROP TRIGGER, and waits for the lock of this session.
    const process = () => db.rows('SELECT ID FROM information_schema.PROCESSLIST WHERE ID = ?', [String(id)])
    await expect.poll(process).toEqual([])
    await db.plain.query('DROP TRIGGER waits')
    expect(await provider.take('A', request('new'), never)).toMatchObject({ is: 'taken' })
  })

  it('after COMMIT was sent leaves an acquisition that may have happened, and says so', async () => {
    await open().setup(never)
    const wire = await Wire.to(db.port)
    closing.push(() => wire.close())
    const provider = open({ port: wire.port })
    await provider.read('A', never)
    wire.mode = 'cut-after-commit'
    expect(await failureOf(provider.take('A', request('ours'), never))).toMatchObject({
      code: 'STORE_UNREACHABLE',
      uncertain: true,
      message: expect.stringContaining('acquisition'),
    })
  })

  it.each(['renewal', 'release'] as const)('after a %s was sent leaves it open, and says so', async what => {
    const direct = open()
    await direct.setup(never)
    const { mark } = await taken(direct, 'A')
    const proof = { owner: 'ours', mark }
    const wire = await Wire.to(db.port)
    closing.push(() => wire.close())
    const provider = open({ port: wire.port })
    await provider.read('A', never)
    wire.mode = 'cut-after-write'
    const done =
      what === 'renewal' ? provider.extend('A', proof, MINUTE, never) : provider.release('A', proof, never)
    expect(await failureOf(done)).toMatchObject({
      code: 'STORE_UNREACHABLE',
      uncertain: true,
      message: expect.stringContaining(what),
    })
  })
})

describe('a row that another transaction holds', () => {
  it('is waited for, and then reported as held, without uncertainty', async () => {
    const provider = open()
    await provider.setup(never)
    await taken(provider, 'A', 'old')
    await db.rows(`UPDATE ${TABLE} SET expires_at = NOW()`)
    const another = await db.another()
    await another.query('START TRANSACTION')
    await another.query(`SELECT * FROM ${TABLE} FOR UPDATE`)
    const failure = await failureOf(provider.take('A', request('new'), never))
    expect(failure).toMatchObject({
      code: 'STORE_ERROR',
      message: expect.stringContaining('nothing was changed'),
    })
    expect(failure.uncertain).toBeUndefined()
    await another.end()
    expect(await provider.take('A', request('new'), never)).toMatchObject({ is: 'taken' })
  })
})
