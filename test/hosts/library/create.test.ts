import { expect, it } from 'vitest'
import type { LockManagerOptions } from '../../../electron/core/locks/types.ts'
import { connectionFrom } from '../../../electron/hosts/library/from-environment.ts'
import {
  createLockManager,
  lockManagerFromEnvironment,
  pipelineKey,
} from '../../../electron/hosts/library/index.ts'

const quiet: LockManagerOptions = { warn: () => {} }

it('grants every request when locks are disabled, and warns exactly once', async () => {
  for (const make of [
    (options: LockManagerOptions) => createLockManager(null, options),
    (options: LockManagerOptions) => createLockManager(undefined, options),
    (options: LockManagerOptions) => createLockManager('memory:unused', { ...options, enabled: false }),
  ]) {
    const said: string[] = []
    const manager = make({ warn: message => said.push(message) })
    expect(manager.provider).toBe('disabled')
    await manager.setup()
    expect(await manager.acquire('job')).toMatchObject({ acquired: true })
    expect(await manager.acquire('job', { wait: '1s' })).toMatchObject({ acquired: true })
    expect(await manager.isLocked('job')).toBe(false)
    expect(await manager.withLock('job', () => 'done')).toBe('done')
    expect(await manager.renew('job', 'run-1')).toBe(true)
    expect(await manager.activeLocks()).toEqual([])
    expect(await manager.cleanupExpired()).toBe(0)
    expect(await manager.releaseAll({ reason: 'test' })).toMatchObject({ released: 0, planId: null })
    await manager.close()
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(/disabled/)
  }
})

