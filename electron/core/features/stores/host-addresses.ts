import { lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import { isThisMachine } from '../../../../shared/address.ts'
import { atMost } from '../../lib/timers.ts'

/** How long an answer counts. */
const FRESH_MS = 10_000
/** In an outage, name servers may not answer either. */
const LOOKUP_MS = 1000
/** Hosts of addresses that were edited or removed stay known until then. */
const MOST_HOSTS = 1000

/** The last answer about each host, also while a newer one is missing. */
const known = new Map<string, readonly string[]>()
const askedAt = new Map<string, number>()
const asking = new Map<string, Promise<void>>()

/**
 * One name for all spellings of a host, as a connection would understand them: `127.1`, `0x7f000001`, full-width digits, an
 * IPv4 address inside IPv6, a trailing dot. This machine is `localhost`; names under localhost may lead to other servers.
 */
export function canonicalHost(host: string): string {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  const url = `http://${bare.includes(':') ? `[${bare}]` : bare}`
  const name = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : bare
  const address = unmapped(name).replace(/\.+$/, '')
  const isUnspecified = address === '::' || address === '0.0.0.0'
  const isLoopback = isThisMachine(address) && !address.endsWith('.localhost')
  return isUnspecified || isLoopback ? 'localhost' : address
}

/** `::ffff:7f00:1` is `127.0.0.1`. */
function unmapped(address: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map(shift => (bits >>> shift) & 255).join('.')
}

/** The addresses of a host by its canonical name, as far as it was looked up. */
export function addressesOf(host: string): readonly string[] {
  return known.get(host) ?? []
}

/** Looks hosts up, by their canonical names. What is not answered in time stays as it was known. */
export async function lookUp(hosts: Iterable<string>): Promise<void> {
  const now = performance.now()
  const isStale = (host: string) => now - (askedAt.get(host) ?? Number.NEGATIVE_INFINITY) >= FRESH_MS
  const work = [...new Set(hosts)].flatMap(host => {
    if (host === 'localhost') return []
    if (isStale(host) && !asking.has(host)) ask(host)
    return asking.get(host) ?? []
  })
  if (work.length > 0) await atMost(LOOKUP_MS, Promise.all(work))
}

function ask(host: string): void {
  if (known.size >= MOST_HOSTS) for (const each of [known, askedAt]) each.clear()
  const answered = lookup(host, { all: true }).then(
    found => {
      known.set(host, canonicalAddresses(found.map(({ address }) => address)))
    },
    () => {},
  )
  asking.set(
    host,
    answered.finally(() => {
      askedAt.set(host, performance.now())
      asking.delete(host)
    }),
  )
}

/** The addresses of this machine's own network interfaces lead to this machine. */
function canonicalAddresses(found: readonly string[]): string[] {
  const own = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  const isOwn = (address: string) => own.some(each => each.address === address)
  return [...new Set(found.map(address => (isOwn(address) ? 'localhost' : canonicalHost(address))))]
}
