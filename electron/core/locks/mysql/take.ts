import { badInput, StoreError } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import type { Session, TransactionResult } from '../../stores/mysql/connect.ts'
import { isContention, isDuplicate, readOnlyServer } from '../../stores/mysql/server-errors.ts'
import { type AcquireRequest, type Grant, heldBy, type Refusal } from '../provider.ts'
import { LockRow, type Reading, type StoredRow, type Target } from './statements.ts'

/** The last second that a TIMESTAMP has on most servers, in January 2038. */
const LAST_SECOND = 2_147_483_647
const TRIES = 5
/** No retry after this: a row lock already costs up to three seconds of waiting. */
const TRIES_MS = 5000

/** An administrator may write to a replica, where a lock would protect nothing. */
export function checkWritable({ isReadOnly }: Reading): void {
  if (isReadOnly) throw readOnlyServer()
}

/** The expiry of a lock acquired now, in seconds. */
export function endFrom({ now }: Reading, ttlMs: number): number {
  const seconds = Math.ceil((now + ttlMs) / 1000)
  if (!(seconds <= LAST_SECOND))
    throw badInput('The lock would end after January 2038, which the table cannot store')
  return seconds
}

/** Acquires a free lock. A refusal only reads, and uses up no number; the unique index admits one of several at once. */
export async function take(
  session: Session,
  table: Target,
  key: string,
  request: AcquireRequest,
  fencing: boolean,
): Promise<Grant | Refusal> {
  const start = performance.now()
  for (let tries = 1; ; tries++) {
    const reading = await new LockRow(session, table, key).look()
    checkWritable(reading)
    endFrom(reading, request.ttlMs)
    if (reading.row?.isLive) return held(reading.row)
    try {
      return await session.transaction(inside => {
        const lockRow = new LockRow(inside, table, key)
        return write(lockRow, request, reading.row !== null, fencing).catch(async error => {
          // The duplicate keeps the other row locked until our transaction ends, so its holder can be read.
          const { row } = isDuplicate(error) ? await lockRow.look() : { row: null }
          if (!row?.isLive) throw error
          return { keep: false, value: held(row) }
        })
      })
    } catch (error) {
      const mayRetry = isDuplicate(error) || isContention(error)
      if (!mayRetry || tries >= TRIES || performance.now() - start > TRIES_MS) throw error
      // Random, so that colliding requests do not collide again.
      await sleep(Math.random() * 5 * tries)
    }
  }
}

/**
 * The number of the new row is the fencing number. It is drawn while the key is already ours alone: either the old row is
 * locked, or a first row of ours stands there, which is why that one is replaced by another. A number drawn before could be
 * overtaken: its INSERT may be held up while another holder with a later number acquires and releases the lock. Every earlier
 * holder has drawn and committed before us; rows are never taken over in place; and InnoDB gives no number twice. So a later
 * holder has the greater number.
 */
async function write(
  lockRow: LockRow,
  { owner, ttlMs }: AcquireRequest,
  isExpected: boolean,
  fencing: boolean,
): Promise<TransactionResult<Grant | Refusal>> {
  const old = isExpected ? await lockRow.lock() : null
  if (old?.isLive) return { keep: false, value: held(old) }
  if (old) await lockRow.removeExpired(old)
  else if (fencing) {
    await lockRow.insert(owner, ttlMs)
    await lockRow.removeOwn({ owner, mark: null })
  }
  await lockRow.insert(owner, ttlMs)
  const row = await lockRow.findOwn(owner)
  const { acquiredAt = null, expiresAt = null } = row?.holder ?? {}
  if (!row || acquiredAt === null || expiresAt === null)
    throw new StoreError('STORE_ERROR', 'The server changed the values of the lock, so it was not acquired')
  const number = Number(row.id)
  return {
    keep: true,
    value: {
      is: 'taken',
      mark: row.id,
      fencing: fencing && Number.isSafeInteger(number) ? number : null,
      acquiredAt,
      expiresAt,
    },
  }
}

function held({ holder, readAt }: StoredRow): Refusal {
  return heldBy(holder, readAt)
}
