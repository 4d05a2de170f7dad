import { Redis } from 'ioredis'
import type { RowDataPacket } from 'mysql2/promise'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { Counts, Groups, StoreStats } from '../../shared/stats.ts'
import { populateRedis } from '../bench/populate.ts'
import { openConsole } from '../core/features/console.ts'
import { Database, RECHARGE } from '../core/stores/mysql/database.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startRedis } from '../servers/redis.ts'
import { freeDatabase } from './redis-locks.ts'

/**
 * Statistics against a count that the store's own client makes of the same data, by the rules of the systems that wrote it. Ends
 * are minutes away from the limits, so that the moment of counting does not matter.
 */

const LOCKS = 10_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** What a console that watches the store says of it. */
async function statsOf(address: string): Promise<StoreStats> {
  const console = openConsole(dataFolder(), { stores: [address] })
  const read = async () => (await console.ask('stats.read', {})).stores[0]
  await expect.poll(async () => (await read())?.status).toBe('live')
  const stats = await read()
  if (!stats) throw new Error('no store')
  return stats
}

function namesOf({ top, others }: Groups): Record<string, number> {
  // All of them are named, or the comparison would leave some out.
  expect(others.names).toBe(0)
  return Object.fromEntries(top.map(({ name, count }) => [name, count]))
}

function tally<T>(all: readonly T[], nameOf: (each: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const each of all) counts[nameOf(each)] = (counts[nameOf(each)] ?? 0) + 1
  return counts
}

function countsFrom(counted: Record<string, number>): Counts {
  return { held: 0, expiring: 0, expired: 0, endless: 0, unknown: 0, released: 0, ...counted }
}

test('10,000 locks in Redis', async () => {
  const port = inject('redisPort')
  const client = new Redis({ port, db: await freeDatabase(port) })
  onTestFinished(async () => {
    await client.flushdb()
    client.disconnect()
  })
  const batch = client.pipeline()
  for (let i = 0; i < LOCKS; i++) {
    const key = `pipeline_lock:tenant-${i % 12}:pipeline-${i % 17}-${i}`
    // An hour is the usual lease of these: with six minutes left, nine tenths of it are used.
    if (i % 10 === 0) batch.set(key, `run-${i}-a`)
    else batch.set(key, `run-${i}-a`, 'PX', i % 4 === 0 ? 6 * MINUTE : 50 * MINUTE)
  }
  await batch.exec()

  const stats = await statsOf(`redis://127.0.0.1:${port}/${client.options.db}`)

  const keys = await client.keys('pipeline_lock:*')
  const reading = client.pipeline()
  for (const key of keys) reading.pttl(key)
  const ttls = ((await reading.exec()) ?? []).map(([, ttl]) => Number(ttl))
  const counted = tally(ttls, ttl => (ttl < 0 ? 'endless' : ttl <= 0.2 * HOUR ? 'expiring' : 'held'))
  expect(keys).toHaveLength(LOCKS)
  expect(stats.counts).toEqual(countsFrom(counted))
  expect(stats).toMatchObject({ total: LOCKS, active: LOCKS, scanned: LOCKS })
  expect(namesOf(stats.byPrefix)).toEqual(tally(keys, key => key.split(':').slice(0, 2).join(':')))
  expect(namesOf(stats.byFormat)).toEqual({ 'pipeline-run': LOCKS })
  const left = ttls.filter(ttl => ttl >= 0)
  expect(stats.remaining.unknown).toBe(ttls.length - left.length)
  // Between five and fifteen minutes, and between fifteen minutes and an hour.
  const [, , , , , short = 0, long = 0] = stats.remaining.counts
  expect([short, long]).toEqual([
    left.filter(ttl => ttl < 15 * MINUTE).length,
    left.filter(ttl => ttl >= 15 * MINUTE).length,
  ])
})

