import {
  type AddressValue,
  type HostPort,
  parseAddress,
  type StoreAddress,
  serversOf,
} from '../../../../shared/address.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { addressesOf, canonicalHost, lookUp } from './host-addresses.ts'

/** Where the locks of an address are, to compare with other addresses. Account, pattern and format do not matter. */
export type Place = {
  readonly kind: string
  /** Canonical; empty for an address without hosts. */
  readonly hosts: readonly HostPort[]
  /** Which server it is, beside its hosts. */
  readonly server: string
  /** Under which account, where a server of the same name may be another one. */
  readonly account: string
  /** How its servers identified themselves. */
  readonly serverIds: readonly string[]
  /** Where on the server. */
  readonly within: string
  /** The part of that; null for all of it. */
  readonly parts: readonly (string | null)[]
}

export function placeOf(text: string, serverIds: readonly string[] = []): Place {
  const address = parseAddress(text)
  const { server, account = [], same, narrows, ignoresCase } = kindOf(address.kind).address.place
  const fieldOf = (name: string): AddressValue => {
    const value = address[name] ?? null
    return ignoresCase && typeof value === 'string' ? value.toLowerCase() : value
  }
  return {
    kind: address.kind,
    hosts: hostsOf(address).map(({ host, port }) => ({ host: canonicalHost(host), port })),
    server: JSON.stringify(server.map(fieldOf)),
    account: JSON.stringify(account.map(fieldOf)),
    serverIds,
    within: JSON.stringify(same.map(fieldOf)),
    parts: narrows.map(name => (address[name] === null ? null : JSON.stringify(fieldOf(name)))),
  }
}

/**
 * Whether two places share locks: they have a server in common, by its own identity, the names of its hosts or its addresses. Names say
 * nothing of two accounts whose servers are known to be others.
 */
export function isSamePlace(a: Place, b: Place): boolean {
  if (a.kind !== b.kind || a.within !== b.within) return false
  if (!a.parts.every((part, i) => part === null || b.parts[i] === null || part === b.parts[i])) return false
  if (a.serverIds.some(id => b.serverIds.includes(id))) return true
  const areKnown = a.serverIds.length > 0 && b.serverIds.length > 0
  if (areKnown && a.account !== b.account) return false
  return a.server === b.server && sharesHost(a, b)
}

/** Whether all of a place is within the other. */
export function isCoveredBy(place: Place, other: Place): boolean {
  return isSamePlace(place, other) && other.parts.every((part, i) => part === null || part === place.parts[i])
}

/** Looks up the hosts of places, so that they are compared by their addresses too. */
export function lookUpHosts(places: readonly Place[]): Promise<void> {
  return lookUp(places.flatMap(({ hosts }) => hosts.map(({ host }) => host)))
}

/** Any member identifies a cluster or a group of sentinels. */
function sharesHost(a: Place, b: Place): boolean {
  if (a.hosts.length === 0 || b.hosts.length === 0) return a.hosts.length === b.hosts.length
  const names = new Set(a.hosts.flatMap(namesOf))
  return b.hosts.flatMap(namesOf).some(name => names.has(name))
}

function namesOf({ host, port }: HostPort): string[] {
  return [host, ...addressesOf(host)].map(each => `${each} ${port}`)
}

function hostsOf(address: StoreAddress): readonly HostPort[] {
  const { options, place } = kindOf(address.kind).address
  const endpoints = options.filter(({ type }) => type === 'endpoint').map(({ name }) => address[name] ?? null)
  const usual = place.endpoint?.replace(/\{(\w+)\}/g, (_, name: string) => String(address[name]))
  const given = endpoints.map(each => each ?? usual ?? null).filter(each => each !== null)
  return [...serversOf(address), ...given.map(each => endpointHost(String(each)))]
}

function endpointHost(endpoint: string): HostPort {
  const [, scheme, host = '', port] = /^(https?):\/\/(\[[^\]]*\]|[^:/]+)(?::(\d+))?/.exec(endpoint) ?? []
  return { host, port: Number(port ?? (scheme === 'http' ? 80 : 443)) }
}
