import type { StoreKind } from './locks.ts'

export type HostPort = { host: string; port: number }

type Common = { format: string | null; username: string | null; password: string | null }

export type RedisAddress = Common & {
  kind: 'redis'
  mode: 'standalone' | 'sentinel' | 'cluster'
  tls: boolean
  hosts: HostPort[]
  /** The Sentinel group's name. */
  group: string | null
  db: number
  /** The SCAN pattern, or null for every key. A pattern is the operator saying "these are locks". */
  match: string | null
}
export type MysqlAddress = Common & {
  kind: 'mysql'
  host: string
  port: number
  database: string
  table: string | null
  tls: boolean
}
export type DynamoAddress = Common & {
  kind: 'dynamodb'
  region: string
  table: string
  endpoint: string | null
  profile: string | null
}
export type MemoryAddress = Common & { kind: 'memory'; name: string }
export type StoreAddress = RedisAddress | MysqlAddress | DynamoAddress | MemoryAddress

/**
 * What is wrong with an address, in one sentence. It repeats nothing that was typed: in a malformed address any part, a
 * port or an option's name just as well, may be a piece of a password.
 */
export class AddressError extends Error {}

const OPTIONS: Record<StoreKind, readonly string[]> = {
  redis: ['match', 'format'],
  mysql: ['table', 'format', 'tls'],
  dynamodb: ['endpoint', 'profile', 'format'],
  memory: ['format'],
}

const MYSQL_PORT = 3306

function redisPort(mode: RedisAddress['mode']): number {
  return mode === 'sentinel' ? 26379 : 6379
}

const SCHEMES = new Map<string, (rest: string) => StoreAddress>([
  ['redis', rest => redis(rest, 'standalone', false)],
  ['rediss', rest => redis(rest, 'standalone', true)],
  ['redis+sentinel', rest => redis(rest, 'sentinel', false)],
  ['rediss+sentinel', rest => redis(rest, 'sentinel', true)],
  ['redis+cluster', rest => redis(rest, 'cluster', false)],
  ['rediss+cluster', rest => redis(rest, 'cluster', true)],
  ['mysql', mysql],
  ['dynamodb', dynamodb],
])

export function parseAddress(text: string): StoreAddress {
  // Half a surrogate pair has no UTF-8: no server could be asked for it, and it cannot be written in an address.
  if (/\p{Cs}/u.test(text)) throw new AddressError('The address is not valid Unicode text')
  const memory = /^memory:(.*)$/is.exec(text)
  if (memory) return memoryAddress(memory[1] ?? '')
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) {
    throw new AddressError('A store address starts with redis://, mysql://, dynamodb:// or memory:')
  }
  const parse = SCHEMES.get(scheme)
  if (!parse) {
    const known = [...[...SCHEMES.keys()].map(name => `${name}://`), 'memory:'].join(', ')
    throw new AddressError(`Unknown kind of store "${scheme}://"; known are ${known}`)
  }
  return parse(text.slice(scheme.length + 3))
}

/** The address as it may be shown, logged and stored: without the password. */
export function showAddress(address: StoreAddress): string {
  const user = address.username === null ? '' : `${encodeURIComponent(address.username)}@`
  switch (address.kind) {
    case 'memory':
      return `memory:${address.name}${query({ format: address.format })}`
    case 'dynamodb':
      return `dynamodb://${user}${address.region}/${encodeURIComponent(address.table)}${query({
        endpoint: address.endpoint,
        profile: address.profile,
        format: address.format,
      })}`
    case 'mysql':
      return `mysql://${user}${hostPort(address)}/${encodeURIComponent(address.database)}${query({
        table: address.table,
        format: address.format,
        tls: address.tls ? 'true' : null,
      })}`
    case 'redis': {
      const scheme = `redis${address.tls ? 's' : ''}${address.mode === 'standalone' ? '' : `+${address.mode}`}`
      const group = address.group === null ? '' : `/${encodeURIComponent(address.group)}`
      const db = address.mode === 'cluster' ? '' : `/${address.db}`
      const options = query({ match: address.match, format: address.format })
      return `${scheme}://${user}${address.hosts.map(hostPort).join(',')}${group}${db}${options}`
    }
  }
}