test('10,000 locks in MariaDB', async () => {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  const rows = Array.from({ length: LOCKS }, (_, i) => {
    const [ageMs, leftMs] =
      i % 5 === 0 ? [2 * HOUR, -HOUR] : i % 3 === 0 ? [54 * MINUTE, 6 * MINUTE] : [10 * MINUTE, 50 * MINUTE]
    const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 19).replace('T', ' ')
    return [`PROCESS_${i}`, `PROCESS_${i}_17`, i % 9, at(-ageMs), i % 11 === 0 ? null : at(leftMs)]
  })
  await database.plain.query(
    'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at) VALUES ?',
    [rows],
  )

  const stats = await statsOf(`mysql://root@127.0.0.1:${database.port}/${database.name}`)

  const [[counted]] = await database.plain.query<RowDataPacket[]>(`SELECT
    SUM(expires_at IS NULL) AS endless,
    SUM(expires_at <= UTC_TIMESTAMP()) AS expired,
    SUM(expires_at > UTC_TIMESTAMP() AND TIMESTAMPDIFF(SECOND, acquired_at, UTC_TIMESTAMP())
      >= 0.8 * TIMESTAMPDIFF(SECOND, acquired_at, expires_at)) AS expiring,
    SUM(expires_at > UTC_TIMESTAMP() AND TIMESTAMPDIFF(SECOND, acquired_at, UTC_TIMESTAMP())
      < 0.8 * TIMESTAMPDIFF(SECOND, acquired_at, expires_at)) AS held
    FROM recargas_process_locks`)
  const numbers = Object.fromEntries(Object.entries(counted ?? {}).map(([name, n]) => [name, Number(n)]))
  expect(stats.counts).toEqual(countsFrom(numbers))
  expect(stats.active).toBe(LOCKS - Number(numbers['expired']))
  const [pids] = await database.plain.query<RowDataPacket[]>(
    'SELECT pid, COUNT(*) AS n FROM recargas_process_locks GROUP BY pid',
  )
  expect(namesOf(stats.byHolder)).toEqual(
    Object.fromEntries(pids.map(({ pid, n }) => [`pid ${pid}`, Number(n)])),
  )
  const [[oldest]] = await database.plain.query<RowDataPacket[]>(
    'SELECT UNIX_TIMESTAMP(MIN(acquired_at)) AS at FROM recargas_process_locks',
  )
  expect(Math.abs((stats.oldest?.since ?? 0) - Number(oldest?.['at']) * 1000)).toBeLessThan(1500)
})

test('10,000 locks in DynamoDB', async () => {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  onTestFinished(() => table.drop())
  const now = Math.floor(Date.now() / 1000)
  for (let first = 0; first < LOCKS; first += 1000)
    await table.putMany(
      Array.from({ length: 1000 }, (_, i) => first + i).map(i => ({
        lock_key: { S: `pipeline:dataset_${i}` },
        owner_id: { S: `run-${i % 20}` },
        acquired_at: { N: String(now - (i % 6 === 0 ? 7200 : i % 4 === 0 ? 3300 : 600)) },
        expires_at: { N: String(now - (i % 6 === 0 ? 7200 : i % 4 === 0 ? 3300 : 600) + 3600) },
      })),
    )

  const address = `dynamodb://eu-west-1/${table.name}?endpoint=${encodeURIComponent(endpoint)}`
  const stats = await statsOf(address)

  const items = await table.all()
  const nowSeconds = Date.now() / 1000
  const state = (from: number, to: number) =>
    to <= nowSeconds ? 'expired' : (nowSeconds - from) / (to - from) >= 0.8 ? 'expiring' : 'held'
  const counted = tally(items, each => state(Number(each['acquired_at']?.N), Number(each['expires_at']?.N)))
  expect(items).toHaveLength(LOCKS)
  expect(stats.counts).toEqual(countsFrom(counted))
  expect(namesOf(stats.byHolder)).toEqual(tally(items, each => each['owner_id']?.S ?? ''))
  // Reading all of it at least once, by what the table itself says that costs.
  expect(stats.spent.units).toBeGreaterThanOrEqual(await table.scanUnits())
})

test('the counted commands are those that Redis saw', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  const monitor = await client.monitor()
  onTestFinished(() => {
    client.disconnect()
    monitor.disconnect()
  })
  await populateRedis(client, 'locks', 3000)
  const seen: string[] = []
  // What a script does is its own business.
  monitor.on('monitor', (_time, [command]: string[], source: string) => {
    if (source !== 'lua' && command !== 'eval') seen.push(command ?? '')
  })
  const store = await openStore(`redis://127.0.0.1:${server.port}/0`, undefined)
  onTestFinished(() => store.close())
  const never = new AbortController().signal
  for await (const _ of store.list({}, never));
  await store.clock(never)
  await client.echo('done')
  await expect.poll(() => seen.at(-1)).toBe('echo')
  const ours = seen.filter(command => command !== 'echo')
  expect(ours.length).toBeGreaterThan(5)
  expect(store.spent()).toEqual({ requests: ours.length, units: null })
})
