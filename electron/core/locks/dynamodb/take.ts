import { randomUUID } from 'node:crypto'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { NEVER } from '../../lib/timers.ts'
import type { Item } from '../../stores/dynamodb/format/attribute.ts'
import type { AcquireRequest, Grant, OwnerProof, Refusal } from '../provider.ts'
import type { StoreTime } from './lease-clock.ts'
import { freeBefore, holderOf, isFree, isOurs, itemOf, refusalOf } from './lock-item.ts'
import type { LockItems } from './requests.ts'

const TRIES = 5
type Asked = {
  readonly key: string
  readonly request: AcquireRequest
  readonly time: StoreTime
  readonly proof: OwnerProof
}

/** Acquires the lock if it is free. Retries if the blocking item is gone by the time it is read. */
export async function take(
  items: LockItems,
  timeNow: () => Promise<StoreTime>,
  key: string,
  request: AcquireRequest,
  fencing: boolean,
  signal: AbortSignal,
): Promise<Grant | Refusal> {
  for (let tries = 1; ; tries++) {
    const last = fencing ? await items.lastNumber(key, signal) : null
    const time = await timeNow()
    const asked = { key, request, time, proof: { owner: request.owner, mark: randomUUID() } }
    const written = await put(items, asked, signal)
    if ('lock' in written) {
      if (!fencing) return written.lock
      const number = await draw(items, asked, last, signal)
      if (number !== null) return { ...written.lock, fencing: number }
    } else if (written.inTheWay !== null && !isFree(written.inTheWay, time)) {
      return refusalOf(written.inTheWay, time)
    }
    if (tries >= TRIES) return { is: 'held', holder: holderOf({}), leftMs: null }
  }
}

type Written = { readonly lock: Grant } | { readonly inTheWay: Item | null }

/** After a lost answer the item tells by its mark whose it is. Without an item the put may still be in flight: uncertain. */
async function put(items: LockItems, asked: Asked, signal: AbortSignal): Promise<Written> {
  const { key, request, time, proof } = asked
  const item = itemOf(key, request, proof.mark ?? '', time)
  const { acquiredAt, expiresAt } = holderOf(item)
  const times = { acquiredAt: acquiredAt ?? 0, expiresAt: expiresAt ?? 0 }
  const lock: Grant = { is: 'taken', mark: proof.mark, fencing: null, ...times }
  try {
    const answer = await items.put(item, freeBefore(time), signal)
    if (answer.done) return { lock }
    return { inTheWay: answer.item ?? (await items.get(key, signal)) }
  } catch (error) {
    if (!(error instanceof StoreError && error.uncertain)) throw error
    const there = await items.get(key, NEVER).catch(() => null)
    if (there === null) throw error
    return isOurs(there, proof) ? { lock } : { inTheWay: there }
  }
}

/**
 * The next fencing number; null if another holder has drawn it, and the lock was released again.
 *
 * A later holder always has the greater number. `last` was read before the lock was taken, and a number is drawn only if the
 * counter still stands there. Let A hold the lock before B, both with numbers. B took it after A did, and A had read the
 * counter before that. If B's draw came before A's, the counter moved between A's reading and A's draw, and A got none. So A
 * drew before B, and the counter only ever rises.
 */
async function draw(
  items: LockItems,
  { key, proof }: Asked,
  last: string | null,
  signal: AbortSignal,
): Promise<number | null> {
  const next = Number(last ?? 0) + 1
  try {
    if (!Number.isSafeInteger(next)) throw new StoreError('STORE_ERROR', 'The fencing numbers are used up')
    if (await items.drawNumber(key, last, next, signal)) return next
  } catch (error) {
    await giveBack(items, key, proof, error)
    const what = 'The lock was released again, because its fencing number could not be stored'
    throw new StoreError(toFailure(error).code, what, { cause: error })
  }
  await giveBack(items, key, proof, null)
  return null
}

async function giveBack(items: LockItems, key: string, proof: OwnerProof, cause: unknown): Promise<void> {
  try {
    await items.remove(key, proof, NEVER)
  } catch (error) {
    const what = 'The lock got no fencing number, and may not have been released again'
    throw new StoreError(toFailure(error).code, what, { cause: cause ?? error, uncertain: true })
  }
}
