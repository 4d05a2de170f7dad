import { isDeepStrictEqual } from 'node:util'
import {
  type MysqlAddress,
  parseAddress,
  type StoreAddress,
  shortName,
  showAddress,
} from '../../../../shared/address.ts'
import { clip, neutralise } from '../../../../shared/safe-text.ts'
import type { Suggestion } from '../../../../shared/stores.ts'
import { type Env, Variables } from './variables.ts'

/** A suggestion with what only core may know. */
export type ReadySuggestion = Suggestion & { readonly password: string | null }

/** What the variables of one application describe, in the order in which they count. Null when they describe nothing. */
const SOURCES: readonly (readonly [
  suggestionId: string,
  read: (variables: Variables) => StoreAddress | null,
])[] = [
  ['env:redis', redisByHost],
  ['env:redis-url', variables => byUrl(variables, /^rediss?:\/\//i, 'REDIS_URL')],
  [
    'env:cache',
    variables => byUrl(variables, /^rediss?:\/\//i, 'INVENIO_CACHE_REDIS_URL', 'CACHE_REDIS_URL'),
  ],
  ['env:mysql', mysqlByHost],
  ['env:database-url', variables => byUrl(variables, /^mysql:\/\//i, 'DATABASE_URL')],
  ['env:dynamodb', dynamodb],
]

/**
 * The connections that an application's own variables describe. What is broken there is no suggestion and no error: it is
 * not ours, and any of it may be a secret.
 */
export function suggestStores(env: Env): ReadySuggestion[] {
  const found: ReadySuggestion[] = []
  for (const [suggestionId, read] of SOURCES) {
    const next = suggestion(suggestionId, read, env)
    const same = found.findIndex(each => each.address === next?.address)
    if (next === null) continue
    if (same < 0) found.push(next)
    else found[same] = together(found[same] as ReadySuggestion, next)
  }
  const current = currentOf(found, env)
  return found.map(each => (each === current ? { ...each, current: true } : each))
}

function suggestion(
  suggestionId: string,
  read: (variables: Variables) => StoreAddress | null,
  env: Env,
): ReadySuggestion | null {
  const variables = new Variables(env)
  try {
    const address = read(variables)
    if (address === null) return null
    const shown = showAddress(address)
    // A host that was made of more than a host would be read as something else.
    if (shown.length > 4096 || !isDeepStrictEqual(parseAddress(shown), { ...address, password: null }))
      return null
    return {
      suggestionId,
      name: nameOf(address),
      address: shown,
      kind: address.kind,
      variables: variables.used,
      current: false,
      hasPassword: address.password !== null,
      password: address.password,
    }
  } catch {
    return null
  }
}

/** Two sets of variables for one server and account: what one of them leaves out, the other may know. */
function together(first: ReadySuggestion, second: ReadySuggestion): ReadySuggestion {
  const password = first.password ?? second.password
  const variables = [...new Set([...first.variables, ...second.variables])]
  return { ...first, variables, password, hasPassword: password !== null }
}

/** The lock manager that reads LOCK_PROVIDER takes Redis when nothing is said, and finds it by host and port. */
function currentOf(found: readonly ReadySuggestion[], env: Env): ReadySuggestion | null {
  const provider = env['LOCK_PROVIDER']?.trim().toLowerCase() ?? ''
  if (provider === '') return found.find(({ suggestionId }) => suggestionId === 'env:redis') ?? null
  return found.find(({ kind }) => kind === provider) ?? null
}

function redisByHost(variables: Variables): StoreAddress | null {
  const host = variables.host('REDIS_HOST')
  const port = variables.number(6379, 'REDIS_PORT')
  if (variables.used.length === 0) return null
  const tls = variables.flag('REDIS_TLS')
  if (tls === null) return null
  return {
    kind: 'redis',
    mode: 'standalone',
    tls,
    username: variables.text('REDIS_USERNAME', 'REDIS_USER'),
    password: variables.exact('REDIS_PASSWORD'),
    // Where the programs look that are told no host.
    hosts: [{ host: host ?? 'localhost', port }],
    group: null,
    db: variables.number(0, 'REDIS_DB'),
    match: null,
    format: null,
  }
}

function mysqlByHost(variables: Variables): MysqlAddress | null {
  const host = variables.host('MYSQL_HOST', 'DB_HOST')
  const database = variables.text('MYSQL_DATABASE', 'DB_NAME', 'DB_DATABASE')
  if (host === null || database === null) return null
  const port = variables.number(3306, 'MYSQL_PORT', 'DB_PORT')
  // Every kind of database calls its variables DB_.
  if (variables.used[0] === 'DB_HOST' && (port === 5432 || saysOtherwise(variables.env))) return null
  return {
    kind: 'mysql',
    host,
    port,
    database,
    username: variables.text('MYSQL_USER', 'DB_USER', 'DB_USERNAME'),
    password: variables.exact('MYSQL_PASSWORD', 'DB_PASSWORD', 'DB_PASS'),
    table: null,
    format: null,
    tls: false,
  }
}

function saysOtherwise(env: Env): boolean {
  return ['DB_CONNECTION', 'DB_DRIVER', 'DB_DIALECT', 'DB_ENGINE', 'DB_TYPE'].some(
    name => env[name] && !/mysql|mariadb/i.test(env[name]),
  )
}

/** Behind the question mark are options of the application's own client, not ours. */
function byUrl(variables: Variables, scheme: RegExp, ...names: readonly string[]): StoreAddress | null {
  const text = variables.text(...names)
  if (text === null || !scheme.test(text)) return null
  const [place = '', options = ''] = text.split('?', 2)
  const address = parseAddress(place)
  const password = address.password || null
  if (address.kind === 'mysql') return { ...address, password, tls: wantsTls(options) }
  return { ...address, password }
}

/** Each client has its own word. Without it the password would travel in clear. */
function wantsTls(options: string): boolean {
  return /(?:^|&)(?:ssl|tls|ssl-?mode|sslaccept|useSSL)=(?!false|0|no|disable)/i.test(options)
}

function dynamodb(variables: Variables): StoreAddress | null {
  const table = variables.text('DYNAMODB_LOCK_TABLE', 'LOCK_TABLE')
  const region = variables.text('AWS_REGION', 'AWS_DEFAULT_REGION')
  if (table === null || region === null) return null
  return {
    kind: 'dynamodb',
    region,
    table,
    endpoint: variables.text('AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL', 'DYNAMODB_ENDPOINT'),
    profile: variables.text('AWS_PROFILE'),
    username: null,
    password: null,
    format: null,
  }
}

/** As long as the name of a store may be; what is cut is never half a character. */
function nameOf(address: StoreAddress): string {
  return clip(neutralise(shortName(address)), 60)
    .slice(0, 60)
    .replace(/\p{Cs}$/u, '')
    .trim()
}
