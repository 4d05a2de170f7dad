import { Cluster, Redis } from 'ioredis'
import { quoteServerText, StoreError, toFailure } from '../../lib/errors.ts'
import { unlessAborted } from '../../lib/timers.ts'
import type { RedisAddress } from './address.ts'

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
      if (isNotAuthenticated(textOf(error)) || isOneHost(client)) giveUp()
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

/** A cluster wraps what its nodes said. */
function unwrapped(error: unknown): unknown {
  return (error instanceof Error && (error as { lastNodeError?: Error }).lastNodeError) || error
}

function textOf(error: unknown): string {
  const said = unwrapped(error)
  return said instanceof Error ? said.message : String(said)
}

/** Who we are was accepted, but not what we asked for: something else may be allowed. */
export function isNotPermitted(error: unknown): boolean {
  return /^NOPERM\b|acl permissions|user executing the script can't|acl failure in script/i.test(
    textOf(error),
  )
}

/** Who we are was not accepted: nothing will be allowed. */
function isNotAuthenticated(text: string): boolean {
  return /^(NOAUTH|WRONGPASS|DENIED)\b|invalid password|invalid username-password|AUTH .*called without/i.test(
    text,
  )
}

/** Before Redis 7 what a command of a script was answered stands inside the answer to the script. */
export function isReadOnlyReply(error: unknown): boolean {
  return /^READONLY|: -READONLY/.test(textOf(error))
}

/** A server may repeat the arguments of a command that it does not know, and those of AUTH are a password. */
function withoutArguments(text: string): string {
  return text.replace(/,? with args beginning with.*$/s, '')
}

/** ioredis's own words for a lost connection speak of its options. */
function plainly(text: string): string {
  return /max retries per request|isn't writeable|Connection is closed/.test(text)
    ? 'the connection was lost'
    : text
}

const UNREACHABLE =
  /connection was lost|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|timed out|Socket timeout|Connection is closed|isn't writeable|max retries|All sentinels|slots cache|startup nodes|aborted due to connection|read only and not ready/i

/** ioredis hangs every command on its error: whoever logs an error would log the password of AUTH, and the tokens of locks. */
function hideArguments(error: unknown): void {
  if (!(error instanceof Error)) return
  const told = error as { command?: unknown; lastNodeError?: unknown }
  delete told.command
  hideArguments(told.lastNodeError)
}

/** Turns what ioredis or the server said into one of our codes and a sentence. */
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  hideArguments(error)
  const text = plainly(withoutArguments(textOf(error)))
  const make = (code: ConstructorParameters<typeof StoreError>[0], message: string) =>
    new StoreError(code, message, { cause: error })
  if (isNotPermitted(error))
    return make('STORE_DENIED', `Redis does not permit this to the account: ${quoteServerText(text)}`)
  if (isNotAuthenticated(text)) return make('STORE_DENIED', 'Redis refused the user name or password')
  if (isReadOnlyReply(error))
    return make('STORE_DENIED', 'This Redis server is a read-only replica; connect to its primary')
  if (/^(LOADING|MASTERDOWN|CLUSTERDOWN)/.test(text)) {
    return make('STORE_UNREACHABLE', `Redis is not ready to answer: ${quoteServerText(text)}`)
  }
  if (/cluster support disabled/.test(text))
    return make('BAD_INPUT', 'This Redis server is no cluster; its address begins with redis:// or rediss://')
  if (/DB index is out of range/.test(text))
    return make('NOT_FOUND', 'This Redis server has no database with that number')
  if (/Unknown RESP type|Protocol error/.test(text)) {
    return make('STORE_UNREACHABLE', 'Something answers there, but it does not speak the language of Redis')
  }
  if (/certificate|self-signed|SSL|TLS|wrong version number/i.test(text)) {
    return make('STORE_UNREACHABLE', `The encrypted connection to Redis failed: ${quoteServerText(text)}`)
  }
  if (UNREACHABLE.test(text) || UNREACHABLE.test(String((error as { code?: unknown })?.code))) {
    return make('STORE_UNREACHABLE', `Redis does not answer: ${quoteServerText(text)}`)
  }
  // What neither the server nor the connection said is a mistake of ours, and must not look like one of theirs.
  const said = unwrapped(error)
  if (!(said instanceof Error) || said.name !== 'ReplyError')
    return make('INTERNAL', toFailure(error).message)
  return make('STORE_ERROR', `Redis answered with an error: ${quoteServerText(text)}`)
}
