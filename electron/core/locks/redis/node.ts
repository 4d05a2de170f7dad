import { randomBytes } from 'node:crypto'
import { Cluster } from 'ioredis'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import { changeFailed } from '../../stores/redis/change-failed.ts'
import {
  createClient,
  isNotPermitted,
  isReadOnlyReply,
  type RedisClient,
  ready,
  storeError,
} from '../../stores/redis/connect.ts'
import { counterFor } from '../../stores/redis/fencing-counter.ts'
import { runScript, type Script } from '../../stores/redis/script.ts'
import { isText } from '../input.ts'
import type {
  AcquireRequest,
  Extension,
  Grant,
  Loss,
  OwnerProof,
  ProviderOptions,
  Refusal,
  Release,
} from '../provider.ts'
import type { CurrentHolder } from '../types.ts'
import { type Found, formatOf, holderFrom, UNKNOWN_HOLDER } from './holder.ts'
import { EXTEND, MAX_VALUE_BYTES, READ, RELEASE, TAKE } from './scripts.ts'
import { Subscriber } from './subscriber.ts'
import { type LockKey, lockKeyOf, type Writer } from './writers.ts'

type Word = Buffer | string | number
type Reply = [answer: Buffer, now: number, detail: number | Buffer, value: Buffer | null]

/** Locks in one server, one cluster, or the primary that a Sentinel names. */
export class RedisNode {
  readonly #address: RedisAddress
  readonly #writer: Writer
  readonly #client: RedisClient
  readonly #subscriber: Subscriber
  /** Whether to create fencing numbers. Undefined: until the account turns out to lack the permission. */
  #fencing: boolean | undefined
  /** The connection whose database number was confirmed; ioredis only emits an event when SELECT fails. */
  #selected: unknown = null
  /** The connection on which a replica has answered. */
  #demoted: unknown = null
  #closed = false

  constructor(address: RedisAddress, writer: Writer, fencing: ProviderOptions['fencing']) {
    this.#address = address
    this.#writer = writer
    this.#fencing = fencing
    this.#client = createClient(address)
    this.#subscriber = new Subscriber(address, this.#client)
  }

  async connect(signal: AbortSignal): Promise<void> {
    await this.#prepare(signal)
  }

