import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { holdsForMaintenance } from '../../../../shared/hold-words.ts'
import { dynamoPlace, mysqlPlace } from '../../../e2e/places.ts'
import { startRedis } from '../../../servers/redis.ts'
import { redisPlace } from '../../stores/redis/place.ts'
import { holding, MINUTE } from './holding.ts'

/** A program that acquires and releases its lock with its own statements, without Lockkeeper. */
type Worker = {
  readonly address: string
  readonly key: string
  readonly format: string
  /** Whether it got the lock. */
  take(): Promise<boolean>
  giveBack(): Promise<void>
  /** Removes a lock by hand. */
  removeByHand(): Promise<void>
}

const IF_OWN = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"

async function redisWorker(key: string, format: string, value: string | Buffer, query = ''): Promise<Worker> {
  const place = await redisPlace()
  const { client } = place
  const address = place.address + query
  return {
    ...{ address, key, format },
    take: async () => (await client.set(key, value, 'PX', 600_000, 'NX')) === 'OK',
    giveBack: async () => {
      await client.eval(IF_OWN, 1, key, value)
    },
    removeByHand: async () => {
      await client.del(key)
    },
  }
}

async function mysqlWorker(): Promise<Worker> {
  const { database, address } = await mysqlPlace()
  const run = (sql: string) => database.plain.query(sql)
  return {
    ...{ address, key: 'nightly', format: 'recharge-table' },
    async take() {
      await run('DELETE FROM recargas_process_locks WHERE expires_at < NOW()')
      return run(
        "INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES ('nightly', 'worker-1', 4711, NOW() + INTERVAL 10 MINUTE)",
      ).then(
        () => true,
        () => false,
      )
    },
    giveBack: async () => {
      await run("DELETE FROM recargas_process_locks WHERE lock_key = 'nightly' AND lock_id = 'worker-1'")
    },
    removeByHand: async () => {
      await run('DELETE FROM recargas_process_locks')
    },
  }
}

async function dynamoWorker(): Promise<Worker> {
  const { table, address } = await dynamoPlace()
  const key = { lock_key: { S: 'nightly' } }
  return {
    ...{ address, key: 'nightly', format: 'conditional-put' },
    async take() {
      const held = await table.get(key)
      const now = Math.floor(Date.now() / 1000)
      if (held !== null && Number(held['expires_at']?.N) >= now) return false
      await table.put({
        ...key,
        owner_id: { S: 'worker-1' },
        acquired_at: { N: String(now) },
        expires_at: { N: String(now + 600) },
      })
      return true
    },
    giveBack: () => table.delete(key),
    removeByHand: () => table.delete(key),
  }
}

/** What Flask-Caching writes for True. */
const PICKLED_TRUE = Buffer.from('!\x80\x04\x88.', 'latin1')

const recharge = () => {
  const at = Date.now()
  return JSON.stringify({ lockId: 'worker-1', pid: 4711, timestamp: at, expiresAt: at + 600_000 })
}

describe.each<[string, () => Promise<Worker>]>([
  ['process locks in Redis', () => redisWorker('lockRecharge:nightly', 'recharge-json', recharge())],
  [
    'tokens in Redis that are announced',
    () => redisWorker('lock:nightly', 'pubsub-token', 'token-of-worker-1'),
  ],
  ['runs in Redis', () => redisWorker('pipeline_lock:acme:nightly', 'pipeline-run', 'run-1')],
  ['cached flags in Redis', () => redisWorker('flask_cache_nightly', 'flask-cache', PICKLED_TRUE)],
  ['plain keys in Redis', () => redisWorker('nightly-export', 'token', randomUUID(), '?match=nightly*')],
  ['a table of MariaDB', mysqlWorker],
  ['a table of DynamoDB', dynamoWorker],
])('a hold among %s', (_, start) => {
  it('blocks a worker while it lasts, and lets it in afterwards', async () => {
    const worker = await start()
    const c = await holding({ address: worker.address })
    expect(await c.ask('holds.choices', { storeId: c.storeId, key: worker.key })).toMatchObject({
      ...{ suggested: worker.format, problem: null, current: null },
    })
    const { holdId, leaseEndsAt } = await c.taken(worker.key)
    expect(await worker.take()).toBe(false)
    c.clock.pass(25_000)
    await expect.poll(() => c.hold(holdId)?.leaseEndsAt).not.toBe(leaseEndsAt)
    await c.until(holdId, { state: 'held', problem: null })
    expect(await worker.take()).toBe(false)
    await c.ask('holds.extend', { holdId, forMs: 10 * MINUTE })
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
    expect(await worker.take()).toBe(true)
  })

  it('waits for a worker, lasts as long as requested, and reports its removal', async () => {
    const worker = await start()
    const c = await holding({ address: worker.address })
    expect(await worker.take()).toBe(true)
    expect(await c.take(worker.key, { mode: 'once' })).toMatchObject({ outcome: 'refused' })
    const { holdId } = await c.taken(worker.key, { mode: 'once', waitMs: MINUTE })
    await worker.giveBack()
    await c.until(holdId, { state: 'held', format: worker.format })
    const lock = await c.ask('locks.inspect', { storeId: c.storeId, id: c.hold(holdId)?.lockId ?? '' })
    expect(lock?.lock).toMatchObject({ format: worker.format, key: worker.key })
    expect(holdsForMaintenance(lock?.lock?.owner ?? null)).toBe(c.hold(holdId)?.by)
    const { deadlines = [] } = lock?.lock ?? {}
    // As the store has it, possibly in whole seconds.
    for (const { at } of deadlines) expect(Math.abs(at - (c.hold(holdId)?.until ?? 0))).toBeLessThan(5000)
    await worker.removeByHand()
    c.clock.pass(25_000)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'lost' }) })
  })
})

