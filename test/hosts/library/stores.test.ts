import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import {
  createLockManager,
  type LockManager,
  type LockManagerOptions,
} from '../../../electron/hosts/library/index.ts'
import { showAddress } from '../../../shared/address.ts'
import { Database } from '../../core/stores/mysql/database.ts'
import { startDynamoProxy } from '../../servers/dynamodb-proxy.ts'
import { TestTable } from '../../servers/dynamodb-table.ts'
import { type RedisServer, startRedis } from '../../servers/redis.ts'

type Place = { readonly address: string | string[]; close(): Promise<void> }

async function redisPlace(): Promise<Place> {
  const admin = new Redis({ port: inject('redisPort') })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  await admin.select(db)
  await admin.flushdb()
  await admin.set('session:42', 'no lock')
  return {
    address: `redis://127.0.0.1:${inject('redisPort')}/${db}`,
    close: async () => {
      await admin.flushdb()
      admin.disconnect()
    },
  }
}

async function redlockPlace(): Promise<Place> {
  const servers: RedisServer[] = await Promise.all([startRedis(), startRedis(), startRedis()])
  return {
    address: servers.map(({ port }) => `redis://127.0.0.1:${port}/0`),
    close: async () => {
      await Promise.all(servers.map(server => server.stop('SIGKILL')))
    },
  }
}

async function mysqlPlace(): Promise<Place> {
  const db = await Database.create()
  return { address: showAddress(db.address({})), close: () => db.drop() }
}

async function dynamoPlace(): Promise<Place> {
  const table = await TestTable.create(inject('dynamodbEndpoint'))
  return { address: showAddress(table.address({})), close: () => table.drop() }
}

describe.each([
  ['redis', 'recharge-json', redisPlace],
  ['redis', 'pubsub-token', redisPlace],
  ['redis', 'pipeline-run', redisPlace],
  ['redlock', 'recharge-json', redlockPlace],
  ['mysql', 'recharge-table', mysqlPlace],
  ['dynamodb', 'conditional-put', dynamoPlace],
] as const)('a manager of %s locks in the format %s', (kind, format, open) => {
  let place: Place
  let dataFolder: string
  const managers: LockManager[] = []
  const manager = (options: LockManagerOptions = {}) => {
    const made = createLockManager(place.address, { format, ...options })
    managers.push(made)
    return made
  }
  beforeAll(async () => {
    place = await open()
    dataFolder = await mkdtemp(join(tmpdir(), 'lockkeeper-locks-'))
    await Promise.all([manager().setup(), manager().setup()])
  })
  afterAll(async () => {
    await Promise.all(managers.map(each => each.close()))
    await place.close()
    await rm(dataFolder, { recursive: true, force: true })
  })

  it('takes, refuses, renews and releases', async () => {
    const [ours, theirs] = [manager(), manager()]
    expect(ours.provider).toBe(kind)
    const answer = await ours.acquire('acme:job', { owner: 'run-1', ttl: '5m' })
    if (!answer.acquired) throw new Error('not free')
    expect(await theirs.acquire('acme:job')).toMatchObject({ acquired: false, holder: { owner: 'run-1' } })
    expect(await answer.lock.renew('10m')).toBe(true)
    expect(answer.lock.validMs()).toBeGreaterThan(300_000)
    expect(await theirs.release('acme:job', 'run-2')).toMatchObject({ outcome: 'lost' })
    expect(await theirs.renew('acme:job', 'run-1')).toBe(true)
    expect(await answer.lock.release()).toEqual({ outcome: 'released' })
    expect(await theirs.isLocked('acme:job')).toBe(false)
  })

  it('passes a lock on from one process’s manager to another’s, and never to two at once', async () => {
    const both = [manager({ poll: 100 }), manager({ poll: 100 })]
    let inside = 0
    const seen: number[] = []
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (both[i % 2] as LockManager).withLock('acme:shared', async () => {
          seen.push(++inside)
          await new Promise(resolve => setImmediate(resolve))
          inside--
        }),
      ),
    )
    expect(seen).toEqual(Array(12).fill(1))
  })

  it('lists the held locks, removes the expired ones, and releases the rest with an audit record', async () => {
    const ours = manager()
    await ours.acquire('acme:a', { owner: 'run-1', ttl: '5m' })
    await ours.acquire('acme:b', { owner: 'run-2', ttl: '5m' })
    await ours.acquire('acme:short', { owner: 'run-3', ttl: 1000 })
    await expect.poll(() => ours.isLocked('acme:short')).toBe(false)
    // What DynamoDB tells of its time leaves a moment of doubt, in which a lock is still its holder's.
    await expect.poll(async () => (await ours.activeLocks()).length).toBe(2)
    // Redis removes what has run out by itself.
    let cleaned = 0
    const clean = async () => (cleaned += await ours.cleanupExpired())
    await expect.poll(clean).toBe(kind === 'mysql' || kind === 'dynamodb' ? 1 : 0)
    const active = await ours.activeLocks()
    expect(active.map(({ key, owner }) => `${key} ${owner}`).sort()).toEqual(['acme:a run-1', 'acme:b run-2'])
    expect((await ours.stats()).active).toBe(2)
    const answer = await ours.releaseAll({ reason: 'test', dataFolder })
    expect(answer).toMatchObject({ released: 2, unread: [] })
    expect(answer.results.map(({ key, outcome }) => `${key} ${outcome}`).sort()).toEqual([
      'acme:a released',
      'acme:b released',
    ])
    expect(await ours.activeLocks()).toEqual([])
  })
})

