import { MINUTE_MS } from '../../../shared/duration.ts'
import { StoreError } from '../../core/lib/errors.ts'
import type { LockManager, LockManagerOptions } from '../../core/locks/types.ts'
import { suggestStores } from '../../core/stores/kinds/environment.ts'
import type { Env } from '../../core/stores/variables.ts'
import { createLockManager } from './create.ts'

const FORMATS = { redis: 'recharge-json', mysql: 'recharge-table', dynamodb: 'conditional-put' } as const
export type LockProviderName = keyof typeof FORMATS
type Connection = { readonly address: string; readonly password: string | null }

const USUAL_MINUTES = 60
const FEWEST_MINUTES = 1 / MINUTE_MS
/** The default server of those programs. */
const USUAL_HOST = 'localhost'

/**
 * The manager that the variables of an application describe: LOCK_PROVIDER, LOCK_EXPIRATION_MINUTES, and those of the
 * connection. It never falls back to another provider.
 */
export function lockManagerFromEnvironment(
  env: Env = process.env,
  options: LockManagerOptions = {},
): LockManager {
  const provider = providerFrom(env)
  const ttlMs = minutesFrom(env) * MINUTE_MS
  const settings: LockManagerOptions = {
    ...options,
    // An option may be present and undefined.
    ttl: options.ttl ?? ttlMs,
    format: options.format ?? FORMATS[provider],
  }
  const found = connectionFrom(provider, env)
  const password = settings.password ?? found?.password ?? undefined
  return createLockManager(
    found?.address ?? null,
    password === undefined ? settings : { ...settings, password },
  )
}

/**
 * The connection that the variables describe; null disables locks. An invalid variable is an error: falling back to the server of
 * another variable would be worse.
 */
export function connectionFrom(provider: LockProviderName, env: Env): Connection | null {
  const says = (...names: readonly string[]) => names.some(name => env[name]?.trim())
  const by = (suggestionId: string, variables: Env = env): Connection => {
    const found = suggestStores(variables).find(each => each.suggestionId === suggestionId)
    if (found) return found
    throw new StoreError('BAD_INPUT', MISSING[provider])
  }
  switch (provider) {
    case 'redis':
      // REDIS_URL may be the application's cache, and not the server of its locks.
      if (says('REDIS_HOST', 'REDIS_PORT')) return by('env:redis')
      if (says('REDIS_URL')) return by('env:redis-url')
      return by('env:redis', { ...env, REDIS_HOST: USUAL_HOST })
    case 'mysql':
      // DB_ variables may describe another kind of database.
      return says('MYSQL_HOST') || suggestStores(env).some(each => each.suggestionId === 'env:mysql')
        ? by('env:mysql')
        : by('env:database-url')
    case 'dynamodb':
      return says('DYNAMODB_LOCK_TABLE', 'LOCK_TABLE') ? by('env:dynamodb') : null
  }
}

function providerFrom(env: Env): LockProviderName {
  const named = env['LOCK_PROVIDER']?.trim().toLowerCase() || 'redis'
  if (Object.hasOwn(FORMATS, named)) return named as LockProviderName
  throw new StoreError('BAD_INPUT', 'LOCK_PROVIDER must be redis, mysql or dynamodb')
}

function minutesFrom(env: Env): number {
  const text = env['LOCK_EXPIRATION_MINUTES']?.trim() || String(USUAL_MINUTES)
  const minutes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (minutes >= FEWEST_MINUTES) return minutes
  throw new StoreError(
    'BAD_INPUT',
    'LOCK_EXPIRATION_MINUTES must be a number of minutes greater than zero, and no less than a millisecond',
  )
}

const MISSING: Readonly<Record<LockProviderName, string>> = {
  redis:
    'LOCK_PROVIDER is redis, and the variables of its connection (REDIS_HOST and REDIS_PORT, or REDIS_URL) are not valid',
  mysql:
    'LOCK_PROVIDER is mysql, and no connection is described: set MYSQL_HOST and MYSQL_DATABASE, or DATABASE_URL',
  dynamodb: 'LOCK_PROVIDER is dynamodb with a table, and its region is missing or not valid: set AWS_REGION',
}