  /** `mark` is shared by the nodes of one lock; null: a new one. */
  async take(
    name: string,
    request: AcquireRequest,
    mark: string | null,
    signal: AbortSignal,
  ): Promise<Grant | Refusal> {
    const place = lockKeyOf(this.#writer, name)
    checkTtl(request.ttlMs)
    const { head, tail } = this.#record(request)
    const own = this.#writer.written === null ? (mark ?? randomBytes(8).toString('hex')) : null
    const args = [...this.#claimed({ owner: request.owner, mark: own }), request.ttlMs, head, tail]
    const reply = await this.#take(place, args, signal)
    const [answer, now, detail] = reply
    if (String(answer) === 'no-number')
      throw new StoreError(
        'STORE_ERROR',
        'The counter of fencing numbers in Redis holds something else; delete it, and the next number comes from the clock',
      )
    if (String(answer) === 'taken') {
      const fencing = String(detail)
      return {
        is: 'taken',
        mark: own === null ? null : fencing || own,
        fencing: fencing === '' ? null : Number(fencing),
        acquiredAt: now,
        expiresAt: now + request.ttlMs,
      }
    }
    const holder = this.#holder(place, reply) ?? UNKNOWN_HOLDER
    const leftMs = holder.expiresAt === null ? null : Math.max(0, holder.expiresAt - now)
    return { is: 'held', holder, leftMs }
  }

  async extend(
    name: string,
    proof: OwnerProof,
    ttlMs: number,
    signal: AbortSignal,
  ): Promise<Extension | Loss> {
    const place = lockKeyOf(this.#writer, name)
    checkTtl(ttlMs)
    const args = [...this.#claimed(proof), ttlMs]
    const reply = await this.#change('renewal', EXTEND, [place.key], args, signal)
    if (String(reply[0]) === 'extended') return { is: 'extended', expiresAt: reply[1] + ttlMs }
    return { is: 'lost', holder: this.#holder(place, reply) }
  }

  /** `silently` notifies no waiters: for the leftovers of a lock that another holder has. */
  async release(
    name: string,
    proof: OwnerProof,
    signal: AbortSignal,
    { silently = false } = {},
  ): Promise<Release | Loss> {
    const place = lockKeyOf(this.#writer, name)
    const args = [...this.#claimed(proof), silently ? '' : place.channel, place.message]
    const reply = await this.#change('release', RELEASE, [place.key], args, signal)
    if (String(reply[0]) === 'released') return { is: 'released' }
    return { is: 'lost', holder: this.#holder(place, reply) }
  }

  async read(name: string, signal: AbortSignal): Promise<CurrentHolder | null> {
    const place = lockKeyOf(this.#writer, name)
    await this.#prepare(signal)
    const kind = this.#writer.written === null ? 'json' : 'plain'
    const reply = await runScript(this.#client, READ, [place.key], [kind, '', '']).catch(error => {
      throw storeError(error)
    })
    return this.#holder(place, reply as Reply)
  }

  async listen(name: string, changed: () => void, signal: AbortSignal): Promise<() => void> {
    throwIfAborted(signal)
    return this.#subscriber.listen(lockKeyOf(this.#writer, name).channel, changed, signal)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#subscriber.close()
    this.#client.disconnect()
  }

  async #take({ key }: LockKey, args: readonly Word[], signal: AbortSignal): Promise<Reply> {
    if (this.#fencing === false) return this.#change('acquisition', TAKE, [key], args, signal)
    const counter = counterFor(key, this.#client instanceof Cluster)
    try {
      return await this.#change('acquisition', TAKE, [key, counter], args, signal)
    } catch (error) {
      const cause = error instanceof StoreError ? error.cause : error
      if (this.#fencing === true || !isNotPermitted(cause)) throw error
    }
    // An account confined to the locks' own keys gets locks without numbers. Nothing has been written yet: the counter comes first.
    const reply = await this.#change('acquisition', TAKE, [key], args, signal)
    this.#fencing = false
    return reply
  }

  /** The proof of ownership as arguments of the scripts. */
  #claimed({ owner, mark }: OwnerProof): [kind: string, value: Word, mark: string] {
    if (owner === '' || !isText(owner))
      throw new StoreError('BAD_INPUT', 'This cannot be the owner of a lock')
    const { written } = this.#writer
    return written === null ? ['json', owner, mark ?? ''] : ['plain', written(owner), '']
  }

  /** The parts of the JSON known before the server adds its times. */
  #record({ owner, metadata }: AcquireRequest): { head: string; tail: string } {
    if (this.#writer.written !== null) {
      if (this.#writer.written(owner).length > MAX_VALUE_BYTES) throw tooLarge()
      return { head: '', tail: '' }
    }
    // Redis could not decode invalid text, and no program could release the lock.
    if (
      !Object.entries(metadata ?? {})
        .flat()
        .every(each => typeof each !== 'string' || isText(each))
    )
      throw new StoreError('BAD_INPUT', 'The metadata of a lock must be valid Unicode text')
    const head = JSON.stringify({ lockId: owner, pid: process.pid }).slice(0, -1)
    const tail = metadata === null ? '}' : `,"metadata":${JSON.stringify(metadata)}}`
    if (Buffer.byteLength(head + tail) > MAX_VALUE_BYTES - 200) throw tooLarge()
    return { head, tail }
  }

  #holder({ key }: LockKey, [, now, ends, value]: Reply): CurrentHolder | null {
    const found: Found = { now, ends: Number(ends), value }
    return holderFrom(formatOf(this.#writer.id), key, found)
  }

  async #change(
    what: Parameters<typeof changeFailed>[1],
    script: Script,
    keys: readonly Buffer[],
    args: readonly Word[],
    signal: AbortSignal,
  ): Promise<Reply> {
    await this.#prepare(signal)
    try {
      return (await runScript(this.#client, script, keys, args)) as Reply
    } catch (error) {
      const failure = changeFailed(error, what)
      if (!isReadOnlyReply(error)) throw failure
      this.#demoted = this.#connection
      // Not a permanent denial: after a failover one of the next requests finds the new primary.
      throw new StoreError('STORE_UNREACHABLE', failure.message, { cause: error })
    }
  }

  /** A failure here means that nothing was sent. */
  async #prepare(signal: AbortSignal): Promise<void> {
    throwIfAborted(signal)
    if (this.#closed) throw new StoreError('STORE_ERROR', 'This lock manager is closed')
    try {
      await ready(this.#client, signal)
      this.#followPrimary()
      await this.#confirmDatabase()
    } catch (error) {
      throw storeError(error)
    }
    throwIfAborted(signal)
  }

  get #connection(): unknown {
    return (this.#client as { stream?: unknown }).stream
  }

  /** A subscription to a demoted primary gets no error, and no messages. */
  #followPrimary(): void {
    if (this.#demoted === null || this.#demoted === this.#connection) return
    this.#demoted = null
    this.#subscriber.comeBack()
  }

  async #confirmDatabase(): Promise<void> {
    const connection = this.#connection
    if (this.#address.db === 0 || this.#client instanceof Cluster || this.#selected === connection) return
    await this.#client.select(this.#address.db)
    this.#selected = connection
  }
}

function checkTtl(ttlMs: number): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new StoreError('BAD_INPUT', 'A lock is taken for a whole number of milliseconds, at least one')
}

function tooLarge(): StoreError {
  return new StoreError('BAD_INPUT', 'The owner and the metadata are too large for a lock')
}
