import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv4 } from 'node:net'
import { type HostPort, hostPort } from '../../../../shared/address.ts'
import { StoreError } from '../../lib/errors.ts'
import type { RedisAddress } from './address.ts'

/** No retry changes it: the operator decides. */
export class NodeRefused extends StoreError {}

/** A cluster wraps the errors of its nodes. */
export function isRefused(error: unknown): boolean {
  return [error, (error as { lastNodeError?: unknown } | null)?.lastNodeError].some(
    each => each instanceof NodeRefused,
  )
}

/**
 * Why a server is not contacted that a cluster or a Sentinel names, or null. The account's password goes to servers that the operator
 * would expect, and not wherever a server sends it. Without an account there is nothing to protect.
 */
export type RefusalOf = (node: HostPort) => Promise<NodeRefused | null>

export function refusalFor(address: RedisAddress): RefusalOf {
  return async node => {
    if (address.mode === 'standalone' || (address.password === null && address.username === null)) return null
    if (isExpectedNode(node.host, address, resolved.get(address)?.addresses ?? [])) return null
    const addresses = await resolve(address)
    return isExpectedNode(node.host, address, addresses) ? null : refusal(address, node)
  }
}

/** The addresses of the given hosts, as far as they were needed. A cluster that was accepted stays so while a name server is down. */
const resolved = new WeakMap<RedisAddress, { readonly addresses: readonly string[]; readonly at: number }>()
/** A cluster may name a thousand hosts. */
const RESOLVE_EVERY_MS = 5000

async function resolve(address: RedisAddress): Promise<readonly string[]> {
  const known = resolved.get(address)
  if (known && performance.now() - known.at < RESOLVE_EVERY_MS) return known.addresses
  const found = await Promise.all(
    address.hosts.map(({ host }) => lookup(host, { all: true }).catch(() => [])),
  )
  const addresses = [...new Set([...(known?.addresses ?? []), ...found.flat().map(each => each.address)])]
  resolved.set(address, { addresses, at: performance.now() })
  return addresses
}

function refusal({ mode }: RedisAddress, node: HostPort): NodeRefused {
  const [what, role] = mode === 'cluster' ? ['cluster', 'a node'] : ['Sentinel', 'the primary']
  const host = String(node.host)
  const isPlain = /^[\w.:-]{1,253}$/.test(host)
  const shown = isPlain ? hostPort(node) : 'a host with an invalid name'
  return new NodeRefused(
    'STORE_DENIED',
    `The ${what} names ${shown} as ${role}, which is neither a host of the address nor near one. It was not contacted, because it would get the password. If it is yours, add nodes=${isPlain ? host : 'HOST'} to the address`,
  )
}

type Expecting = Pick<RedisAddress, 'hosts' | 'nodes' | 'tls' | 'ca' | 'servername'>

/**
 * Whether an operator who gave this address would expect such a host: a given one, one in the network or the domain of one, or one
 * in the list. `addresses` are those of the given hosts. Over TLS any host will do that proves a name only the operator's servers
 * can: one of a private authority, or the one in the address. A public authority certifies strangers too.
 */
export function isExpectedNode(host: unknown, address: Expecting, addresses: readonly string[]): boolean {
  if (typeof host !== 'string') return false
  if (address.tls && (address.ca !== null || address.servername !== null)) return true
  const name = plainName(host)
  const given = address.hosts.map(each => plainName(each.host))
  const listed = address.nodes?.split(',').map(plainName) ?? []
  if ([...given, ...listed].includes(name)) return true
  const networks = new BlockList()
  for (const each of [...given, ...addresses.map(plainName)]) if (isIP(each)) addNetwork(networks, each)
  for (const each of listed) addSubnet(networks, each)
  const family = isIP(name)
  if (family !== 0) return networks.check(name, family === 4 ? 'ipv4' : 'ipv6')
  if (name === 'localhost') return networks.check('127.0.0.1') || networks.check('::1', 'ipv6')
  const domains = [...given.flatMap(domainOf), ...listed.filter(each => each.startsWith('.'))]
  return domains.some(domain => name.endsWith(domain))
}

function plainName(host: string): string {
  const name = host.trim().toLowerCase().replace(/\.$/, '')
  const mapped = name.replace(/^::ffff:/, '')
  return isIPv4(mapped) ? mapped : name
}

/** The network that a server of the same owner is probably in. */
function addNetwork(networks: BlockList, ip: string): void {
  const bits = PREFIXES.find(([pattern]) => pattern.test(ip))?.[1] ?? (isIPv4(ip) ? 24 : 64)
  networks.addSubnet(ip, bits, isIPv4(ip) ? 'ipv4' : 'ipv6')
}

const PREFIXES: readonly (readonly [RegExp, number])[] = [
  [/^127\./, 8],
  [/^::1$/, 128],
  // The private ranges of RFC 1918.
  [/^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./, 16],
]

/** A network in the list, such as 10.1.0.0/16; anything else is no network. */
function addSubnet(networks: BlockList, text: string): void {
  const [, ip = '', prefix = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const family = isIP(ip)
  if (family !== 0 && Number(prefix) <= (family === 4 ? 32 : 128))
    networks.addSubnet(ip, Number(prefix), family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * The domain of a host, if strangers get no names in it: `.redis.example.com` of `a.redis.example.com`. With fewer labels it may be
 * one where anybody registers, such as co.uk.
 */
function domainOf(host: string): string[] {
  const domain = host.slice(host.indexOf('.'))
  const labels = isIP(host) === 0 ? domain.split('.').length - 1 : 0
  return labels >= 3 && !SHARED_DOMAINS.test(domain) ? [domain] : []
}

/** Where the servers of all customers of a provider are neighbours. */
const SHARED_DOMAINS =
  /\.(compute(-1)?\.amazonaws\.com(\.cn)?|cache\.windows\.net|cloudapp\.azure\.com|cloud\.redislabs\.com|upstash\.io)$/