/**
 * What people call a store before they have named it. A port that is not the usual one belongs to it: two servers on one
 * host would otherwise have one name, also where it is typed to confirm something.
 */
export function shortName(address: StoreAddress): string {
  switch (address.kind) {
    case 'memory':
      return address.name
    case 'dynamodb':
      return address.table
    case 'mysql':
      return `${address.database} at ${shortHost(address, MYSQL_PORT)}`
    case 'redis': {
      const [first] = address.hosts
      const host = first ? shortHost(first, redisPort(address.mode)) : ''
      return `${address.group ?? 'redis'} at ${host}${address.db === 0 ? '' : `/${address.db}`}`
    }
  }
}

function shortHost(at: HostPort, usualPort: number): string {
  return at.port === usualPort ? at.host : hostPort(at)
}

/** Whether a password that was given for one address may be used for another: the same account on the same server. */
export function passwordFits(known: StoreAddress, wanted: StoreAddress): boolean {
  return accountOf(known) === accountOf(wanted)
}

function accountOf(address: StoreAddress): string {
  switch (address.kind) {
    case 'memory':
      return 'memory'
    case 'dynamodb':
      return JSON.stringify(['dynamodb', address.username, address.region, address.endpoint])
    case 'mysql':
      return JSON.stringify(['mysql', address.username, address.host, address.port, address.tls])
    case 'redis':
      return JSON.stringify([
        'redis',
        address.username,
        address.mode,
        address.tls,
        address.group,
        address.hosts,
      ])
  }
}

function redis(rest: string, mode: RedisAddress['mode'], tls: boolean): RedisAddress {
  const { username, password, hosts, path, options } = split(rest, 'redis')
  const group = mode === 'sentinel' ? path.shift() || null : null
  if (mode === 'sentinel' && group === null) {
    throw new AddressError('A Sentinel address names its group: redis+sentinel://host1,host2/group/0')
  }
  const db = path.shift() || '0'
  if (!/^\d{1,5}$/.test(db)) throw new AddressError('The Redis database must be a number')
  if (mode === 'cluster' && db !== '0') throw new AddressError('Redis Cluster has database 0 only')
  if (path.some(part => part !== ''))
    throw new AddressError('There is something after the Redis database in the path')
  const parsed = hosts.split(',').map(host => parseHost(host, redisPort(mode)))
  if (mode === 'standalone' && parsed.length > 1) {
    throw new AddressError('Several hosts need redis+sentinel:// or redis+cluster://')
  }
  return {
    kind: 'redis',
    mode,
    tls,
    username,
    password,
    hosts: parsed,
    group,
    db: Number(db),
    match: options['match'] || null,
    format: options['format'] || null,
  }
}

function mysql(rest: string): MysqlAddress {
  const { username, password, hosts, path, options } = split(rest, 'mysql')
  const database = path.shift() ?? ''
  if (database === '')
    throw new AddressError('A MySQL address names its database: mysql://user@host:3306/database')
  if (path.some(part => part !== ''))
    throw new AddressError('There is something after the MySQL database in the path')
  const tls = options['tls'] ?? 'false'
  if (tls !== 'true' && tls !== 'false') throw new AddressError('tls must be true or false')
  return {
    kind: 'mysql',
    ...parseHost(hosts, MYSQL_PORT),
    username,
    password,
    database,
    table: options['table'] || null,
    format: options['format'] || null,
    tls: tls === 'true',
  }
}

function dynamodb(rest: string): DynamoAddress {
  const { username, password, hosts: region, path, options } = split(rest, 'dynamodb')
  if (!/^[a-z0-9-]+$/.test(region)) {
    throw new AddressError('A DynamoDB address starts with its region: dynamodb://eu-west-1/table')
  }
  const table = path.shift() ?? ''
  if (!/^[a-zA-Z0-9_.-]{3,255}$/.test(table)) {
    throw new AddressError(
      'A DynamoDB address names its table (3 to 255 of a-z A-Z 0-9 _ . -): dynamodb://eu-west-1/table',
    )
  }
  if (path.some(part => part !== ''))
    throw new AddressError('There is something after the DynamoDB table in the path')
  const endpoint = options['endpoint'] || null
  if (endpoint !== null) checkEndpoint(endpoint)
  return {
    kind: 'dynamodb',
    region,
    table,
    username,
    password,
    endpoint,
    profile: options['profile'] || null,
    format: options['format'] || null,
  }
}

