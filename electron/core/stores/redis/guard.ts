import { isIP } from 'node:net'
import { Cluster, type Redis } from 'ioredis'
import { type HostPort, hostPort } from '../../../../shared/address.ts'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { guardSocket, MAX_REPLY_BYTES } from '../wire/guard-socket.ts'
import { isAboutTls } from '../wire/tls.ts'
import { CONTACT_ALL, type NodePolicy } from './expected-nodes.ts'
import { noteAfterLogin } from './failure.ts'
import type { NodeRefused } from './node-refused.ts'
import { ReplyScanner } from './reply-scanner.ts'
import { type SlotRange, slotsFrom } from './slots.ts'

/** The parts of a client that ioredis keeps to itself. */
type Inside = {
  readonly connector: Connector
  recoverFromFatalError(error: Error, same: Error): void
}

type Emit = (type: string, error: Error) => void
type Connector = {
  /** False as soon as the client disconnects. */
  connecting: boolean
  options: Redis['options']
  connect: (emit: Emit) => Promise<unknown>
  /** These two only to Sentinels. The first asks one of them for the primary. */
  resolve?: (sentinel: unknown) => Promise<HostPort | null>
  connectToSentinel?: (...asked: unknown[]) => Redis
}

type Purpose = ReplyScanner['purpose']

/**
 * ioredis trusts its server: a push message, an unrequested reply or a malformed redirection is an uncaught exception in
 * there. Every connection of this client, of its duplicates, of the nodes of a cluster and to Sentinels is checked before
 * ioredis reads it. A violation fails the pending commands with its reason. It also connects wherever a server sends it: a server
 * that is refused gets no connection.
 */
export function guardClient(client: Redis | Cluster, purpose: Purpose, policy: NodePolicy): void {
  if (client instanceof Cluster) {
    client.on('+node', (node: Redis) => guardRedis(node, 'commands', policy))
    return
  }
  guardRedis(client, purpose, policy)
}

/** Fails what waits for an answer with the reason, and connects anew. */
export function endConnections(client: Redis | Cluster, reason: BadAnswer): void {
  for (const node of client instanceof Cluster ? client.nodes() : [client]) {
    const inside = node as unknown as Inside
    inside.recoverFromFatalError(reason, reason)
  }
}

function guardRedis(client: Redis, purpose: Purpose, policy: NodePolicy): Redis {
  // Emitted after the stream is set, and before it can have read anything.
  client.on('connect', () => {
    guardConnection(client, purpose)
    const { remoteAddress } = client.stream
    if (remoteAddress !== undefined) policy.reached(client.options.host ?? '', remoteAddress)
  })
  noteLogins(client)
  const { duplicate, asking } = client
  // ioredis leaves its failure to nobody; the command that follows fails too.
  client.asking = (() => asking.call(client).catch(() => 'OK')) as typeof asking
  client.duplicate = override =>
    checkingSlots(guardRedis(duplicate.call(client, override), purpose, policy), policy)
  const { connector } = client as unknown as Inside
  if (connector.resolve) guardPrimary(connector, connector.resolve, policy)
  else guardNode(connector, client, policy)
  const { connectToSentinel } = connector
  if (connectToSentinel)
    connector.connectToSentinel = (...asked) => {
      const sentinel = connectToSentinel.apply(connector, asked)
      return guardRedis(sentinel, 'commands', CONTACT_ALL)
    }
  return client
}

/** Only errors of a connection on which AUTH has succeeded may be quoted. */
function noteLogins(client: Redis): void {
  const { sendCommand } = client
  let loggedIn: unknown = null
  client.sendCommand = function (this: Redis, ...[command, ...more]: Parameters<typeof sendCommand>) {
    command.promise.then(
      () => {
        if (command.name === 'auth') loggedIn = client.stream
      },
      error => {
        if (loggedIn === client.stream) noteAfterLogin(error)
      },
    )
    return sendCommand.call(this, command, ...more)
  }
}

function guardNode(connector: Connector, { options }: Redis, policy: NodePolicy): void {
  const { connect } = connector
  connector.connect = async emit => {
    connector.connecting = true
    const { host = '', port = 0 } = options
    const { refusal, ip } = await policy.routeTo({ host, port })
    if (refusal !== null) throw refusal
    if (!connector.connecting) throw new Error('Connection is closed.')
    // TLS still checks the name.
    const named = isIP(host) === 0 && options.tls ? { tls: { servername: host, ...options.tls } } : {}
    connector.options = ip === null ? options : { ...options, ...named, host: ip }
    return connect.call(connector, emit)
  }
}

/** The Sentinels are given; the primary is what they say. A refusal is reported once the last of them was asked. */
function guardPrimary(
  connector: Connector,
  resolve: NonNullable<Connector['resolve']>,
  policy: NodePolicy,
): void {
  const { connect } = connector
  let refusal: NodeRefused | null = null
  connector.resolve = async sentinel => {
    const primary = await resolve.call(connector, sentinel)
    if (primary === null) return null
    const route = await policy.routeTo(primary)
    refusal = route.refusal
    if (refusal !== null) throw refusal
    const named = isIP(primary.host) === 0 ? { servername: primary.host } : {}
    return route.ip === null ? primary : { ...primary, ...named, host: route.ip }
  }
  connector.connect = emit => connect.call(connector, (type, error) => emit(type, refusal ?? error))
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
function checkingSlots(client: Redis, policy: NodePolicy): Redis {
  let insecure: Error | null = null
  client.on('error', error => {
    if (isAboutTls(error)) insecure = error
  })
  const cluster = client.cluster.bind(client) as (...asked: unknown[]) => Promise<unknown>
  const checked = async (what: unknown, done: (error: unknown, slots?: unknown) => void) => {
    try {
      done(null, await acceptedIn(slotsFrom(await cluster(what)), policy))
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

/** The slots without the nodes that are refused, which keep their places. Throws if none is left. */
async function acceptedIn(ranges: readonly SlotRange[], policy: NodePolicy): Promise<unknown> {
  const refusals = new Map<string, NodeRefused | null>()
  const nodes = ranges.flatMap(([, , ...members]) => members)
  for (const [host, port, , more] of nodes) {
    if (!host || refusals.has(host)) continue
    const ip = Array.isArray(more) ? more[more.indexOf('ip') + 1] : null
    if (typeof ip === 'string') policy.announced(host, ip)
    refusals.set(host, (await policy.routeTo({ host, port })).refusal)
  }
  const all = [...refusals.values()]
  const refused = policy.join(all.filter(each => each !== null))
  if (refused !== null && !all.includes(null)) throw refused
  return ranges.map(([from, to, ...members]) => {
    const accepted = members.map(([host, ...more]) => [refusals.get(host ?? '') ? null : host, ...more])
    return [from, to, ...accepted]
  })
}
