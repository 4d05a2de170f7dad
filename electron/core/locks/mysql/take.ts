import { StoreError } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import type { Decided, Session } from '../../stores/mysql/connect.ts'
import { isContention, isDuplicate, readOnlyServer } from '../../stores/mysql/server-errors.ts'
import type { AcquireRequest, Grant, Refusal } from '../provider.ts'
import type { CurrentHolder } from '../types.ts'
import type { LockTable } from './lock-table.ts'
import {
  insertRow,
  lockRow,
  look,
  ownRow,
  removeExpired,
  removeOwn,
  rowFrom,
  type Seen,
  type StoredRow,
  seenFrom,
} from './statements.ts'

/** The last second that a TIMESTAMP has on most servers, in January 2038. */
const LAST_SECOND = 2_147_483_647
const TRIES = 5
/** No retry after this: a row lock already costs up to three seconds of waiting. */
const TRIES_MS = 5000

export async function lookAt(session: Session, table: LockTable, key: string): Promise<Seen> {
  const { text, values } = look(table, key)
  const [row = []] = await session.read(text, values)
  return seenFrom(row)
}

export function holderOf({ owner, pid, acquiredAt, expiresAt }: StoredRow): CurrentHolder {
  return { owner, label: pid === null ? null : `pid ${pid}`, acquiredAt, expiresAt }
}

/** An administrator may write to a replica, where a lock would protect nothing. */
export function checkWritable({ readOnly }: Seen): void {
  if (readOnly) throw readOnlyServer()
}

/** The expiry of a lock acquired now, in seconds. */
export function endFrom({ now }: Seen, ttlMs: number): number {
  const seconds = Math.ceil((now + ttlMs) / 1000)
  if (!(seconds <= LAST_SECOND))
    throw new StoreError('BAD_INPUT', 'The lock would end after January 2038, which the table cannot store')
  return seconds
}

/**
 * Acquires the lock if it is free. A refusal only reads, so waiters use up no numbers. Of several simultaneous requests the unique
 * index lets one through, and the others look again.
 */
export async function take(
  session: Session,
  table: LockTable,
  key: string,
  request: AcquireRequest,
  fencing: boolean,
): Promise<Grant | Refusal> {
  const start = performance.now()
  for (let tries = 1; ; tries++) {
    const seen = await lookAt(session, table, key)
    checkWritable(seen)
    endFrom(seen, request.ttlMs)
    if (seen.row?.live) return held(seen.row)
    try {
      return await session.transaction(inside =>
        write(inside, table, key, request, seen.row !== null, fencing).catch(async error => {
          // The duplicate keeps the other row locked until our transaction ends, so its holder can be read.
          const { row } = isDuplicate(error) ? await lookAt(inside, table, key) : { row: null }
          if (!row?.live) throw error
          return { keep: false, value: held(row) }
        }),
      )
    } catch (error) {
      const again = isDuplicate(error) || isContention(error)
      if (!again || tries >= TRIES || performance.now() - start > TRIES_MS) throw error
      // Random, so that colliding requests do not collide again.
      await sleep(Math.random() * 5 * tries)
    }
  }
}

/**
 * The number of the new row is the fencing number. It is drawn while the key is already ours alone: either the old row is
 * locked, or a first row of ours stands there, which is why that one is replaced by another. A number drawn before could be
 * overtaken: its INSERT may be held up while somebody with a later number takes the lock and lets it go. Whoever had the
 * lock before has drawn and committed before us; rows are never taken over in place; and InnoDB gives no number twice. So a
 * later holder has the greater number.
 */
async function write(
  session: Session,
  table: LockTable,
  key: string,
  request: AcquireRequest,
  expected: boolean,
  fencing: boolean,
): Promise<Decided<Grant | Refusal>> {
  const old = expected ? await lockedRow(session, table, key) : null
  if (old?.live) return { keep: false, value: held(old) }
  const insert = insertRow(table, key, request.owner, process.pid, request.ttlMs)
  if (old) {
    const { text, values } = removeExpired(table, old)
    await session.change(text, values)
  } else if (fencing) {
    await session.change(insert.text, insert.values)
    const first = removeOwn(table, key, { owner: request.owner, mark: null }, 'in-any-case')
    await session.change(first.text, first.values)
  }
  await session.change(insert.text, insert.values)
  const { text, values } = ownRow(table, key, request.owner)
  const [stored] = await session.read(text, values)
  const row = stored && rowFrom(stored)
  if (!row || row.acquiredAt === null || row.expiresAt === null)
    throw new StoreError('STORE_ERROR', 'The server changed the values of the lock, so it was not acquired')
  const number = Number(row.id)
  return {
    keep: true,
    value: {
      is: 'taken',
      mark: row.id,
      fencing: fencing && Number.isSafeInteger(number) ? number : null,
      acquiredAt: row.acquiredAt,
      expiresAt: row.expiresAt,
    },
  }
}

async function lockedRow(session: Session, table: LockTable, key: string): Promise<StoredRow | null> {
  const { text, values } = lockRow(table, key)
  const [row] = await session.read(text, values)
  return row ? rowFrom(row) : null
}

function held(row: StoredRow): Refusal {
  const leftMs = row.expiresAt === null ? null : Math.max(0, row.expiresAt - row.readAt)
  return { is: 'held', holder: holderOf(row), leftMs }
}
