import { Cluster, type Redis } from 'ioredis'
import { keyToText } from '../../lib/bytes.ts'
import { onAbort, sleep, WakeableSleep } from '../../lib/timers.ts'
import type { StoreNews } from '../types.ts'
import type { RedisAddress } from './address.ts'
import { createClient, type RedisClient, ready } from './connect.ts'
import { isNotPermitted } from './failure.ts'

/** Redis publishes here, to the connection that tracking names, what changes. */
const CHANNEL = '__redis__:invalidate'
/** Changes that come this close together are told together. */
const GATHER_MS = 5
/** More names than these are not kept: the keys are read again as a whole. */
const MOST_NAMES = 100_000
const MOST_AT_ONCE = 1000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** A server checks every key that it writes for all of them. */
const MOST_PREFIXES = 64

type Follow = {
  readonly address: RedisAddress
  /** Sends the commands of the store. Its connection is the one that tracks. */
  readonly client: RedisClient
  /** What the names to follow begin with, as far as it is known. */
  readonly prefixes: () => readonly string[]
  /** Whether a key that changed concerns the store. */
  readonly concerns: (name: Buffer) => boolean
}

/**
 * The changes that Redis reports itself, to clients that announce which names they have cached (`CLIENT TRACKING … BCAST`): writes,
 * deletions and expiry, with no setting of the server. Ends where this server or account cannot do it.
 */
export class Follower {
  readonly #names = new Set<string>()
  /** Every name may have changed. */
  #isFlooded = false
  #tracked: readonly string[] = []
  #mayHaveLearned = false
  readonly #news = new WakeableSleep()

  constructor(readonly options: Follow) {}

  /** The names to follow may be others by now. */
  learned(): void {
    this.#mayHaveLearned = true
    this.#news.wake()
  }

  async *news(signal: AbortSignal): AsyncGenerator<StoreNews> {
    const { client } = this.options
    // Each of its nodes would have to be followed, and their changes too.
    if (client instanceof Cluster) return
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        for await (const each of this.#session(client, signal)) {
          pauseMs = FIRST_PAUSE_MS
          yield each
        }
      } catch (error) {
        if (signal.aborted || isNotPermitted(error) || isUnknown(error)) return
      }
      if (signal.aborted) return
      yield { is: 'lost' }
      await sleep(pauseMs, signal)
    }
  }

  /** Ends when one of the two connections does. */
  async *#session(client: Redis, signal: AbortSignal): AsyncGenerator<StoreNews> {
    this.#names.clear()
    this.#isFlooded = false
    this.#tracked = []
    let isOver = false
    const listener = createClient(this.options.address, 'messages') as Redis
    const end = () => {
      isOver = true
      this.#news.wake()
    }
    const stopListening = onAbort(signal, end)
    try {
      await Promise.all([ready(client, signal), ready(listener, signal)])
      for (const each of [client, listener]) each.once('close', end)
      if (serverOf(client) !== serverOf(listener)) return
      const id = Number(await listener.client('ID'))
      listener.on('messageBuffer', (_, names: unknown) => this.#hear(names))
      await listener.subscribe(CHANNEL)
      if (!(await this.#track(client, id))) return
      yield { is: 'following' }
      while (!isOver) {
        if (this.#names.size > 0) await sleep(GATHER_MS, signal)
        else if (!this.#isFlooded && !this.#mayHaveLearned) await this.#news.sleep()
        if (isOver) return
        if (this.#mayHaveLearned && this.#isMissing()) {
          if (!(await this.#track(client, id))) return
          yield { is: 'following' }
        }
        this.#mayHaveLearned = false
        if (this.#isFlooded) return
        const ids = [...this.#names].slice(0, MOST_AT_ONCE)
        for (const each of ids) this.#names.delete(each)
        if (ids.length > 0) yield { is: 'changed', ids }
      }
    } finally {
      stopListening()
      for (const each of [client, listener]) each.off('close', end)
      listener.disconnect()
      // Its redirection leads nowhere now.
      if (client.status === 'ready') client.client('TRACKING', 'OFF').catch(() => {})
    }
  }

  #isMissing(): boolean {
    return this.options.prefixes().some(prefix => !isCovered(prefix, this.#tracked))
  }

  /** False if too much would have to be followed. */
  async #track(client: Redis, id: number): Promise<boolean> {
    const prefixes = withoutCovered(this.options.prefixes())
    if (prefixes.length > MOST_PREFIXES || prefixes.includes('')) return false
    if (this.#tracked.length > 0) await client.client('TRACKING', 'OFF')
    this.#tracked = prefixes
    if (prefixes.length === 0) return true
    const words = prefixes.flatMap(prefix => ['PREFIX', Buffer.from(prefix, 'latin1')])
    await client.call('CLIENT', ['TRACKING', 'ON', 'REDIRECT', id, 'BCAST', ...words])
    return true
  }

  #hear(names: unknown): void {
    // Null after FLUSHALL and FLUSHDB.
    if (!Array.isArray(names)) this.#isFlooded = true
    else
      for (const name of names) {
        if (Buffer.isBuffer(name) && this.options.concerns(name)) this.#names.add(keyToText(name))
      }
    if (this.#names.size > MOST_NAMES) this.#isFlooded = true
    this.#news.wake()
  }
}

/** Behind a name or a Sentinel, the next connection may lead to another server, on which the number of a client is another one's. */
function serverOf({ stream }: Redis): string {
  return `${stream.remoteAddress} ${stream.remotePort}`
}

/** Redis before 6, or a proxy. */
function isUnknown(error: unknown): boolean {
  return /unknown (sub)?command|syntax error|wrong number of arguments/i.test(String(error))
}

function isCovered(prefix: string, by: readonly string[]): boolean {
  return by.some(each => prefix.startsWith(each))
}

/** Redis refuses prefixes of which one begins with another. */
function withoutCovered(prefixes: readonly string[]): string[] {
  const kept: string[] = []
  for (const prefix of [...new Set(prefixes)].sort()) if (!isCovered(prefix, kept)) kept.push(prefix)
  return kept
}
