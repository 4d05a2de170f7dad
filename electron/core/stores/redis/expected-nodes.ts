import { lookup } from 'node:dns/promises'
import { BlockList, isIP, isIPv4 } from 'node:net'
import type { HostPort } from '../../../../shared/address.ts'
import type { RedisAddress } from './address.ts'
import { joinRefusals, type NodeRefused, PRIVATE, refuse, unresolved } from './node-refused.ts'

/** Where a server is contacted: at the address that was checked, or with null at any that its name leads to. Or why it is not. */
export type Route =
  | { readonly refusal: null; readonly ip: string | null }
  | { readonly refusal: NodeRefused; readonly ip: null }

/** Which of the servers that a cluster or a Sentinel names are contacted. */
export interface NodePolicy {
  routeTo(node: HostPort): Promise<Route>
  /** A connection was made. That to a host of the address shows where the operator's servers are. */
  reached(host: string, ip: string): void
  /** The cluster gives this address beside a name, for clients that cannot resolve it. It is checked as any other. */
  announced(name: string, ip: string): void
  join(refusals: readonly NodeRefused[]): NodeRefused | null
}

const ANYWHERE: Route = { refusal: null, ip: null }

/** For Sentinels, which are given and get no password. */
export const CONTACT_ALL: NodePolicy = {
  routeTo: async () => ANYWHERE,
  reached: () => {},
  announced: () => {},
  join: ([first]) => first ?? null,
}

const policies = new WeakMap<RedisAddress, NodePolicy>()

/** The same for all clients of one address. */
export function nodePolicyOf(address: RedisAddress): NodePolicy {
  const policy = policies.get(address) ?? new ExpectedNodes(address)
  policies.set(address, policy)
  return policy
}

/** A cluster may name a thousand hosts, again and again. */
const RESOLVE_EVERY_MS = 5000
const MOST_NAMES = 2000

/**
 * The account's password goes to servers that the operator would expect, and not wherever a server sends it. Without an account there
 * is nothing to protect. A name counts as the addresses it leads to, and the connection goes to the very one that was checked.
 */
class ExpectedNodes implements NodePolicy {
  readonly #address: RedisAddress
  /** Of the given hosts, as far as they were needed. A cluster that was accepted stays so while a name server is down. */
  readonly #near = new Set<string>()
  readonly #announced = new Map<string, string>()
  readonly #found = new Map<string, { readonly ips: Promise<readonly string[]>; readonly at: number }>()

  constructor(address: RedisAddress) {
    this.#address = address
  }

  async routeTo(node: HostPort): Promise<Route> {
    const address = this.#address
    const hasAccount = address.password !== null || address.username !== null
    if (address.mode === 'standalone' || !hasAccount || isNamed(node.host, address)) return ANYWHERE
    const ips = await this.#addressesOf(node.host)
    const near = () => ips.find(ip => isNear(ip, address, this.#near))
    const ip = near() ?? (await this.#learnGiven().then(near))
    if (ip !== undefined) return { refusal: null, ip }
    const [first] = ips
    const refusal = first ? refuse(address, [{ ...node, ip: first }]) : unresolved(address, node)
    return { refusal, ip: null }
  }

  reached(host: string, ip: string): void {
    if (this.#address.hosts.some(each => each.host === host)) this.#near.add(plainName(ip))
  }

  announced(name: string, ip: string): void {
    if (this.#announced.size >= MOST_NAMES) this.#announced.clear()
    this.#announced.set(plainName(name), plainName(ip))
  }

  join(refusals: readonly NodeRefused[]): NodeRefused | null {
    return joinRefusals(this.#address, refusals)
  }

  async #learnGiven(): Promise<void> {
    for (const { host } of this.#address.hosts)
      for (const ip of await this.#resolve(plainName(host))) this.#near.add(ip)
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    const name = plainName(host)
    if (isIP(name)) return [name]
    const found = name === '' ? [] : await this.#resolve(name)
    const announced = this.#announced.get(name) ?? ''
    return found.length > 0 || !isIP(announced) ? found : [announced]
  }

  #resolve(name: string): Promise<readonly string[]> {
    const known = this.#found.get(name)
    if (known && performance.now() - known.at < RESOLVE_EVERY_MS) return known.ips
    if (this.#found.size >= MOST_NAMES) this.#found.clear()
    const ips = lookup(name, { all: true }).then(
      found => found.map(({ address }) => plainName(address)),
      () => [],
    )
    this.#found.set(name, { ips, at: performance.now() })
    return ips
  }
}

type Expecting = Pick<RedisAddress, 'hosts' | 'nodes' | 'tls' | 'ca' | 'servername'>

/**
 * Whether the operator named this host, in the address or in its list. Over TLS any host will do that proves a name only the
 * operator's servers can: one of a private authority, or the one in the address. A public authority certifies strangers too.
 */
export function isNamed(host: string, address: Expecting): boolean {
  if (address.tls && (address.ca !== null || address.servername !== null)) return true
  const name = plainName(host)
  const listed = listOf(address)
  const domains = listed.filter(each => each.startsWith('.'))
  return (
    address.hosts.some(each => plainName(each.host) === name) ||
    listed.includes(name) ||
    (isIP(name) === 0 && domains.some(domain => name.endsWith(domain)))
  )
}

/** Whether an IP address is in the network of a given host, of which `near` are the addresses, or in a network of the list. */
export function isNear(ip: string, address: Expecting, near: Iterable<string>): boolean {
  // A zone shows that it is no address of a server elsewhere.
  if (isIP(ip) === 0 || ip.includes('%')) return false
  const networks = new BlockList()
  const own = [...address.hosts.map(each => plainName(each.host)), ...near]
  for (const each of own) if (isIP(each) && !each.includes('%')) addNetwork(networks, each)
  for (const each of listOf(address)) addSubnet(networks, each)
  return networks.check(plainName(ip), isIPv4(plainName(ip)) ? 'ipv4' : 'ipv6')
}

function listOf({ nodes }: Expecting): readonly string[] {
  return nodes?.split(',').map(plainName) ?? []
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
  [PRIVATE, 16],
]

/** A network of the list, such as 10.1.0.0/16; anything else is no network. */
function addSubnet(networks: BlockList, text: string): void {
  const [ip = '', prefix] = text.split('/')
  if (isIP(ip))
    networks.addSubnet(ip, Number(prefix ?? (isIPv4(ip) ? 32 : 128)), isIPv4(ip) ? 'ipv4' : 'ipv6')
}
