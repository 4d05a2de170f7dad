import { isIPv4 } from 'node:net'
import { type HostPort, hostPort } from '../../../../shared/address.ts'
import { StoreError } from '../../lib/errors.ts'
import type { RedisAddress } from './address.ts'

/** A server that a cluster or a Sentinel names, with an address of its host. */
export type NamedNode = HostPort & { readonly ip: string }

/** No retry changes it: the operator decides. */
export class NodeRefused extends StoreError {
  readonly node: NamedNode | null

  constructor(message: string, node: NamedNode | null = null) {
    super(node === null ? 'STORE_UNREACHABLE' : 'STORE_DENIED', message)
    this.node = node
  }
}

/** A cluster wraps the errors of its nodes. */
export function isRefused(error: unknown): boolean {
  return [error, (error as { lastNodeError?: unknown } | null)?.lastNodeError].some(
    each => each instanceof NodeRefused,
  )
}

/** One sentence for all refusals of a cluster, with what the operator adds to the address. */
export function joinRefusals(address: RedisAddress, refusals: readonly NodeRefused[]): NodeRefused | null {
  const nodes = new Map(refusals.flatMap(({ node }) => (node === null ? [] : [[hostPort(node), node]])))
  const [first] = nodes.values()
  return first === undefined
    ? (refusals[0] ?? null)
    : refuse(address, [first, ...[...nodes.values()].slice(1)])
}

export function refuse(address: RedisAddress, nodes: readonly [NamedNode, ...NamedNode[]]): NodeRefused {
  const isOne = nodes.length === 1
  const [which, it, it_is] = isOne
    ? [`as ${roleIn(address)}, which is neither a host`, 'It was', 'it is']
    : ['as nodes, which are neither hosts', 'They were', 'they are']
  const would = isOne ? 'it would' : 'they would'
  const wanted = proposal(nodes)
  const advice = address.nodes === null ? `add nodes=${wanted} to` : `add ${wanted} to the list nodes= of`
  return new NodeRefused(
    `${namesOf(address)} names ${listed(nodes)} ${which} of the address nor near one. ${it} not contacted, because ${would} get the password. If ${it_is} yours, ${advice} the address`,
    nodes[0],
  )
}

/** For a name without an address: what it leads to later was not checked. */
export function unresolved(address: RedisAddress, node: HostPort): NodeRefused {
  return new NodeRefused(
    `${namesOf(address)} names ${shown(node)} as ${roleIn(address)}, and this machine finds no address of that name`,
  )
}

function namesOf({ mode }: RedisAddress): string {
  return mode === 'cluster' ? 'The cluster' : 'The Sentinel'
}

function roleIn({ mode }: RedisAddress): string {
  return mode === 'cluster' ? 'a node' : 'the primary'
}

const MOST_NAMED = 3

function listed(nodes: readonly NamedNode[]): string {
  const names = nodes.slice(0, MOST_NAMED).map(shown)
  const more = nodes.length - names.length
  if (more > 0) names.push(more === 1 ? '1 other' : `${more} others`)
  return [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' and ')
}

function shown(node: HostPort): string {
  return isPlain(node) ? hostPort(node) : 'a host with an invalid name'
}

function isPlain({ host }: HostPort): boolean {
  return /^[\w.:-]{1,253}$/.test(host)
}

/** The private network that several nodes are in; otherwise their names. */
function proposal(nodes: readonly NamedNode[]): string {
  const networks = new Set(nodes.map(({ ip }) => privateNetworkOf(ip)))
  const [network] = networks
  if (nodes.length > 1 && networks.size === 1 && network) return network
  const hosts = new Set(nodes.filter(isPlain).map(({ host }) => host))
  return [...hosts].slice(0, MOST_NAMED).join(',') || 'HOST'
}

/** The private ranges of RFC 1918. */
export const PRIVATE = /^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./

function privateNetworkOf(ip: string): string | null {
  return isIPv4(ip) && PRIVATE.test(ip) ? ip.replace(/\.\d+\.\d+$/, '.0.0/16') : null
}
