import { Cluster, type Redis } from 'ioredis'
import { hostPort } from '../../../../shared/address.ts'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { guardSocket, MAX_REPLY_BYTES } from '../wire/guard-socket.ts'
import { isAboutTls } from '../wire/tls.ts'
import { ReplyScanner } from './reply-scanner.ts'
import { slotsFrom } from './slots.ts'

/** The parts of a client that ioredis keeps to itself. */
type Inside = {
  readonly connector: { connectToSentinel?: (...asked: unknown[]) => Redis }
  recoverFromFatalError(error: Error, same: Error): void
}

type Purpose = ReplyScanner['purpose']

/**
 * ioredis trusts its server: a push message, an unrequested reply or a malformed redirection is an uncaught exception in
 * there. Every connection of this client, of its duplicates, of the nodes of a cluster and to Sentinels is checked before
 * ioredis reads it. A violation fails the pending commands with its reason.
 */
export function guardClient(client: Redis | Cluster, purpose: Purpose = 'commands'): void {
  if (client instanceof Cluster) {
    client.on('+node', (node: Redis) => guardRedis(node, 'commands'))
    return
  }
  guardRedis(client, purpose)
}

/** Fails what waits for an answer with the reason, and connects anew. */
export function endConnections(client: Redis | Cluster, reason: BadAnswer): void {
  for (const node of client instanceof Cluster ? client.nodes() : [client]) {
    const inside = node as unknown as Inside
    inside.recoverFromFatalError(reason, reason)
  }
}

function guardRedis(client: Redis, purpose: Purpose): Redis {
  // Emitted after the stream is set, and before it can have read anything.
  client.on('connect', () => guardConnection(client, purpose))
  const { duplicate } = client
  client.duplicate = override => checkingSlots(guardRedis(duplicate.call(client, override), purpose))
  const { connector } = client as unknown as Inside
  const { connectToSentinel } = connector
  if (connectToSentinel)
    connector.connectToSentinel = (...asked) => {
      const sentinel = connectToSentinel.apply(connector, asked)
      return guardRedis(sentinel, 'commands')
    }
  return client
}

function guardConnection(client: Redis, purpose: Purpose): void {
  const scanner = new ReplyScanner(purpose)
  const { stream } = client
  const check = (chunk: Buffer) => scanner.scan(chunk, client.commandQueue.length)
  const failed = (fault: unknown) => {
    const reason = reasonOf(fault, stream.remoteAddress, stream.remotePort)
    endConnections(client, reason)
    return undefined
  }
  // A server may refuse the client's certificate after the connection is made: the pending commands fail with that reason.
  stream.on('error', error => {
    const inside = client as unknown as Inside
    if (isAboutTls(error)) inside.recoverFromFatalError(error, error)
  })
  guardSocket(stream, { check, failed }, purpose === 'messages' ? Number.POSITIVE_INFINITY : MAX_REPLY_BYTES)
}

function reasonOf(fault: unknown, host = '', port = 0): BadAnswer {
  const answer = fault instanceof BadAnswer ? fault : unreadable('a reply', fault)
  // The connection has ended, and another may work.
  const options = {
    server: `Redis at ${hostPort({ host, port })}`,
    code: 'STORE_UNREACHABLE',
    cause: fault,
  } as const
  return new BadAnswer(answer.did, options)
}

/** A cluster reads its slots through a duplicate of a node, in a callback without error handling, and ignores its errors. */
function checkingSlots(client: Redis): Redis {
  let insecure: Error | null = null
  client.on('error', error => {
    if (isAboutTls(error)) insecure = error
  })
  const cluster = client.cluster.bind(client) as (...asked: unknown[]) => Promise<unknown>
  const checked = async (what: unknown, done: (error: unknown, slots?: unknown) => void) => {
    try {
      done(null, slotsFrom(await cluster(what)))
    } catch (error) {
      done(insecure ?? error)
    }
  }
  client.cluster = ((what: unknown, done: unknown) =>
    typeof done === 'function'
      ? checked(what, done as Parameters<typeof checked>[1])
      : cluster(what)) as typeof client.cluster
  return client
}