it.each([
  ['', /starts with redis/],
  ['localhost', /starts with redis/],
  ['redis://user:secret@host:port/0', /port/],
  [[], /empty/],
  [['redis://a', 'mysql://b/c'], /all of them are Redis/],
  [['memory:a', 'memory:b'], /all of them are Redis/],
])('refuses the address %j, and repeats no secret', (address, message) => {
  expect(() => createLockManager(address)).toThrow(message)
  expect(() => createLockManager(address)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  expect(() => createLockManager(address)).not.toThrow(/secret/)
})

it('refuses an invalid lease', () => {
  expect(() => createLockManager('memory:x', { ttl: 0 })).toThrow(/at least a millisecond/)
})

it('contacts no server before the first lock', async () => {
  const manager = createLockManager('redis://nowhere.invalid:1/0')
  expect(manager.provider).toBe('redis')
  await manager.close()
})

it('shares locks in memory among managers of the same address', async () => {
  const first = createLockManager('memory:shared-by-two')
  const second = createLockManager('memory:shared-by-two', { ttl: '5m' })
  const answer = await first.acquire('acme:billing', { owner: 'run-1', metadata: { locked_by: 'ana' } })
  expect(await second.acquire('acme:billing')).toMatchObject({
    acquired: false,
    holder: { owner: 'run-1', label: 'ana' },
  })
  if (answer.acquired) await answer.lock.release()
  const next = await second.acquire('acme:billing')
  expect(next.acquired && next.lock.expiresAt - next.lock.acquiredAt).toBeCloseTo(300_000, 0)
})

it('refuses a format that the store does not have', async () => {
  const manager = createLockManager('memory:x', { format: 'recharge-json' })
  await expect(manager.acquire('job')).rejects.toMatchObject({ code: 'BAD_INPUT' })
})

it('defaults to Redis by its host and port', () => {
  expect(lockManagerFromEnvironment({}).provider).toBe('redis')
  expect(lockManagerFromEnvironment({ REDIS_HOST: 'cache', REDIS_PASSWORD: 's' }).provider).toBe('redis')
  expect(lockManagerFromEnvironment({ LOCK_PROVIDER: ' ' }).provider).toBe('redis')
})

it('uses the named provider, in upper or lower case', () => {
  const mysql = { MYSQL_HOST: 'db', MYSQL_DATABASE: 'recharges' }
  expect(lockManagerFromEnvironment({ LOCK_PROVIDER: 'MySQL', ...mysql }).provider).toBe('mysql')
  expect(
    lockManagerFromEnvironment({
      LOCK_PROVIDER: 'dynamodb',
      DYNAMODB_LOCK_TABLE: 'locks',
      AWS_REGION: 'eu-west-1',
    }).provider,
  ).toBe('dynamodb')
})

it('never uses another provider than the named one', () => {
  const redis = { REDIS_HOST: 'cache' }
  expect(() => lockManagerFromEnvironment({ LOCK_PROVIDER: 'mysql', ...redis })).toThrow(/MYSQL_HOST/)
  expect(() => lockManagerFromEnvironment({ LOCK_PROVIDER: 'memcached', ...redis })).toThrow(/LOCK_PROVIDER/)
  expect(() => lockManagerFromEnvironment({ LOCK_PROVIDER: 'toString' })).toThrow(/LOCK_PROVIDER/)
})

it('does not take the cache of an application for the server of its locks', () => {
  expect(() =>
    lockManagerFromEnvironment({
      LOCK_PROVIDER: 'redis',
      CACHE_REDIS_URL: 'redis://cache:6379/1',
      REDIS_PORT: 'x',
    }),
  ).toThrow(/REDIS_HOST/)
})

it('treats an invalid connection as an error, and contacts no other server', () => {
  expect(() => lockManagerFromEnvironment({ REDIS_HOST: 'cache', REDIS_PORT: 'x' })).toThrow(/REDIS_HOST/)
  expect(() =>
    lockManagerFromEnvironment({ LOCK_PROVIDER: 'dynamodb', DYNAMODB_LOCK_TABLE: 'locks' }),
  ).toThrow(/AWS_REGION/)
})

it('uses the variables that are set even if the host is missing', () => {
  const address = (env: Record<string, string>) => connectionFrom('redis', env)?.address
  expect(address({})).toBe('redis://localhost:6379/0')
  expect(address({ REDIS_DB: '3' })).toBe('redis://localhost:6379/3')
  expect(connectionFrom('redis', { REDIS_PASSWORD: 's3cret' })).toMatchObject({ password: 's3cret' })
  expect(address({ REDIS_URL: 'redis://locks:6380/2' })).toBe('redis://locks:6380/2')
  expect(() => address({ REDIS_DB: 'three' })).toThrow(/REDIS_HOST/)
})

it('uses no other variables when the relevant ones are invalid', () => {
  const cache = { REDIS_URL: 'redis://cache:6379/0' }
  expect(connectionFrom('redis', { REDIS_HOST: 'locks', ...cache })?.address).toBe('redis://locks:6379/0')
  expect(() => connectionFrom('redis', { REDIS_HOST: 'locks', REDIS_PORT: 'x', ...cache })).toThrow(
    /REDIS_HOST/,
  )
  const url = { DATABASE_URL: 'mysql://app@other/shop' }
  expect(connectionFrom('mysql', url)?.address).toContain('other')
  expect(
    connectionFrom('mysql', { DB_HOST: 'pg', DB_NAME: 'x', DB_PORT: '5432', ...url })?.address,
  ).toContain('other')
  expect(() => connectionFrom('mysql', { MYSQL_HOST: 'locks', ...url })).toThrow(/MYSQL_DATABASE/)
})

it('disables locks for DynamoDB without a table, and warns once', async () => {
  const said: string[] = []
  const manager = lockManagerFromEnvironment(
    { LOCK_PROVIDER: 'dynamodb' },
    { warn: message => said.push(message) },
  )
  expect(manager.provider).toBe('disabled')
  await manager.acquire('job')
  expect(said).toHaveLength(1)
})

it('uses the configured lease, and an hour by default', async () => {
  const ttlOf = async (env: Record<string, string>, options: object = {}) => {
    const variables = { LOCK_PROVIDER: 'dynamodb', ...env }
    const answer = await lockManagerFromEnvironment(variables, { ...quiet, ...options }).acquire('job')
    return answer.acquired && answer.lock.expiresAt - answer.lock.acquiredAt
  }
  expect(await ttlOf({})).toBe(3_600_000)
  expect(await ttlOf({ LOCK_EXPIRATION_MINUTES: '5' })).toBe(300_000)
  expect(await ttlOf({ LOCK_EXPIRATION_MINUTES: '5' }, { ttl: '2m' })).toBe(120_000)
  // As a program has it that hands on an option of its own.
  expect(await ttlOf({ LOCK_EXPIRATION_MINUTES: '5' }, { ttl: undefined, format: undefined })).toBe(300_000)
})

it.each(['0', '-5', 'abc', '5m', 'Infinity', '0.000001'])('refuses LOCK_EXPIRATION_MINUTES=%s', text => {
  expect(() => lockManagerFromEnvironment({ LOCK_EXPIRATION_MINUTES: text })).toThrow(
    /LOCK_EXPIRATION_MINUTES/,
  )
})

it('names the variable of an address that cannot be understood', () => {
  expect(() => lockManagerFromEnvironment({ REDIS_URL: 'http://cache' })).toThrow(/REDIS_URL/)
})

it('builds the key of a tenant’s pipeline', () => {
  expect(pipelineKey('acme1281', 'gcp:billing')).toBe('acme1281:gcp:billing')
  for (const [tenant, pipeline] of [
    ['', 'x'],
    ['x', ''],
    ['a:b', 'c'],
  ] as const)
    expect(() => pipelineKey(tenant, pipeline)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
})
