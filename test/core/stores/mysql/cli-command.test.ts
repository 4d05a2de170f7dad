import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mysqlCommand } from '../../../../electron/core/stores/mysql/cli-command.ts'
import { exactSql } from '../../../../electron/core/stores/mysql/sql.ts'
import { bash, wordsOf } from '../../../bash.ts'
import { Database, never, RECHARGE, SHEDLOCK } from './database.ts'

const HOSTILE = `'"\\ $(touch /tmp/owned) \`id\` \\' \\0 \\n; \\g -- # /* é漢 \u001b[31m\u202e\n\r\t?`
const RELEASED = { out: 'outcome\nreleased', problem: '' }
const NOTHING = { out: expect.stringMatching(/^outcome\nnothing was done/), problem: '' }

let db: Database
beforeEach(async () => {
  db = await Database.create()
})
afterEach(() => db.drop())

const lineFor = async (id: string, store = db.store()) => (await store.inspect(id, never))?.command

describe('the line for mysql', () => {
  // The server's own defaults must not matter, and these change what text and times mean.
  it.each(['', 'NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'])(
    'deletes exactly the row that was seen, on a server with sql_mode "%s" and another time zone',
    async mode => {
      await db.plain.query(RECHARGE)
      const put = (owner: string) =>
        db.plain.execute(
          `REPLACE INTO recargas_process_locks VALUES (5, ?, ?, 1, '2024-01-01 00:00:00', '2037-01-01 00:00:00')`,
          [HOSTILE, owner],
        )
      await put(HOSTILE)
      await db.plain.execute("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('other', 'x')")
      const line = await lineFor(HOSTILE)
      const session = `SET SESSION sql_mode = '${mode}', SESSION time_zone = '-11:00'`
      const there = line?.replace('mysql ', `mysql --init-command="${session}" `)
      await put(`${HOSTILE} `)
      expect(bash(there)).toEqual(NOTHING)
      expect(await db.rows('SELECT id FROM recargas_process_locks')).toHaveLength(2)
      await put(HOSTILE)
      expect(bash(there)).toEqual(RELEASED)
      expect(await db.rows('SELECT lock_key FROM recargas_process_locks')).toEqual([{ lock_key: 'other' }])
      expect(bash(there)).toEqual(NOTHING)
    },
  )

  it('ends a ShedLock and keeps its row', async () => {
    await db.plain.query(SHEDLOCK)
    await db.plain.query("INSERT INTO shedlock VALUES ('job', '2037-01-01', '2024-01-01', 'host')")
    const line = await lineFor('job')
    await db.plain.query("UPDATE shedlock SET lock_until = '2037-01-01 00:00:00.001'")
    expect(bash(line)).toEqual(NOTHING)
    await db.plain.query("UPDATE shedlock SET lock_until = '2037-01-01'")
    expect(bash(line)).toEqual(RELEASED)
    expect(await db.rows('SELECT name FROM shedlock WHERE lock_until <= NOW(3)')).toHaveLength(1)
  })

  it('compares bytes, and finds its way into a table with a hostile name', async () => {
    await db.plain.query(`CREATE TABLE \`a?\`\` '\\\\ ;é\` (lock_key VARBINARY(9) PRIMARY KEY, lock_id VARBINARY(9), pid INT,
      acquired_at DATETIME, expires_at DATETIME)`)
    const put = (owner: string) =>
      db.plain.query(`REPLACE INTO \`a?\`\` '\\\\ ;é\` (lock_key, lock_id) VALUES (x'00ff27', x'${owner}')`)
    await put('ff61')
    const line = await lineFor('hex:00ff27')
    await put('ff41')
    expect(bash(line)).toEqual(NOTHING)
    await put('ff61')
    expect(bash(line)).toEqual(RELEASED)
  })

  it('prompts for a password and never contains one', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('a', 'x')")
    const account = await db.account(`SELECT, DELETE ON ${db.name}.*`)
    const words = wordsOf(await lineFor('a', db.store(account)))
    expect(words.join(' ')).not.toContain(account.password)
    expect(words.slice(0, 9)).toEqual([
      'mysql',
      '--protocol=TCP',
      '-h',
      '127.0.0.1',
      '-P',
      String(db.port),
      '-u',
      account.username,
      '-p',
    ])
    expect(wordsOf(await lineFor('a'))).not.toContain('-p')
  })

  it('is refused by a server without encryption when the address wants it', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('a', 'x')")
    const table = { name: 'recargas_process_locks', columns: new Map(), unique: new Set<string>() }
    const column = {
      type: 'text',
      binary: false,
      nullable: false,
      charset: null,
      collation: null,
      precision: 0,
      width: 0,
      numbered: false,
    }
    table.columns.set('lock_key', { ...column, name: 'lock_key' })
    const line = mysqlCommand(db.address({ tls: true }), {
      op: 'delete',
      table,
      key: ['lock_key', 'a'],
      seen: [],
    })
    expect(bash(line)).toEqual({ out: '', problem: expect.stringContaining('SSL') })
    expect(await db.rows('SELECT id FROM recargas_process_locks')).toHaveLength(1)
  })

  it('trusts the same keys as the store', async () => {
    await db.plain.query(RECHARGE)
    await db.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    const line = await lineFor('GPS', db.store({ allowPublicKeyRetrieval: true }))
    expect(line).toContain('--loose-get-server-public-key')
    // The client of MariaDB does not know the option, and says so.
    expect(bash(line).out).toBe(RELEASED.out)
  })

  it('is null when it would be too long', async () => {
    await db.plain.query(`CREATE TABLE locks (lock_key VARCHAR(50) PRIMARY KEY, lock_id TEXT, pid INT,
      acquired_at DATETIME, expires_at DATETIME)`)
    await db.plain.query(
      "INSERT INTO locks (lock_key, lock_id) VALUES ('long', REPEAT('x', 9000)), ('ok', REPEAT('x', 900))",
    )
    const detail = await db.store().inspect('long', never)
    expect(detail?.release[0]).toContain('…')
    expect(detail?.command).toBeNull()
    expect(bash(await lineFor('ok'))).toEqual(RELEASED)
  })
})

it.each([HOSTILE, 'plain', '', 'a\\', "a'", '\u0000', '漢'])('the literal of %j is that text', async text => {
  const [row] = await db.rows(`SELECT ${exactSql({ text: '?', values: [text] })} AS text`)
  expect(row?.['text']).toBe(text)
})
