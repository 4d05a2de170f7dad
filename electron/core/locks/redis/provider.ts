import { randomBytes } from 'node:crypto'
import { Cluster } from 'ioredis'
import { hostPort } from '../../../../shared/address.ts'
import { badInput, StoreError, throwIfAborted } from '../../lib/errors.ts'
import { unreadable } from '../../stores/bad-answer.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import { createClient, ready } from '../../stores/redis/connect.ts'
import { changeFailed, isNotPermitted, isReadOnlyReply, storeError } from '../../stores/redis/failure.ts'
import { counterFor } from '../../stores/redis/fencing-counter.ts'
import { runScript, type Script } from '../../stores/redis/script.ts'
import { isText } from '../input.ts'
import {
  type AcquireRequest,
  heldBy,
  type OwnerProof,
  type Provider,
  type ProviderOptions,
} from '../provider.ts'
import { withReadableAnswers } from '../readable.ts'
import type { CurrentHolder } from '../types.ts'
import { holderFrom, UNKNOWN_HOLDER } from './holder.ts'
import { lockKeyOf, type TakenFormat, takenFormat, traitsOf } from './lock-keys.ts'
import { EXTEND, MAX_VALUE_BYTES, READ, RELEASE, TAKE } from './scripts.ts'
import { Subscriber } from './subscriber.ts'

type Word = Buffer | string | number
type Encode = TakenFormat['take']['encode']
type Reply = [answer: Buffer, now: number, detail: number | Buffer, value: Buffer | null]

/** One Redis: a server, a cluster, or the primary that a Sentinel names. */
export interface RedisProvider extends Provider {
  /** `mark` is shared by the servers of one lock; by default the acquisition gets its own. */
  take(...asked: [...Parameters<Provider['take']>, mark?: string | null]): ReturnType<Provider['take']>
  /** `silently` notifies no waiters: for the leftovers of a lock that another holder has. */
  release(...asked: [...Parameters<Provider['release']>, silently?: boolean]): ReturnType<Provider['release']>
  readonly listen: NonNullable<Provider['listen']>
}

export function createRedisProvider(address: RedisAddress, options: ProviderOptions): RedisProvider {
  const format = takenFormat(options.format ?? address.format)
  const { encode } = format.take
  const client = createClient(address)
  const subscriber = new Subscriber(address, client)
  /** Whether to create fencing numbers. Undefined: until the account turns out to lack the permission. */
  let { fencing } = options
  /** The connection on which a replica has answered. */
  let demoted: unknown = null
  let isClosed = false

  const connection = () => (client as { stream?: unknown }).stream
  const holderIn = (key: Buffer, [, now, ends, value]: Reply) =>
    holderFrom(format, key, { now, ends: Number(ends), value })

  /** A failure here means that nothing was sent. */
  async function prepare(signal: AbortSignal): Promise<void> {
    throwIfAborted(signal)
    if (isClosed) throw new StoreError('STORE_ERROR', 'This lock manager is closed')
    try {
      await ready(client, signal)
    } catch (error) {
      throw storeError(error, client)
    }
    throwIfAborted(signal)
    if (demoted === null || demoted === connection()) return
    // A subscription to a demoted primary gets no error, and no messages.
    demoted = null
    subscriber.comeBack()
  }

  async function change(
    what: 'acquisition' | 'renewal' | 'release',
    script: Script,
    keys: readonly Buffer[],
    args: readonly Word[],
    signal: AbortSignal,
  ): Promise<Reply> {
    await prepare(signal)
    try {
      return replyFrom(await runScript(client, script, keys, args), WORDS[what])
    } catch (error) {
      const failure = changeFailed(error, what, client)
      if (!isReadOnlyReply(error)) throw failure
      demoted = connection()
      // Not a permanent denial: after a failover one of the next requests finds the new primary.
      throw new StoreError('STORE_UNREACHABLE', failure.message, { cause: error })
    }
  }

  async function acquire(key: Buffer, args: readonly Word[], signal: AbortSignal): Promise<Reply> {
    if (fencing === false) return change('acquisition', TAKE, [key], args, signal)
    const counter = counterFor(key, client instanceof Cluster)
    try {
      return await change('acquisition', TAKE, [key, counter], args, signal)
    } catch (error) {
      const cause = error instanceof StoreError ? error.cause : error
      if (fencing === true || !isNotPermitted(cause)) throw error
    }
    // An account confined to the locks' own keys gets locks without numbers. Nothing has been written yet: the counter comes first.
    const reply = await change('acquisition', TAKE, [key], args, signal)
    fencing = false
    return reply
  }

  return withReadableAnswers<RedisProvider>(`Redis at ${address.hosts.map(hostPort).join(', ')}`, {
    ...traitsOf(format),
    setup: prepare,
    async take(name, request, signal, mark = null) {
      const { key } = lockKeyOf(format, name)
      checkTtl(request.ttlMs)
      const { head, tail } = recordOf(encode, request)
      const own = encode === null ? (mark ?? randomBytes(8).toString('hex')) : null
      const proof = proofOf(encode, { owner: request.owner, mark: own })
      const reply = await acquire(key, [...proof, request.ttlMs, head, tail], signal)
      const [answer, now, detail] = reply
      if (String(answer) === 'no-number')
        throw new StoreError(
          'STORE_ERROR',
          'The counter of fencing numbers in Redis holds something else; delete it, and the next number comes from the clock',
        )
      if (String(answer) !== 'taken') return heldBy(holderIn(key, reply) ?? UNKNOWN_HOLDER, now)
      const number = String(detail)
      return {
        is: 'taken',
        mark: own === null ? null : number || own,
        fencing: number === '' ? null : Number(number),
        acquiredAt: now,
        expiresAt: now + request.ttlMs,
      }
    },
    async extend(name, proof, ttlMs, signal) {
      const { key } = lockKeyOf(format, name)
      checkTtl(ttlMs)
      const reply = await change('renewal', EXTEND, [key], [...proofOf(encode, proof), ttlMs], signal)
      if (String(reply[0]) === 'extended') return { is: 'extended', expiresAt: reply[1] + ttlMs }
      return { is: 'lost', holder: holderIn(key, reply) }
    },
    async release(name, proof, signal, silently = false) {
      const { key, channel, message } = lockKeyOf(format, name)
      const args = [...proofOf(encode, proof), silently ? '' : channel, message]
      const reply = await change('release', RELEASE, [key], args, signal)
      if (String(reply[0]) === 'released') return { is: 'released' }
      return { is: 'lost', holder: holderIn(key, reply) }
    },
    async read(name, signal): Promise<CurrentHolder | null> {
      const { key } = lockKeyOf(format, name)
      await prepare(signal)
      const kind = encode === null ? 'json' : 'plain'
      const reply = await runScript(client, READ, [key], [kind, '', '']).catch(error => {
        throw storeError(error, client)
      })
      return holderIn(key, replyFrom(reply, WORDS.look))
    },
    async listen(name, changed, signal) {
      throwIfAborted(signal)
      return subscriber.listen(lockKeyOf(format, name).channel, changed, signal)
    },
    async close() {
      isClosed = true
      subscriber.close()
      client.disconnect()
    },
  })
}

