import type { Column, Value } from '../../stores/mysql/format/table.ts'
import { allOf, compareKey, isExactly, quoteName, type Sql } from '../../stores/mysql/sql.ts'
import type { OwnerProof } from '../provider.ts'

/** The part of a table that the statements need. */
export type Target = { readonly name: string; readonly key: Column; readonly owner: Column }

/** A row as text, with times in seconds since 1970, independent of time zones. */
const ROW = `CAST(id AS CHAR), CONVERT(lock_id USING utf8mb4), CAST(pid AS CHAR),
  CAST(UNIX_TIMESTAMP(acquired_at) AS CHAR), CAST(UNIX_TIMESTAMP(expires_at) AS CHAR),
  IF(expires_at IS NULL OR expires_at > NOW(), '1', '0'), CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR)`

export type StoredRow = {
  readonly id: string
  readonly owner: string
  readonly pid: string | null
  readonly acquiredAt: number | null
  readonly expiresAt: number | null
  readonly live: boolean
  /** The server's time in the same statement. */
  readonly readAt: number
}

export function rowFrom([id, owner, pid, acquired, expires, live, now]: readonly Value[]): StoredRow {
  return {
    id: String(id),
    owner: String(owner),
    pid: pid == null ? null : String(pid),
    acquiredAt: millis(acquired),
    expiresAt: millis(expires),
    live: String(live) === '1',
    readAt: millis(now) ?? 0,
  }
}

/** Reads the server's time, whether it is read-only, and the row if any. Takes no row lock, so pollers block no program. */
export function look(table: Target, key: string): Sql {
  const held = compareKey(table.key, '=', key)
  return {
    text: `SELECT CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR), CAST(@@global.read_only AS CHAR), ${ROW}
      FROM (SELECT 1 AS one) AS asked LEFT JOIN ${quoteName(table.name)} ON ${held.text}`,
    values: held.values,
  }
}

export type Seen = { readonly now: number; readonly readOnly: boolean; readonly row: StoredRow | null }

export function seenFrom([now, readOnly, ...row]: readonly Value[]): Seen {
  return {
    now: millis(now) ?? 0,
    readOnly: /^(1|on)$/i.test(String(readOnly)),
    row: row[0] == null ? null : rowFrom(row),
  }
}

/** Locks the row that the unique index has for this key until the transaction ends. */
export function lockRow(table: Target, key: string): Sql {
  const where = compareKey(table.key, '=', key)
  return {
    text: `SELECT ${ROW} FROM ${quoteName(table.name)} WHERE ${where.text} FOR UPDATE`,
    values: where.values,
  }
}

/** Exactly this key and owner, byte for byte. */
export function ownRow(table: Target, key: string, owner: string): Sql {
  const where = isOurs(table, key, { owner, mark: null })
  return { text: `SELECT ${ROW} FROM ${quoteName(table.name)} WHERE ${where.text}`, values: where.values }
}

/** The column has whole seconds: rounded up, so that the holder has its full lease. */
export function insertRow(table: Target, key: string, owner: string, pid: number, ttlMs: number): Sql {
  return {
    text: `INSERT INTO ${quoteName(table.name)} (lock_key, lock_id, pid, acquired_at, expires_at)
      VALUES (?, ?, ?, NOW(), FROM_UNIXTIME(CEILING(UNIX_TIMESTAMP(NOW(6)) + CAST(? AS DECIMAL(20, 6)))))`,
    values: [key, owner, String(pid), String(ttlMs / 1000)],
  }
}

/** An expired row, if it is still the same. */
export function removeExpired(table: Target, { id, owner }: StoredRow): Sql {
  const where = allOf([hasId(id), isExactly(table.owner, owner)])
  return {
    text: `DELETE FROM ${quoteName(table.name)} WHERE ${where.text} AND expires_at <= NOW()`,
    values: where.values,
  }
}

/** `acquired_at` stays, even in a table that updates it automatically. */
export function extendRow(table: Target, key: string, proof: OwnerProof, endsAtSeconds: number): Sql {
  const where = isOurs(table, key, proof)
  return {
    text: `UPDATE ${quoteName(table.name)} SET expires_at = FROM_UNIXTIME(?), acquired_at = acquired_at
      WHERE ${where.text} AND ${LIVE}`,
    values: [String(endsAtSeconds), ...where.values],
  }
}

export function removeOwn(
  table: Target,
  key: string,
  proof: OwnerProof,
  only: 'while-live' | 'in-any-case',
): Sql {
  const where = isOurs(table, key, proof)
  return {
    text: `DELETE FROM ${quoteName(table.name)} WHERE ${where.text}${only === 'while-live' ? ` AND ${LIVE}` : ''}`,
    values: where.values,
  }
}

/** The documented table, with more room for numbers and a collation that tells all names apart. An existing table stays as it is. */
export function createTable(name: string, collation: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quoteName(name)} (
    id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
    lock_key VARCHAR(100) NOT NULL UNIQUE,
    lock_id VARCHAR(255) NOT NULL,
    pid INT,
    acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMP NULL,
    INDEX idx_lock_key (lock_key),
    INDEX idx_expires (expires_at)
  ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE ${collation}`
}

/** The complement of `expires_at <= NOW()`, by which other programs clean up. */
const LIVE = '(expires_at IS NULL OR expires_at > NOW())'

function isOurs(table: Target, key: string, { owner, mark }: OwnerProof): Sql {
  return allOf([
    compareKey(table.key, '=', key),
    isExactly(table.key, key),
    isExactly(table.owner, owner),
    ...(mark === null ? [] : [hasId(mark)]),
  ])
}

/** MySQL compares text with a number as doubles, which have too few digits. */
function hasId(id: string): Sql {
  return { text: 'id = CAST(? AS UNSIGNED)', values: [id] }
}

function millis(seconds: Value | undefined): number | null {
  return seconds == null ? null : Math.round(Number(seconds) * 1000)
}
