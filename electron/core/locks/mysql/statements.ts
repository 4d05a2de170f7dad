import { isRepresentable } from '../../../../shared/lease.ts'
import { unreadable } from '../../stores/bad-answer.ts'
import type { Session } from '../../stores/mysql/connect.ts'
import type { Column, Value } from '../../stores/mysql/format/table.ts'
import { allOf, compareKey, isExactly, quoteName, rowWithKey, type Sql } from '../../stores/mysql/sql.ts'
import type { OwnerProof } from '../provider.ts'
import type { CurrentHolder } from '../types.ts'

/** The part of a table that the statements need. */
export type Target = { readonly name: string; readonly key: Column; readonly owner: Column }

/** A row as text, with times in seconds since 1970, independent of time zones. */
const ROW = `CAST(id AS CHAR), CONVERT(lock_id USING utf8mb4), CAST(pid AS CHAR),
  CAST(UNIX_TIMESTAMP(acquired_at) AS CHAR), CAST(UNIX_TIMESTAMP(expires_at) AS CHAR),
  IF(expires_at IS NULL OR expires_at > NOW(), '1', '0'), CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR)`

/** The complement of `expires_at <= NOW()`, by which other programs clean up. */
const LIVE: Sql = { text: '(expires_at IS NULL OR expires_at > NOW())', values: [] }
const EXPIRED: Sql = { text: 'expires_at <= NOW()', values: [] }

export type StoredRow = {
  readonly id: string
  readonly holder: CurrentHolder
  readonly isLive: boolean
  /** The server's time in the same statement. */
  readonly readAt: number
}

export type Reading = { readonly now: number; readonly isReadOnly: boolean; readonly row: StoredRow | null }

/** The row of one lock, through one session. */
export class LockRow {
  readonly #table: string

  constructor(
    readonly session: Session,
    readonly target: Target,
    readonly key: string,
  ) {
    this.#table = quoteName(target.name)
  }

  /** Takes no row lock, so pollers block no program. */
  async look(): Promise<Reading> {
    const where = compareKey(this.target.key, '=', this.key)
    const [[now, readOnly, ...row] = []] = await this.session.read(
      `SELECT CAST(UNIX_TIMESTAMP(NOW(6)) AS CHAR), CAST(@@global.read_only AS CHAR), ${ROW}
      FROM (SELECT 1 AS one) AS asked LEFT JOIN ${this.#table} ON ${where.text}`,
      where.values,
    )
    return { now: clockOf(now), isReadOnly: /^(1|on)$/i.test(String(readOnly)), row: rowFrom(row) }
  }

  /** Locks the row that the unique index has for this key until the transaction ends. */
  lock(): Promise<StoredRow | null> {
    return this.#find(compareKey(this.target.key, '=', this.key), 'FOR UPDATE')
  }

  findOwn(owner: string): Promise<StoredRow | null> {
    return this.#find(this.#isOurs({ owner, mark: null }))
  }

  /** The column has whole seconds: rounded up, so that the holder has its full lease. */
  insert(owner: string, ttlMs: number): Promise<number> {
    return this.session.change(
      `INSERT INTO ${this.#table} (lock_key, lock_id, pid, acquired_at, expires_at)
      VALUES (?, ?, ?, NOW(), FROM_UNIXTIME(CEILING(UNIX_TIMESTAMP(NOW(6)) + CAST(? AS DECIMAL(20, 6)))))`,
      [this.key, owner, String(process.pid), String(ttlMs / 1000)],
    )
  }

  /** `acquired_at` stays, even in a table that updates it automatically. */
  extend(proof: OwnerProof, endsAtSeconds: number): Promise<number> {
    const where = allOf([this.#isOurs(proof), LIVE])
    return this.session.change(
      `UPDATE ${this.#table} SET expires_at = FROM_UNIXTIME(?), acquired_at = acquired_at
      WHERE ${where.text}`,
      [String(endsAtSeconds), ...where.values],
    )
  }

  /** An expired row, if it is still the same. */
  removeExpired({ id, holder }: StoredRow): Promise<number> {
    return this.#remove([hasId(id), isExactly(this.target.owner, holder.owner), EXPIRED])
  }

  removeOwn(proof: OwnerProof): Promise<number> {
    return this.#remove([this.#isOurs(proof)])
  }

  removeLive(proof: OwnerProof): Promise<number> {
    return this.#remove([this.#isOurs(proof), LIVE])
  }

  async #find(where: Sql, forUpdate = ''): Promise<StoredRow | null> {
    const select = `SELECT ${ROW} FROM ${this.#table} WHERE ${where.text} ${forUpdate}`
    const [row = []] = await this.session.read(select, where.values)
    return rowFrom(row)
  }

  #remove(conditions: readonly Sql[]): Promise<number> {
    const where = allOf(conditions)
    return this.session.change(`DELETE FROM ${this.#table} WHERE ${where.text}`, where.values)
  }

  /** Exactly this key and owner, byte for byte. */
  #isOurs({ owner, mark }: OwnerProof): Sql {
    const { key, owner: ownerColumn } = this.target
    const mine = [rowWithKey(key, this.key), isExactly(ownerColumn, owner)]
    return allOf(mark === null ? mine : [...mine, hasId(mark)])
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

function rowFrom([id, owner, pid, acquired, expires, live, now]: readonly Value[]): StoredRow | null {
  if (id == null) return null
  return {
    id: String(id),
    holder: {
      owner: String(owner),
      label: pid == null ? null : `pid ${pid}`,
      acquiredAt: millis(acquired),
      expiresAt: millis(expires),
    },
    isLive: String(live) === '1',
    readAt: clockOf(now),
  }
}

/** MySQL compares text with a number as doubles, which have too few digits. */
function hasId(id: string): Sql {
  return { text: 'id = CAST(? AS UNSIGNED)', values: [id] }
}

function millis(seconds: Value | undefined): number | null {
  if (seconds == null) return null
  const at = Math.round(Number(seconds) * 1000)
  if (!isRepresentable(at)) throw unreadable('a time')
  return at
}

/** The server's time, from which leases are counted. */
function clockOf(seconds: Value | undefined): number {
  const now = millis(seconds)
  if (now === null) throw unreadable('its clock')
  return now
}
