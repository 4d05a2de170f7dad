import { randomBytes } from 'node:crypto'
import { type Connection, createConnection, type ResultSetHeader } from 'mysql2/promise'
import { inject } from 'vitest'
import { mysqlAddress, RECHARGE, SHEDLOCK } from '../core/stores/mysql/database.ts'
import { startMariaDb } from '../servers/mariadb.ts'
import type { HarnessFactory } from './harness.ts'
import { type Open, openHere } from './open.ts'

/** How one of the lock systems writes its table, in plain SQL. */
type Dialect = {
  readonly kind: string
  readonly table: string
  readonly create: string
  /** Takes the lock, replacing whoever has it: name, owner, microseconds. */
  readonly hold: string
  /** The same, only if it is free. */
  readonly acquire: readonly string[]
  readonly drop: string
  readonly owner: string
  readonly remainingUs: string
  /** The same columns without a unique key: rows that cannot be told apart are no locks to us. */
  readonly createKeyless: string
}

const recharge: Dialect = {
  kind: 'mysql',
  table: 'recargas_process_locks',
  create: RECHARGE,
  hold: `REPLACE INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at)
    VALUES (?, ?, 4711, NOW(), NOW() + INTERVAL ? MICROSECOND)`,
  acquire: [
    `INSERT IGNORE INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at)
      VALUES (?, ?, 4711, NOW(), NOW() + INTERVAL ? MICROSECOND)`,
  ],
  drop: 'DELETE FROM recargas_process_locks WHERE lock_key = ?',
  owner: 'SELECT lock_id AS owner FROM recargas_process_locks WHERE lock_key = ?',
  remainingUs: `SELECT TIMESTAMPDIFF(MICROSECOND, NOW(6), expires_at) AS us
    FROM recargas_process_locks WHERE lock_key = ?`,
  createKeyless:
    'CREATE TABLE keyless (lock_key TEXT, lock_id TEXT, pid INT, acquired_at INT, expires_at INT)',
}

const shedlock: Dialect = {
  kind: 'mysql with ShedLock',
  table: 'shedlock',
  create: SHEDLOCK,
  hold: `INSERT INTO shedlock (name, locked_by, locked_at, lock_until)
    VALUES (?, ?, NOW(3), NOW(3) + INTERVAL ? MICROSECOND)
    ON DUPLICATE KEY UPDATE locked_by = VALUES(locked_by), locked_at = VALUES(locked_at),
      lock_until = VALUES(lock_until)`,
  acquire: [
    `INSERT IGNORE INTO shedlock (name, locked_by, locked_at, lock_until)
      VALUES (?, ?, NOW(3), NOW(3) + INTERVAL ? MICROSECOND)`,
    `UPDATE shedlock, (SELECT ? AS name, ? AS owner, ? AS us) AS taker SET shedlock.locked_by = taker.owner,
      shedlock.locked_at = NOW(3), shedlock.lock_until = NOW(3) + INTERVAL taker.us MICROSECOND
      WHERE shedlock.name = taker.name AND shedlock.lock_until <= NOW(3)`,
  ],
  drop: 'UPDATE shedlock SET lock_until = NOW(3) WHERE name = ?',
  owner: 'SELECT locked_by AS owner FROM shedlock WHERE name = ? AND lock_until > NOW(3)',
  remainingUs: 'SELECT TIMESTAMPDIFF(MICROSECOND, NOW(6), lock_until) AS us FROM shedlock WHERE name = ?',
  createKeyless: 'CREATE TABLE keyless (name TEXT, lock_until INT, locked_at INT, locked_by TEXT)',
}

const HOUR_US = 3_600_000_000

function factoryFor(dialect: Dialect, openStore: Open = openHere): HarnessFactory {
  return {
    kind: dialect.kind,
    async open() {
      const port = inject('mariadbPort')
      const database = `contract_${randomBytes(8).toString('hex')}`
      const reader = `r_${randomBytes(8).toString('hex')}`
      const plain = await createConnection({ host: '127.0.0.1', port, user: 'root' })
      await plain.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
      await plain.query(`USE ${database}`)
      await plain.query(dialect.create)
      await plain.query(`CREATE USER ${reader}@'127.0.0.1' IDENTIFIED BY 'look'`)
      await plain.query(`GRANT SELECT ON ${database}.* TO ${reader}@'127.0.0.1'`)
      const store = await openStore(mysqlAddress({ port, database }))
      const readOnly = await openStore(mysqlAddress({ port, database, username: reader, password: 'look' }))
      return {
        store,
        readOnly,
        keyOf: name => name,
        hold: (name, owner, leaseMs) => hold(plain, dialect, name, owner, leaseMs * 1000),
        acquire: (name, owner, leaseMs) => acquire(plain, dialect, name, owner, leaseMs * 1000),
        holdMany: async (names, owner) => {
          await plain.query('START TRANSACTION')
          for (const name of names) await hold(plain, dialect, name, owner, HOUR_US)
          await plain.query('COMMIT')
        },
        drop: async name => {
          await plain.execute(dialect.drop, [name])
        },
        ownerOf: async name => (await first(plain, dialect.owner, name))?.['owner'] ?? null,
        putUnrecognised: async () => {
          await plain.query(dialect.createKeyless)
          return 'keyless'
        },
        remainingMs: async name => Number((await first(plain, dialect.remainingUs, name))?.['us']) / 1000,
        close: async () => {
          await Promise.all([store.close(), readOnly.close()])
          await plain.query(`DROP USER ${reader}@'127.0.0.1'`)
          await plain.query(`DROP DATABASE ${database}`)
          await plain.end()
        },
      }
    },
    async openOutage() {
      const server = await startMariaDb()
      const plain = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
      await plain.query('CREATE DATABASE outage')
      await plain.query('USE outage')
      await plain.query(dialect.create)
      await hold(plain, dialect, 'survivor', 'owner-1', HOUR_US)
      await plain.end()
      const store = await openStore(mysqlAddress({ port: server.port, database: 'outage' }))
      return {
        store,
        kill: () => server.kill(),
        freeze: () => server.freeze(),
        thaw: () => server.thaw(),
        revive: () => server.revive(),
        close: async () => {
          await store.close()
          await server.close()
        },
      }
    },
  }
}

async function hold(
  plain: Connection,
  dialect: Dialect,
  name: string,
  owner: string,
  leaseUs: number,
): Promise<void> {
  await plain.execute(dialect.hold, [name, owner, leaseUs])
}

async function acquire(
  plain: Connection,
  dialect: Dialect,
  name: string,
  owner: string,
  leaseUs: number,
): Promise<boolean> {
  for (const sql of dialect.acquire) {
    const [result] = await plain.query(sql, [name, owner, leaseUs])
    if ((result as ResultSetHeader).affectedRows > 0) return true
  }
  return false
}

async function first(
  plain: Connection,
  sql: string,
  name: string,
): Promise<Record<string, string> | undefined> {
  const [rows] = await plain.execute(sql, [name])
  return (rows as Record<string, string>[])[0]
}

export const mysqlHarness = factoryFor(recharge)
export const mysqlHarnessWith = (open: Open) => factoryFor(recharge, open)
export const shedlockHarness = factoryFor(shedlock)