/** The first word of a script's reply, per request: success first, then a key that is held. */
const WORDS = {
  acquisition: ['taken', 'held'],
  renewal: ['extended', 'lost'],
  release: ['released', 'lost'],
  look: [null, 'read'],
} as const

function replyFrom(reply: unknown, [done, other]: (typeof WORDS)[keyof typeof WORDS]): Reply {
  const [answer, now, detail, value] = Array.isArray(reply) ? reply : []
  const word = String(answer)
  const isTimed = Number.isSafeInteger(now)
  const seesKey = isTimed && Number.isFinite(detail) && (value === null || Buffer.isBuffer(value))
  const isKnown =
    (word === other && seesKey) ||
    (word === done &&
      (isTimed || done === 'released') &&
      (done !== 'taken' || /^\d*$/.test(String(detail)))) ||
    (word === 'no-number' && done === 'taken')
  if (!isKnown) throw unreadable('the answer about a lock')
  return reply as Reply
}

/** The proof of ownership as arguments of the scripts. */
function proofOf(encode: Encode, { owner, mark }: OwnerProof): [kind: string, value: Word, mark: string] {
  if (owner === '' || !isText(owner)) throw badInput('This cannot be the owner of a lock')
  return encode === null ? ['json', owner, mark ?? ''] : ['plain', encode(owner), '']
}

/** The parts of the JSON known before the server adds its times. */
function recordOf(encode: Encode, { owner, metadata }: AcquireRequest): { head: string; tail: string } {
  if (encode !== null) {
    if (encode(owner).length > MAX_VALUE_BYTES) throw tooLarge()
    return { head: '', tail: '' }
  }
  // Redis could not decode invalid text, and no program could release the lock.
  const texts = Object.entries(metadata ?? {}).flat()
  if (!texts.every(each => typeof each !== 'string' || isText(each)))
    throw badInput('The metadata of a lock must be valid Unicode text')
  const head = JSON.stringify({ lockId: owner, pid: process.pid }).slice(0, -1)
  const tail = metadata === null ? '}' : `,"metadata":${JSON.stringify(metadata)}}`
  if (Buffer.byteLength(head + tail) > MAX_VALUE_BYTES - 200) throw tooLarge()
  return { head, tail }
}

function checkTtl(ttlMs: number): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw badInput('A lock is taken for a whole number of milliseconds, at least one')
}

function tooLarge(): StoreError {
  return badInput('The owner and the metadata are too large for a lock')
}
