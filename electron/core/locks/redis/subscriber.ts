import { Cluster, type Redis } from 'ioredis'
import type { HostPort } from '../../../../shared/address.ts'
import { StoreError } from '../../lib/errors.ts'
import { unlessAborted } from '../../lib/timers.ts'
import { BadAnswer } from '../../stores/bad-answer.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import { createClient, type RedisClient, ready } from '../../stores/redis/connect.ts'
import { storeError } from '../../stores/redis/failure.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2000

/** One connection, and its channels, acknowledged or pending. */
type Line = { readonly client: Redis; readonly channels: Map<string, Promise<unknown>> }

/** Serves any number of listeners over one connection. After a reconnect each is called, because messages may have been missed. */
export class Subscriber {
  readonly #listeners = new Map<string, Set<() => void>>()
  #line: Promise<Line> | null = null
  #opened = 0
  #pauseMs = FIRST_PAUSE_MS
  readonly #closed = new AbortController()

  /** `client` is asked for the nodes of a cluster, and nothing else. */
  constructor(
    readonly address: RedisAddress,
    readonly client: RedisClient,
  ) {}

  async listen(channel: string, changed: () => void, signal: AbortSignal): Promise<() => void> {
    if (this.#closed.signal.aborted) throw new StoreError('STORE_ERROR', 'This lock manager is closed')
    // A listener of its own, so that the same function can be given twice.
    const listener = () => changed()
    const listeners = this.#listeners.get(channel) ?? new Set()
    this.#listeners.set(channel, listeners.add(listener))
    try {
      const acknowledged = this.#live().then(line => this.#subscribe(line, channel))
      await unlessAborted(acknowledged, signal)
    } catch (error) {
      this.#leave(channel, listener)
      throw storeError(error, this.client)
    }
    return () => this.#leave(channel, listener)
  }

  /** Reconnects: the address may lead to another server now. */
  comeBack(): void {
    void this.#line?.then(({ client }) => this.#lost(client)).catch(() => {})
  }

  close(): void {
    this.#closed.abort()
    this.#listeners.clear()
    void this.#line?.then(({ client }) => client.disconnect()).catch(() => {})
  }

  #subscribe({ client, channels }: Line, channel: string): Promise<unknown> {
    const known = channels.get(channel)
    if (known) return known
    const answer: Promise<unknown> = client.subscribe(channel).catch(error => {
      if (channels.get(channel) === answer) channels.delete(channel)
      throw error
    })
    channels.set(channel, answer)
    return answer
  }

  #leave(channel: string, listener: () => void): void {
    const listeners = this.#listeners.get(channel)
    if (!listeners?.delete(listener) || listeners.size > 0) return
    this.#listeners.delete(channel)
    void this.#line
      ?.then(({ client, channels }) => {
        // A listener may have joined while the connection was being opened.
        if (this.#listeners.has(channel) || !channels.delete(channel)) return
        return client.unsubscribe(channel)
      })
      .catch(() => {})
  }

  #live(): Promise<Line> {
    this.#line ??= this.#open()
    return this.#line
  }

  async #open(): Promise<Line> {
    const client = this.#connection()
    const isAgain = this.#opened++ > 0
    const line: Line = { client, channels: new Map() }
    client.on('message', channel => this.#tell(channel))
    // ioredis would reconnect to the same server, which may have left the cluster.
    client.once('close', () => this.#lost(client))
    try {
      await ready(client, this.#closed.signal)
      const channels = [...this.#listeners.keys()]
      // Separately: a channel that is not permitted must not silence the others.
      const asked = await Promise.allSettled(channels.map(channel => this.#subscribe(line, channel)))
      for (const each of asked)
        if (each.status === 'rejected' && each.reason instanceof BadAnswer) throw each.reason
      if (client.status !== 'ready')
        throw new StoreError('STORE_UNREACHABLE', 'Redis does not answer: the connection was lost')
      this.#pauseMs = FIRST_PAUSE_MS
      if (isAgain) for (const channel of channels) this.#tell(channel)
      return line
    } catch (error) {
      this.#lost(client)
      throw error
    }
  }

  #tell(channel: string): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) listener()
  }

  readonly #given = new WeakSet<Redis>()

  #lost(client: Redis): void {
    if (this.#given.has(client)) return
    this.#given.add(client)
    client.disconnect()
    this.#line = null
    if (this.#listeners.size === 0 || this.#closed.signal.aborted) return
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
    setTimeout(() => {
      if (this.#listeners.size > 0 && !this.#closed.signal.aborted) this.#live().catch(() => {})
    }, pauseMs).unref()
  }

  /** Classic Pub/Sub reaches every node of a cluster, so any node will do; a different one each time. */
  #connection(): Redis {
    if (this.address.mode !== 'cluster') return createClient(this.address, 'messages') as Redis
    const hosts: HostPort[] = [...this.address.hosts]
    if (this.client instanceof Cluster)
      for (const { options } of this.client.nodes())
        if (options.host !== undefined && options.port !== undefined)
          hosts.unshift({ host: options.host, port: options.port })
    return createClient(this.address, 'messages', hosts[this.#opened % hosts.length]) as Redis
  }
}
