import { setMaxListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { PendingWork } from '../lib/concurrency.ts'
import { badInput } from '../lib/errors.ts'
import { atMost, linkedAbort } from '../lib/timers.ts'
import { Acquirer, type Attempt, type LockRequest } from './acquirer.ts'
import { LockHeldError } from './errors.ts'
import { checkText, metadataFrom, ttlFrom, waitFrom } from './input.ts'
import { checkOpen, closedError, type HandleContext, LockHandle } from './lock-handle.ts'
import { ManagerStats } from './manager-stats.ts'
import type { Inventory, Provider } from './provider.ts'
import type {
  Acquired,
  AcquireOptions,
  ActiveLock,
  CurrentHolder,
  Duration,
  Guarded,
  LockManager,
  LockManagerOptions,
  LockStats,
  Refused,
  ReleaseAllOptions,
  ReleasedAll,
  ReleaseResult,
  Tried,
  WithLockOptions,
} from './types.ts'
import { WaitQueue } from './wait-queue.ts'
import { underLock } from './with-lock.ts'

export type Parts = {
  readonly name: LockManager['provider']
  /** Called once, with the first request. */
  readonly load: () => Promise<Provider>
  readonly inventory: (provider: Provider) => Inventory
  readonly options: LockManagerOptions
}

type Work<T> = (guarded: Guarded) => Promise<T> | T

const USUAL_WAIT_MS = 30_000
/** How long close() waits for pending requests. */
const LEAVE_MS = 2000

type Loaded = HandleContext & { readonly acquirer: Acquirer }

export class StoreLockManager implements LockManager {
  readonly provider: LockManager['provider']
  readonly #parts: Parts
  readonly #stats: ManagerStats
  readonly #ttlMs: number | null
  readonly #pollMs: number | null
  readonly #closing = new AbortController()
  readonly #queues = new Map<string, WaitQueue>()
  readonly #held = new Map<string, LockHandle>()
  readonly #pending = new PendingWork()
  /** Fires when close() stops waiting for pending releases. */
  readonly #left = new AbortController()
  #loading: Promise<Loaded> | null = null
  #closed: Promise<void> | null = null

  constructor(parts: Parts) {
    const { ttl, poll } = parts.options
    this.#parts = parts
    this.provider = parts.name
    this.#ttlMs = ttl === undefined ? null : ttlFrom(ttl)
    this.#pollMs = poll === undefined ? null : ttlFrom(poll, 'The time between two looks')
    this.#stats = new ManagerStats(parts.options.observer, message => this.#warn(message))
    for (const { signal } of [this.#closing, this.#left]) setMaxListeners(0, signal)
  }

  async setup(): Promise<void> {
    const { provider } = await this.#open()
    await provider.setup(this.#closing.signal)
  }

  async acquire(key: string, options: AcquireOptions = {}): Promise<Acquired | Refused> {
    const startedAt = performance.now()
    const waitedMs = () => performance.now() - startedAt
    try {
      checkText('key', key)
      const owner = options.owner ?? null
      if (owner !== null) checkText('owner', owner)
      const metadata = metadataFrom(options.metadata)
      const loaded = await this.#open()
      loaded.provider.keyOf(key)
      const { ttl = this.#ttlMs ?? loaded.provider.defaultTtlMs, wait = 0, signal } = options
      const wanted: LockRequest = { key, owner, ttlMs: ttlFrom(ttl), metadata }
      const waitMs = waitFrom(wait)
      const answer =
        waitMs > 0
          ? await this.#queueFor(key, loaded).wait(wanted, waitMs, signal)
          : await this.#askOnce(loaded.acquirer, wanted, signal)
      if (answer.is !== 'taken') {
        this.#stats.refused(key, waitedMs())
        return { acquired: false, holder: answer.holder, waitedMs: waitedMs() }
      }
      const lock = new LockHandle(loaded, answer, wanted)
      this.#held.set(key, lock)
      this.#stats.acquired(key, waitedMs())
      return { acquired: true, lock, waitedMs: waitedMs() }
    } catch (error) {
      this.#stats.failed(String(key), error)
      throw error
    }
  }

  async release(key: string, owner: string): Promise<ReleaseResult> {
    checkText('key', key)
    checkText('owner', owner)
    checkOpen(this.#closing.signal)
    return this.#pending.track(this.#release(key, owner))
  }

  async #release(key: string, owner: string): Promise<ReleaseResult> {
    const { provider } = await this.#load()
    const mine = this.#held.get(key)
    if (mine?.owner === owner) return mine.release()
    const answer = await provider.release(key, { owner, mark: null }, this.#left.signal)
    if (answer.is === 'lost') return { outcome: 'lost', holder: answer.holder }
    this.#stats.released(key, null)
    this.#queues.get(key)?.wake()
    return { outcome: 'released' }
  }

  async renew(key: string, owner: string, ttl?: Duration): Promise<boolean> {
    checkText('key', key)
    checkText('owner', owner)
    const { provider } = await this.#open()
    const mine = this.#held.get(key)
    if (mine?.owner === owner) return mine.renew(ttl)
    const ttlMs = ttlFrom(ttl ?? this.#ttlMs ?? provider.defaultTtlMs)
    const answer = await provider.extend(key, { owner, mark: null }, ttlMs, this.#closing.signal)
    return answer.is === 'extended'
  }

  async isLocked(key: string): Promise<boolean> {
    return (await this.holderOf(key)) !== null
  }

  async holderOf(key: string): Promise<CurrentHolder | null> {
    checkText('key', key)
    const { provider } = await this.#open()
    return provider.read(key, this.#closing.signal)
  }

  async withLock<T>(key: string, work: Work<T>, options: WithLockOptions = {}): Promise<T> {
    const { wait = USUAL_WAIT_MS } = options
    const answer = await this.acquire(key, { ...options, wait })
    if (!answer.acquired) throw new LockHeldError(key, answer.holder, answer.waitedMs)
    return this.#under(answer, work, options)
  }

  async tryWithLock<T>(key: string, work: Work<T>, options: WithLockOptions = {}): Promise<Tried<T>> {
    const answer = await this.acquire(key, options)
    if (!answer.acquired) return { ran: false, holder: answer.holder }
    return { ran: true, value: await this.#under(answer, work, options) }
  }

  async activeLocks(): Promise<ActiveLock[]> {
    return (await this.#inventory()).activeLocks(this.#closing.signal)
  }

  async stats(): Promise<LockStats> {
    const active = (await this.activeLocks()).length
    return { provider: this.provider, active, ...this.#stats.counts() }
  }

  async cleanupExpired(): Promise<number> {
    return (await this.#inventory()).cleanupExpired(this.#closing.signal)
  }

  async releaseAll(options: ReleaseAllOptions): Promise<ReleasedAll> {
    // Untyped programs may omit it.
    if (typeof options?.reason !== 'string' || options.reason.trim() === '')
      throw badInput('Releasing everything requires a reason, which is recorded')
    const answer = await (await this.#inventory()).releaseAll(options)
    for (const queue of this.#queues.values()) queue.wake()
    return answer
  }

  close(): Promise<void> {
    // A second call often precedes the end of the process, so it waits for pending releases too.
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    for (const queue of this.#queues.values()) queue.end(closedError())
    this.#closing.abort()
    const loaded = await this.#loading?.catch(() => null)
    // Work that just finished requests its release in the next tick.
    if (this.#held.size > 0) await setImmediate()
    // A lock that is being granted or released right now would otherwise stay held for its whole lease, without a holder.
    await atMost(LEAVE_MS, this.#pending.settled())
    this.#left.abort()
    await loaded?.provider.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #open(): Promise<Loaded> {
    checkOpen(this.#closing.signal)
    const loaded = await this.#load()
    checkOpen(this.#closing.signal)
    return loaded
  }

  #load(): Promise<Loaded> {
    const [closing, left, pending] = [this.#closing.signal, this.#left.signal, this.#pending]
    this.#loading ??= this.#parts.load().then(provider => ({
      provider,
      closing,
      left,
      pending,
      acquirer: new Acquirer(provider, closing, pending),
      ended: (lock, how, heldMs) => {
        this.#stats[how](lock.key, heldMs)
        if (this.#held.get(lock.key) === lock) this.#held.delete(lock.key)
        this.#queues.get(lock.key)?.wake()
      },
    }))
    return this.#loading
  }

  async #inventory(): Promise<Inventory> {
    return this.#parts.inventory((await this.#open()).provider)
  }

  async #askOnce(acquirer: Acquirer, wanted: LockRequest, signal: AbortSignal | undefined): Promise<Attempt> {
    const either = linkedAbort(this.#closing.signal, signal)
    try {
      return await acquirer.attempt(wanted, either.signal)
    } finally {
      either.stopFollowing()
    }
  }

  #queueFor(key: string, { provider, acquirer }: Loaded): WaitQueue {
    const queue =
      this.#queues.get(key) ??
      new WaitQueue({
        provider,
        acquirer,
        pollMs: this.#pollMs ?? provider.pollMs,
        isOurs: () => (this.#held.get(key)?.validMs() ?? 0) > 0,
        onEmpty: () => this.#queues.delete(key),
        closed: this.#closing.signal,
      })
    this.#queues.set(key, queue)
    return queue
  }

  #under<T>({ lock }: Acquired, work: Work<T>, { renew = true }: WithLockOptions): Promise<T> {
    return underLock(lock as LockHandle, work, { renew, warn: message => this.#warn(message) })
  }

  #warn(message: string): void {
    warnThrough(this.#parts.options, message)
  }
}

/** A faulty `warn` must not break a lock. */
export function warnThrough({ warn }: Pick<LockManagerOptions, 'warn'>, message: string): void {
  try {
    // An asynchronous one is not awaited; its unhandled rejection would end the process.
    if (warn) Promise.resolve<unknown>(warn(message)).catch(() => {})
    else process.emitWarning(message, 'LockkeeperWarning')
  } catch {}
}