function memoryAddress(rest: string): MemoryAddress {
  const [name = '', search = ''] = cut(rest, '?')
  if (!/^[a-zA-Z0-9_.-]+$/.test(name)) throw new AddressError('A memory store has a name: memory:practice')
  return {
    kind: 'memory',
    name,
    username: null,
    password: null,
    format: parseOptions(search, 'memory')['format'] || null,
  }
}

function split(rest: string, kind: StoreKind) {
  const [beforeQuery, search] = cut(rest, '?')
  const slash = beforeQuery.indexOf('/')
  // An @ behind the hosts is one of a password that was cut short there. What follows would be shown as a host or option.
  if (search.includes('@') || (slash >= 0 && beforeQuery.includes('@', slash))) {
    throw new AddressError('Write / as %2F, ? as %3F and @ as %40 inside a user name, password or option')
  }
  const authority = slash < 0 ? beforeQuery : beforeQuery.slice(0, slash)
  const path =
    slash < 0
      ? []
      : beforeQuery
          .slice(slash + 1)
          .split('/')
          .map(decode)
  const at = authority.lastIndexOf('@')
  const hosts = authority.slice(at + 1)
  const [user, secret] = at < 0 ? [null, null] : cutOnce(authority.slice(0, at))
  return {
    username: user === null || user === '' ? null : decode(user),
    password: secret === null ? null : decode(secret),
    hosts,
    path,
    options: parseOptions(search, kind),
  }
}

function cutOnce(userinfo: string): [string, string | null] {
  const colon = userinfo.indexOf(':')
  return colon < 0 ? [userinfo, null] : [userinfo.slice(0, colon), userinfo.slice(colon + 1)]
}

function cut(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function parseOptions(search: string, kind: StoreKind): Record<string, string> {
  const options: Record<string, string> = {}
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const [name, value] = cut(pair, '=')
    if (!OPTIONS[kind].includes(name)) {
      throw new AddressError(`Unknown option in the address; ${kind} takes ${OPTIONS[kind].join(', ')}`)
    }
    // Neither is guessed at: an endpoint that a script left empty would otherwise mean the real AWS.
    if (value === '') throw new AddressError(`The option ${name} has no value`)
    if (options[name] !== undefined) throw new AddressError(`The option ${name} is given twice`)
    options[name] = decode(value)
  }
  return options
}

function parseHost(text: string, defaultPort: number): HostPort {
  // Letters of every script, because hosts may be internationalised; nothing that a terminal or a URL gives a meaning to.
  const parts = /^(?:\[([0-9a-fA-F:.]+)\]|([\p{L}\p{N}\p{M}._-]+))(?::(.*))?$/su.exec(text)
  const host = parts?.[1] ?? parts?.[2]
  if (host === undefined)
    throw new AddressError(text === '' ? 'The host is missing' : 'The host is not valid')
  const port = parts?.[3]
  if (port === undefined) return { host, port: defaultPort }
  if (!/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65535) {
    throw new AddressError('The port must be a number from 1 to 65535')
  }
  return { host, port: Number(port) }
}

function checkEndpoint(endpoint: string): void {
  const match = /^https?:\/\/([^/?#]+)\/?$/.exec(endpoint)
  if (!match) throw new AddressError('endpoint must look like http://host:port or https://host')
  parseHost(match[1] ?? '', 443)
}

function hostPort({ host, port }: HostPort): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function query(options: Record<string, string | null>): string {
  const pairs = Object.entries(options).flatMap(([name, value]) =>
    // `*`, `:` and `/` are common in patterns and endpoints and need no escape in a query.
    value === null ? [] : [`${name}=${encodeURIComponent(value).replace(/%(3A|2F)/g, decodeURIComponent)}`],
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new AddressError('The address has a % that is not followed by two hexadecimal digits')
  }
}
