import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { StoreError } from '../../lib/errors.ts'
import type { Item } from '../../stores/dynamodb/format/attribute.ts'
import type { AcquireRequest, Grant, OwnerProof, Refusal } from '../provider.ts'
import type { StoreTime } from './lease-clock.ts'
import { freeBefore, heldBy, holderOf, isFree, isOurs, itemOf } from './lock-item.ts'
import type { LockItems } from './requests.ts'

const TRIES = 5
/** For what must be known, or undone, whoever has stopped waiting. */
const NEVER = new AbortController().signal
// Any number may listen to it at once, and none of them stays.
setMaxListeners(0, NEVER)

type Clock = (signal: AbortSignal) => Promise<StoreTime>
type Asked = {
  readonly key: string
  readonly request: AcquireRequest
  readonly time: StoreTime
  readonly proof: OwnerProof
}

/** Takes the lock if nobody has it. What is in the way may be gone when it is looked at: then it is tried again. */
export async function take(
  items: LockItems,
  clock: Clock,
  key: string,
  request: AcquireRequest,
  fencing: boolean,
  signal: AbortSignal,
): Promise<Grant | Refusal> {
  for (let tries = 1; ; tries++) {
    const last = fencing ? await items.lastNumber(key, signal) : null
    const time = await clock(signal)
    const asked = { key, request, time, proof: { owner: request.owner, mark: randomUUID() } }
    const written = await put(items, asked, signal)
    if ('lock' in written) {
      if (!fencing) return written.lock
      const number = await draw(items, asked, last, signal)
      if (number !== null) return { ...written.lock, fencing: number }
    } else if (written.inTheWay !== null && !isFree(written.inTheWay, time)) {
      return heldBy(written.inTheWay, time)
    }
    if (tries >= TRIES) return { is: 'held', holder: holderOf({}), leftMs: null }
  }
}

type Written = { readonly lock: Grant } | { readonly inTheWay: Item | null }

/**
 * A put whose answer was lost is told by its mark: if that is there, the lock is ours. If somebody else's lock is there, it is
 * not. If nothing is there, the put may still be under way, and nobody can say.
 */
async function put(items: LockItems, asked: Asked, signal: AbortSignal): Promise<Written> {
  const { key, request, time, proof } = asked
  const item = itemOf(key, request, proof.mark ?? '', time)
  const { acquiredAt, expiresAt } = holderOf(item)
  const lock: Grant = {
    is: 'taken',
    mark: proof.mark,
    fencing: null,
    acquiredAt: acquiredAt ?? 0,
    expiresAt: expiresAt ?? 0,
  }
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
 * The next fencing number, or null if somebody else has drawn it; the lock is then given back.
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
    const code = error instanceof StoreError ? error.code : 'STORE_ERROR'
    const what = 'The lock was given back, because its fencing number could not be drawn'
    throw new StoreError(code, what, { cause: error })
  }
  await giveBack(items, key, proof, null)
  return null
}

async function giveBack(items: LockItems, key: string, proof: OwnerProof, cause: unknown): Promise<void> {
  try {
    await items.remove(key, proof, NEVER)
  } catch (error) {
    const code = error instanceof StoreError ? error.code : 'STORE_ERROR'
    const what = 'The lock got no fencing number, and may not have been given back'
    throw new StoreError(code, what, { cause: cause ?? error, uncertain: true })
  }
}