it('leaves a lock to its holder until Redis ends it, even past its recorded expiry', async () => {
  const place = await redisPlace()
  const redis = new Redis({
    port: inject('redisPort'),
    db: Number(place.address.toString().split('/').at(-1)),
  })
  const record = (expiresAt: number) =>
    JSON.stringify({ lockId: 'run-1', pid: 1, timestamp: expiresAt - 1, expiresAt })
  // By a program whose clock is behind, by one that counts in seconds, and by one that forgot the TTL.
  await redis.set('lockRecharge:behind', record(Date.now() - 60_000), 'EX', 600)
  await redis.set('lockRecharge:seconds', record(Math.floor(Date.now() / 1000) - 60))
  await redis.set('lockRecharge:over', record(Date.now() - 60_000))
  const manager = createLockManager(place.address)
  try {
    expect((await manager.acquire('behind')).acquired).toBe(false)
    expect((await manager.acquire('seconds')).acquired).toBe(false)
    const active = await manager.activeLocks()
    expect(active.map(({ key }) => key).sort()).toEqual(['behind', 'seconds'])
    const { expiresAt } = (await manager.holderOf('behind')) ?? {}
    expect(active.find(({ key }) => key === 'behind')).toMatchObject({ expiresAt })
    expect(await manager.cleanupExpired()).toBe(1)
    expect(await redis.keys('lockRecharge:*')).toHaveLength(2)
  } finally {
    redis.disconnect()
    await manager.close()
    await place.close()
  }
})

it('does not treat every key of a database as a lock', async () => {
  const place = await redisPlace()
  const ours = createLockManager(place.address, { format: 'token' })
  await expect(ours.releaseAll({ reason: 'test' })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await expect(ours.activeLocks()).rejects.toThrow(/match=/)
  await ours.close()
  await place.close()
})

it('takes locks in an emulator that sends no Date header, and warns once', async () => {
  const table = await TestTable.create(inject('dynamodbEndpoint'))
  const proxy = await startDynamoProxy(table.endpoint, () => 'no-date')
  const warnings: string[] = []
  const manager = createLockManager(showAddress(table.address({ endpoint: proxy.endpoint })), {
    warn: message => warnings.push(message),
  })
  try {
    await manager.setup()
    expect(await manager.withLock('nightly', () => 'done')).toBe('done')
    expect(await manager.acquire('billing')).toMatchObject({ acquired: true })
    expect(await manager.acquire('billing')).toMatchObject({ acquired: false })
    expect((await manager.activeLocks()).map(({ key }) => key)).toEqual(['billing'])
    expect(await manager.cleanupExpired()).toBe(0)
    expect(warnings).toEqual([expect.stringContaining('sends no Date header')])
  } finally {
    await manager.close()
    await proxy.close()
    await table.drop()
  }
})