describe('a hold in Redis', () => {
  it('is refused for an unsupported format, and for a record that is no lock', async () => {
    const { client, address } = await redisPlace()
    await client.hset('myLock', '8743c9c0-0795-4907-87fd-6c719a6b4586:1', '1')
    await client.pexpire('myLock', 30_000)
    await client.rpush('queue', 'job')
    const c = await holding({ address })
    for (const key of ['myLock', 'queue']) {
      const choices = await c.ask('holds.choices', { storeId: c.storeId, key })
      expect(choices).toMatchObject({ suggested: null, problem: expect.any(String) })
      await expect(c.take(key, { format: 'token' })).rejects.toThrow(/^UNSUPPORTED/)
    }
    expect(await client.keys('*')).toHaveLength(2)
  })

  it('uses the last observed format of a key even after its lock is gone', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:nightly', 'IoThGdTLVZ0K6wOeFpNLvJKr')
    const c = await holding({ address })
    const choices = () => c.ask('holds.choices', { storeId: c.storeId, key: 'lock:nightly' })
    expect(await choices()).toMatchObject({ current: { format: 'python-redis-lock' }, suggested: null })
    await expect
      .poll(() => c.ask('locks.inspect', { storeId: c.storeId, id: 'lock:nightly' }))
      .toMatchObject({
        story: { holders: 1 },
      })
    await client.del('lock:nightly')
    expect(await choices()).toMatchObject({ current: null, suggested: null, problem: expect.any(String) })
    // The operator can choose another format.
    expect(await c.take('lock:nightly', { format: 'pubsub-token' })).toMatchObject({ outcome: 'held' })
  })

  it('is recognized as a hold by every console, whatever its key', async () => {
    const { address, lock } = await redisPlace()
    const c = await holding({ address })
    const { by } = await c.taken('nightly-export')
    expect(holdsForMaintenance((await lock('nightly-export')).owner)).toBe(by)
  })

  it('reports an unresponsive server, and is lost if it does not answer in time', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop())
    const c = await holding({ address: `redis://127.0.0.1:${server.port}/0` })
    const { holdId } = await c.taken('lockRecharge:nightly')
    await server.stop('SIGKILL')
    c.clock.pass(25_000)
    await c.until(holdId, { state: 'held', problem: expect.any(String) })
    c.clock.pass(40_000)
    await c.until(holdId, { state: 'ended', ended: expect.objectContaining({ how: 'lost' }) })
  })
})

describe('a hold in MariaDB', () => {
  it('is acquired in the table that the key names', async () => {
    const { database, address } = await mysqlPlace()
    await database.plain.query('CREATE TABLE other_locks LIKE recargas_process_locks')
    const c = await holding({ address })
    const choices = (key: string) => c.ask('holds.choices', { storeId: c.storeId, key })
    expect(await choices('nightly')).toMatchObject({
      suggested: null,
      problem: expect.stringContaining('several'),
    })
    const hold = await c.taken('other_locks/nightly')
    expect(hold).toMatchObject({ key: 'nightly', table: 'other_locks', lockId: 'other_locks/nightly' })
    expect(await database.rows('SELECT lock_key FROM other_locks')).toEqual([{ lock_key: 'nightly' }])
    await c.ask('holds.release', { holdId: hold.holdId })
    expect(await database.rows('SELECT lock_key FROM other_locks')).toEqual([])
  })
})
