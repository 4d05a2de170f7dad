import { Cluster, Redis } from 'ioredis'
import { unlessAborted } from '../../lib/timers.ts'
import type { RedisAddress } from './address.ts'
import { isNotAuthenticated, isReadOnlyReply, storeError } from './failure.ts'

/** Long enough for a busy server, short enough that an outage is said within five seconds. */
const READY_TIMEOUT_MS = 3000
const COMMAND_TIMEOUT_MS = 4000

export type RedisClient = Redis | Cluster

/**
 * A client that never repeats a command by itself. Re-sending after a lost connection is ioredis's default, and would let
 * a release run twice: the second answer would be "gone" for a lock that we released.
 */
export function createClient(address: RedisAddress): RedisClient {
  const options = {
    ...(address.username === null ? {} : { username: address.username }),
    ...(address.password === null ? {} : { password: address.password }),
    // RESP2 is spoken by every version, and needs no HELLO, which an account may be denied.
    protocol: 2 as const,
    lazyConnect: true,
    connectTimeout: READY_TIMEOUT_MS,
    // A hung server does not say goodbye: leaving must not wait for it.
    disconnectTimeout: 200,
    commandTimeout: COMMAND_TIMEOUT_MS,
    // A connection that something on the way has forgotten does not close for a quarter of an hour: whatever is sent through it
    // is lost, while a new one would work.
    socketTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    // The check sends INFO, which an account may be denied; a server that is still loading says so to every command.
    enableReadyCheck: false,
    disableClientInfo: true,
    retryStrategy: (attempt: number) => Math.min(attempt * 100, 1000),
    ...(address.tls ? { tls: {} } : {}),
  }
  if (address.mode === 'cluster') {
    const { retryStrategy: _, enableOfflineQueue: __, ...redisOptions } = options
    return quiet(
      new Cluster([...address.hosts], {
        lazyConnect: true,
        enableOfflineQueue: false,
        enableReadyCheck: false,
        redisOptions,
        clusterRetryStrategy: attempt => Math.min(attempt * 100, 1000),
        slotsRefreshTimeout: READY_TIMEOUT_MS,
        maxRedirections: 4,
        retryDelayOnClusterDown: 300,
        // Zero is off: a command whose connection closed may have been executed.
        retryDelayOnFailover: 0,
      }),
    )
  }
  const [host] = address.hosts
  const single = {
    ...options,
    db: address.db,
    // Only to hear of it. To make the connection anew at once, as ioredis would, cuts off whoever waits for an answer on it.
    reconnectOnError: (error: Error) => {
      if (isReadOnlyReply(error)) demoted.set(client, client.stream)
      return false
    },
  }
  const client: Redis = quiet(
    address.mode === 'sentinel'
      ? new Redis({
          ...single,
          sentinels: [...address.hosts],
          name: address.group ?? '',
          ...(address.tls ? { enableTLSForSentinelMode: true } : {}),
        })
      : new Redis({ ...single, host: host?.host ?? '', port: host?.port ?? 0 }),
  )
  return client
}

/** Without a listener an error event ends the process; ready() reports the reason instead. */
function quiet<C extends RedisClient>(client: C): C {
  client.on('error', () => {})
  return client
}

/** Connections under way: however many operations wait for one, it is made once. */
const connecting = new WeakMap<RedisClient, Promise<void>>()

/** Connections whose server said that it is a replica, by their client. Another server may be behind the same address now. */
const demoted = new WeakMap<RedisClient, unknown>()
/** When a client last left a replica. One that is meant to be there does not come and go with every answer. */
const leftAt = new WeakMap<RedisClient, number>()
const LEAVE_AT_MOST_EVERY_MS = 2000

function isToLeave(client: RedisClient): client is Redis {
  if (!(client instanceof Redis) || client.status !== 'ready' || demoted.get(client) !== client.stream)
    return false
  const before = leftAt.get(client)
  return before === undefined || performance.now() - before >= LEAVE_AT_MOST_EVERY_MS
}

/** Nothing is sent again: what is under way is answered on the old connection, or fails with it. */
async function leave(client: Redis): Promise<void> {
  demoted.delete(client)
  leftAt.set(client, performance.now())
  await new Promise<void>(resolve => {
    client.once('close', () => resolve())
    client.disconnect(true)
  })
  // Somebody closed it meanwhile, and nobody wants another.
  if (client.status === 'end') throw storeError(new Error('Connection is closed'))
}

/**
 * Resolves when commands can be sent, or says within READY_TIMEOUT_MS why not. After a failover behind one address the old
 * primary goes on answering as a replica: its connection is left before the next command.
 */
export async function ready(client: RedisClient, signal: AbortSignal): Promise<void> {
  let connected = connecting.get(client)
  if (!connected) {
    const isLeaving = isToLeave(client)
    if (client.status === 'ready' && !isLeaving) return
    connected = (isLeaving ? leave(client).then(() => becomeReady(client)) : becomeReady(client)).finally(
      () => connecting.delete(client),
    )
    connecting.set(client, connected)
  }
  await unlessAborted(connected, signal)
}

function becomeReady(client: RedisClient): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    if (client.status === 'ready') return resolve()
    let reason: unknown
    const onReady = () => finish(resolve)
    const onError = (error: unknown) => {
      reason = error
      // Waiting makes neither a wrong password right nor a refusing host answer. Where there are several hosts, the
      // client goes on to the next.
      if (isNotAuthenticated(error) || isOneHost(client)) giveUp()
    }
    const giveUp = () => finish(() => reject(storeError(reason ?? new Error('Connection timed out'))))
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
