import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LockTable, readCatalogue } from '../../../../electron/core/stores/mysql/catalogue.ts'
import { Connections, type Session } from '../../../../electron/core/stores/mysql/connect.ts'
import type { MysqlRaw } from '../../../../electron/core/stores/mysql/format/table.ts'
import { MYSQL_FORMATS } from '../../../../electron/core/stores/mysql/formats/index.ts'
import { readRows } from '../../../../electron/core/stores/mysql/rows.ts'
import {
  compareKey,
  quoteName,
  releaseStatement,
  rowWithKey,
  showSql,
} from '../../../../electron/core/stores/mysql/sql.ts'
import { Database, never, RECHARGE, SHEDLOCK } from './database.ts'

let db: Database
let connections: Connections

beforeEach(async () => {
  db = await Database.create()
  connections = new Connections(db.address())
})
afterEach(async () => {
  await connections.close()
  await db.drop()
})

async function onlyTable(session: Session): Promise<LockTable> {
  const { tables } = await readCatalogue(session, db.address(), MYSQL_FORMATS)
  if (tables.length !== 1 || !tables[0]) throw new Error('not one lock table')
  return tables[0]
}

/** Reads a row, lets somebody else change it, and only then sends the statement: what no check before can catch. */
async function releaseAfter(key: string, change: string | null): Promise<number> {
  return connections.use(never, async session => {
    const table = await onlyTable(session)
    const { raws } = await readRows(session, table, [table.key.binary ? Buffer.from(key) : key])
    if (change !== null) await db.plain.query(change)
    const { text, values } = releaseStatement(table.format.release(raws[0] as MysqlRaw, undefined))
    return session.change(text, values)
  })
}

describe('the statement of a release compares everything itself', () => {
  it.each([
    ['nothing', null, 1],
    ['the case of the owner', "lock_id = 'OWNER'", 0],
    ['a space after the owner', "lock_id = 'owner '", 0],
    ['an accent of the owner', "lock_id = 'ownér'", 0],
    ['the case of the key', "lock_key = 'gps'", 0],
    ['pid', 'pid = 2', 0],
    ['pid to none', 'pid = NULL', 0],
    ['id', 'id = 77', 0],
    ['acquired_at', "acquired_at = '2024-01-01 00:00:01'", 0],
    ['expires_at', "expires_at = '2037-01-01 00:00:01'", 0],
    ['expires_at to none', 'expires_at = NULL', 0],
  ])('process lock table, changed: %s', async (_, change, rows) => {
    await db.plain.query(RECHARGE)
    await db.plain.query(`INSERT INTO recargas_process_locks VALUES
      (5, 'GPS', 'owner', 1, '2024-01-01 00:00:00', '2037-01-01 00:00:00'),
      (6, 'other', 'owner', 1, '2024-01-01 00:00:00', '2037-01-01 00:00:00')`)
    const sql = change && `UPDATE recargas_process_locks SET ${change} WHERE id = 5`
    expect(await releaseAfter('GPS', sql)).toBe(rows)
    expect(await db.rows('SELECT id FROM recargas_process_locks')).toHaveLength(2 - rows)
  })

  it.each([
    ['nothing', null, 1],
    ['the case of the host', "locked_by = 'HOST'", 0],
    ['a space after the host', "locked_by = 'host '", 0],
    ['a millisecond of locked_at', "locked_at = '2024-01-01 00:00:00.001'", 0],
    ['a millisecond of lock_until', "lock_until = '2037-01-01 00:00:00.001'", 0],
  ])('ShedLock table, changed: %s', async (_, change, rows) => {
    await db.plain.query(SHEDLOCK)
    await db.plain.query("INSERT INTO shedlock VALUES ('job', '2037-01-01', '2024-01-01', 'host')")
    expect(await releaseAfter('job', change && `UPDATE shedlock SET ${change}`)).toBe(rows)
    expect(await db.rows('SELECT name FROM shedlock WHERE lock_until > NOW(3)')).toHaveLength(1 - rows)
  })

  it('bytes in a binary column', async () => {
    await db.plain.query(`CREATE TABLE locks (lock_key VARBINARY(9) PRIMARY KEY, lock_id VARBINARY(9), pid INT,
      acquired_at DATETIME, expires_at DATETIME)`)
    await db.plain.query("INSERT INTO locks (lock_key, lock_id) VALUES ('k', x'ff61')")
    expect(await releaseAfter('k', "UPDATE locks SET lock_id = x'ff41'")).toBe(0)
    expect(await releaseAfter('k', null)).toBe(1)
  })
})

describe('finding rows by their key', () => {
  it.each([
    ['VARCHAR(50)', 'utf8mb4'],
    ['VARCHAR(50)', 'latin1'],
    ['VARCHAR(50)', 'utf8mb4 COLLATE utf8mb4_bin'],
    ['VARBINARY(50)', 'utf8mb4'],
    ['CHAR(36)', 'ascii'],
  ])('goes through the index of a %s key in %s', async (type, charset) => {
    await db.plain.query(`CREATE TABLE locks (lock_key ${type} PRIMARY KEY, lock_id TEXT, pid INT,
      acquired_at TIMESTAMP NULL, expires_at TIMESTAMP NULL) CHARACTER SET ${charset}`)
    const values = Array.from({ length: 500 }, (_, i) => `('key-${i}', 'o')`).join(', ')
    await db.plain.query(`INSERT INTO locks (lock_key, lock_id) VALUES ${values}`)
    await db.plain.query('ANALYZE TABLE locks')
    await connections.use(never, async session => {
      const { key } = await onlyTable(session)
      const value = key.binary ? Buffer.from('key-490') : 'key-490'
      const one = rowWithKey(key, value)
      const [single] = await session.read(`EXPLAIN SELECT * FROM locks WHERE ${one.text}`, one.values)
      expect(single?.[3]).toBe('const')
      const after = compareKey(key, '>', value)
      const [page] = await session.read(
        `EXPLAIN SELECT * FROM locks WHERE ${after.text} ORDER BY lock_key LIMIT 10`,
        after.values,
      )
      expect(page?.[3]).toBe('range')
      expect(String(page?.[9])).not.toContain('filesort')
    })
  })
})

describe('SQL for people', () => {
  it('doubles backticks in names', () => {
    expect(quoteName('a`b')).toBe('`a``b`')
  })

  it('puts values in place of question marks, but not inside names', () => {
    const sql = { text: 'DELETE FROM `a?``?` WHERE `b` = ? AND `c` <=> ?', values: ["o'\\\n", null] }
    expect(showSql(sql)).toBe("DELETE FROM `a?``?` WHERE `b` = 'o''\\\\\\n' AND `c` <=> NULL")
  })
})
