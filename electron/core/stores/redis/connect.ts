import { Cluster, Redis } from 'ioredis'
import type { HostPort } from '../../../../shared/address.ts'
import { unlessAborted } from '../../lib/timers.ts'
import { unreadable } from '../bad-answer.ts'
import { tlsOptions } from '../wire/tls.ts'
import type { RedisAddress } from './address.ts'
import { nodePolicyOf } from './expected-nodes.ts'
import { isNotAuthenticated, isReadOnlyReply, storeError } from './failure.ts'
import { guardClient } from './guard.ts'
import { isRefused } from './node-refused.ts'

/** Long enough for a busy server, short enough to report an outage within five seconds. */
const READY_TIMEOUT_MS = 3000
const COMMAND_TIMEOUT_MS = 4000

export type RedisClient = Redis | Cluster

/**
 * A client that never resends a command, as ioredis would: a release sent twice reports `gone` for a lock that we released. With a
 * node it connects to that node of the cluster alone.
 */
export function createClient(
  address: RedisAddress,
  purpose: 'commands' | 'messages' = 'commands',
  node: HostPort | null = null,
): RedisClient {
  const prepare = <C extends RedisClient>(client: C) => prepared(client, purpose, address)
  const options = {
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    // RESP2 is spoken by every version, and needs no HELLO, which an account may be denied.
    protocol: 2 as const,
    lazyConnect: true,
    connectTimeout: READY_TIMEOUT_MS,
    // A hung server never closes the connection: closing must not wait for it.
    disconnectTimeout: 200,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // A connection that a firewall dropped does not close for a quarter of an hour: commands sent through it are lost, while a
    // new one would work.
    socketTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // The check sends INFO, which an account may be denied; a server that is still loading refuses every command anyway.
    enableReadyCheck: false,
    disableClientInfo: true,
    sentinelCommandTimeout: COMMAND_TIMEOUT_MS,
    ...(address.tls ? { tls: tlsOptions(address) } : {}),
  }
  const retryDelay = (attempt: number) => Math.min(attempt * 100, 1000)
  if (address.mode === 'cluster' && node === null)
    return prepare(
      new Cluster([...address.hosts], {
        lazyConnect: true,
        // Left to each connection: the given hosts, and their names for TLS, stay what the operator gave.
        dnsLookup: (host, done) => done(null, host),
        enableOfflineQueue: false,
        enableReadyCheck: false,
        redisOptions: options,
        clusterRetryStrategy: retryDelay,
        slotsRefreshTimeout: READY_TIMEOUT_MS,
        maxRedirections: 4,
        retryDelayOnClusterDown: 300,
        // Zero is off: a command whose connection closed may have been executed.
        retryDelayOnFailover: 0,
      }),
    )
  const single = {
    ...options,
    enableOfflineQueue: false,
    retryStrategy: retryDelay,
    db: address.db,
    // Only to learn of it. Reconnecting at once, as ioredis would, cuts off the commands that wait for an answer.
    reconnectOnError: (error: Error) => {
      if (isReadOnlyReply(error)) demoted.set(client, client.stream)
      return false
    },
  }
  const client: Redis = prepare(
    address.mode === 'sentinel'
      ? new Redis({
          ...single,
          sentinels: [...address.hosts],
          name: address.group ?? '',
          // The address names them; a list from a server has no limit.
          updateSentinels: false,
          ...(address.tls ? { enableTLSForSentinelMode: true } : {}),
        })
      : new Redis({ ...single, ...(node ?? address.hosts[0]) }),
  )
  return client
}

/** Without a listener an error event ends the process; ready() reports the reason instead. */
function prepared<C extends RedisClient>(
  client: C,
  purpose: 'commands' | 'messages',
  address: RedisAddress,
): C {
  client.on('error', () => {})
  guardClient(client, purpose, nodePolicyOf(address))
  return client
}

/** Pending connections: all operations of a client wait for the same one. */
const connecting = new WeakMap<RedisClient, Promise<void>>()

/** Connections whose server answered as a replica, by their client. The address may lead to another server by now. */
const demoted = new WeakMap<RedisClient, unknown>()
/** When a client last left a replica. If the address is that of a replica, it must not reconnect after every answer. */
const leftAt = new WeakMap<RedisClient, number>()
const LEAVE_AT_MOST_EVERY_MS = 2000

function mustLeave(client: RedisClient): client is Redis {
  if (!(client instanceof Redis) || client.status !== 'ready' || demoted.get(client) !== client.stream)
    return false
  const before = leftAt.get(client)
  return before === undefined || performance.now() - before >= LEAVE_AT_MOST_EVERY_MS
}

/** Sends nothing again: pending commands are answered on the old connection, or fail with it. */
async function leave(client: Redis): Promise<void> {
  demoted.delete(client)
  leftAt.set(client, performance.now())
  await new Promise<void>(resolve => {
    client.once('close', () => resolve())
    client.disconnect(true)
  })
  // The store was closed in between.
  if (client.status === 'end') throw storeError(new Error('Connection is closed'), client)
}

/** Resolves when commands can be sent, or fails with the reason. Connections to a demoted primary are replaced first. */
export async function ready(client: RedisClient, signal: AbortSignal): Promise<void> {
  const isLeaving = mustLeave(client)
  if (!connecting.has(client) && (isLeaving || client.status !== 'ready')) {
    const left = isLeaving ? leave(client) : Promise.resolve()
    connecting.set(
      client,
      left.then(() => becomeReady(client)).finally(() => connecting.delete(client)),
    )
  }
  const connected = connecting.get(client)
  if (connected) await unlessAborted(connected, signal)
  await confirmDatabase(client)
}

/** Connections whose database number was confirmed, by their client; ioredis only emits an event when SELECT fails. */
const selected = new WeakMap<RedisClient, unknown>()

export async function confirmDatabase(client: RedisClient): Promise<void> {
  if (client instanceof Cluster || !client.options.db || selected.get(client) === client.stream) return
  const connection = client.stream
  if ((await client.select(client.options.db)) !== 'OK') throw unreadable('the answer to SELECT')
  selected.set(client, connection)
}

function becomeReady(client: RedisClient): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    if (client.status === 'ready') return resolve()
    let reason: unknown
    const onReady = () => finish(resolve)
    const onError = (error: unknown) => {
      reason = error
      // Retrying corrects neither a wrong password nor a host that refuses. With several hosts, the client tries the next.
      const isFinal = isNotAuthenticated(error) || isRefused(error)
      if (isFinal || isOneHost(client)) giveUp()
    }
    const giveUp = () => finish(() => reject(storeError(reason ?? new Error('Connection timed out'), client)))
    const timer = setTimeout(giveUp, READY_TIMEOUT_MS)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      client.off('ready', onReady)
      client.off('error', onError)
      settle()
    }
    client.on('ready', onReady)
    client.on('error', onError)
    if (client.status === 'wait' || client.status === 'end') client.connect().catch(onError)
  })
}

function isOneHost(client: RedisClient): boolean {
  return client instanceof Redis && client.options.sentinels === null
}

/** Counts the commands that a client sends, to every node of a cluster, including those that connect. */
export function countCommands(client: RedisClient): () => number {
  let sent = 0
  const count = (node: Redis) => {
    const send = node.sendCommand
    node.sendCommand = function (this: Redis, ...command: Parameters<typeof send>) {
      sent++
      return send.apply(this, command)
    }
  }
  // A cluster passes every command on to one of its nodes.
  if (client instanceof Cluster) client.on('+node', count)
  else count(client)
  return () => sent
}
