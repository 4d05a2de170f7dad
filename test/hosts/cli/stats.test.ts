import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { textWidth } from '../../../shared/safe-text.ts'
import { openConsole, profile } from '../../core/features/console.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { threeStores } from '../metrics/three-stores.ts'
import { dataFolder, runCli, startCli } from './run-cli.ts'

const AWS = { AWS_ACCESS_KEY_ID: 'tests', AWS_SECRET_ACCESS_KEY: 'tests' }
const DOWN = 'redis://127.0.0.1:1/0'

type Json = { stores: Record<string, never>[]; overall: Record<string, never> }
const run = (...args: string[]) => runCli(['stats', ...args], AWS)

it('counts each of three stores and all of them, as their own clients do', async () => {
  const stores = await threeStores()
  const ran = await run(...Object.values(stores).map(({ address }) => address), '--json')
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const { stores: told, overall } = ran.json() as unknown as Json
  const counted = await Promise.all(Object.values(stores).map(({ count }) => count()))
  expect(told).toMatchObject(Object.keys(stores).map((kind, i) => ({ kind, counts: counted[i] })))
  const sum = (name: 'held' | 'expired' | 'endless') => counted.reduce((all, each) => all + each[name], 0)
  expect(overall).toMatchObject({
    counts: { held: sum('held'), expired: sum('expired'), endless: sum('endless') },
    active: sum('held') + sum('endless'),
  })
})

it('has ISO 8601 times in its JSON', async () => {
  const { address, client } = await redisPlace()
  const lock = { lockId: 'P_1', pid: 1, timestamp: Date.now() - 60_000, expiresAt: Date.now() + 60_000 }
  await client.set('lockRecharge:P', JSON.stringify(lock))
  const told = (await run(address, '--json', '--since', '2h')).json() as Record<string, string> & Json
  expect(Date.parse(told['at'] ?? '') - Date.parse(told['since'] ?? '')).toBeGreaterThanOrEqual(7_200_000)
  expect(told).toMatchObject({
    stores: [
      {
        asOf: expect.stringMatching(/^\d{4}-.*Z$/),
        oldest: { key: 'lockRecharge:P', since: expect.stringMatching(/^\d{4}-.*Z$/) },
      },
    ],
  })
  // By the clock of this machine, whose offset is measured.
  const since = Date.parse(told.stores[0]?.['oldest']?.['since'] ?? '')
  expect(Math.abs(since - lock.timestamp)).toBeLessThan(1000)
})

it('describes each store in words, 100 columns wide', async () => {
  const stores = await threeStores()
  const ran = await run(...Object.values(stores).map(({ address }) => address))
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toContain('35 locks: 10 expired, 5 without expiry, 20 held\n')
  expect(ran.stdout).toContain('  format         recharge-json (30), pipeline-run (5)\n')
  expect(ran.stdout).toMatch(/ {2}cost {11}\d+ Redis commands\n/)
  expect(ran.stdout).toMatch(/ {2}cost {11}\d+ SQL statements\n/)
  expect(ran.stdout).toMatch(/ {2}cost {11}\d+ requests, [\d.]+ capacity units\n/)
  expect(ran.stdout).toMatch(/TIME LEFT\n(.*\n)* {2}no expiry .* 5\n/)
  expect(ran.stdout).not.toContain('not known')
  expect(ran.stdout).toContain('All 3 stores\n')
  expect(ran.stdout).toContain('Nothing was observed in the last 1 h')
  for (const line of ran.stdout.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(100)
})

it('watches for the time given with --watch', async () => {
  const { address, client } = await redisPlace()
  const watch = async (seconds: number) => {
    const { child, done } = startCli(['stats', address, '--watch', `${seconds}`])
    while (child.exitCode === null) {
      await client.set('pipeline_lock:acme:export', 'run-1-a', 'EX', 3600)
      await Promise.race([sleep(1500), done])
      await client.del('pipeline_lock:acme:export')
      await Promise.race([sleep(1500), done])
    }
    return done
  }
  // A busy machine observes a whole tenure only in a longer watch.
  let last = await watch(8)
  for (const seconds of [24, 72]) if (!last.stdout.includes('longest')) last = await watch(seconds)
  const { code, stdout } = last
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /In the last 1 h, \d+(\.\d)? s of it observed:\n {2}acquired {7}\d+\n {2}released {7}\d+\n/,
  )
  expect(stdout).toMatch(/longest {8}pipeline_lock:acme:export, for at least \d\.\d s, by run-1-a\n/)
  expect(stdout).toContain('HELD FOR')
})

it('includes the history of a console with the same data folder', async () => {
  const { address, client } = await redisPlace()
  const folder = dataFolder()
  const console = openConsole(folder)
  const { storeId } = await console.ask('stores.add', { profile: profile({ address }) })
  const taken = async () => (await console.ask('stats.read', {})).stores[0]?.flows.taken
  await expect.poll(async () => (await console.ask('stats.read', {})).stores[0]?.status).toBe('live')
  console.client.open(
    'locks.watch',
    { storeId, intervalMs: 100 },
    () => {},
    () => {},
  )
  await client.set('pipeline_lock:acme:export', 'run-1-a', 'EX', 3600)
  await expect.poll(taken).toBe(1)
  await console.close()
  const { code, json } = await runCli(['stats', address, '--json'], { LOCKKEEPER_DATA_DIR: folder })
  expect(code).toBe(0)
  expect(json()).toMatchObject({ overall: { active: 1, flows: { taken: 1 } } })
})

it('names a store that is down, and counts the others', async () => {
  const some = await run(DOWN, 'memory:practice')
  expect(some).toMatchObject({ code: 7, stderr: '' })
  expect(some.stdout).toMatch(/Cannot be read: .*ECONNREFUSED/)
  expect(some.stdout).toContain('All 2 stores, as far as they can be read\n')
  expect(some.stdout).toMatch(/\d+ locks: /)
  const all = await run(DOWN, '--json')
  expect(all).toMatchObject({ code: 5 })
  expect(all.json()).toMatchObject({
    stores: [{ status: 'down', asOf: null, error: { code: 'STORE_UNREACHABLE' } }],
  })
})

it('prints no control character of a key or a holder', async () => {
  const { address, client } = await redisPlace()
  const lock = {
    lockId: 'P\x1b[31m\n',
    pid: 1,
    timestamp: Date.now() - 60_000,
    expiresAt: Date.now() + 60_000,
  }
  await client.set('lockRecharge:\x1b]0;owned\x07\u202e:x', JSON.stringify(lock))
  for (const args of [[], ['--json'], ['--as', 'get_active_locks']]) {
    const { code, stdout } = await run(address, ...args)
    expect(code).toBe(0)
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(stdout).toContain('owned')
  }
})

it('prints no token in any shape', async () => {
  const { address, client } = await redisPlace()
  const token = '0f8fad5b-d9cb-469f-a165-70867728950e'
  await client.set('lock:auction:123', token)
  for (const args of [[], ['--json'], ['--as', 'get_active_locks']]) {
    const { code, stdout } = await run(address, ...args)
    expect(code).toBe(0)
    expect(stdout).toContain('auction')
    expect(stdout).not.toContain(token)
  }
})

it('prints getStats as the manager does, by LOCK_PROVIDER', async () => {
  const { redis, mysql, dynamodb } = await threeStores()
  const [r, m, d] = await Promise.all([redis.count(), mysql.count(), dynamodb.count()])
  const active = { redis: { active: r.held + r.endless }, mysql: { active: m.held + m.endless } }
  const both = ['stats', redis.address, mysql.address]
  expect((await runCli([...both, '--as', 'getStats'])).json()).toEqual({
    ...{ provider: 'REDIS', active: active.redis.active, ...active },
  })
  const env = { ...AWS, LOCK_PROVIDER: 'mysql' }
  expect((await runCli([...both, dynamodb.address, '--as', 'getStats'], env)).json()).toEqual({
    ...{ provider: 'MYSQL', active: active.mysql.active, ...active, dynamodb: { active: d.held } },
  })
  const down = await runCli(['stats', DOWN, mysql.address, '--as', 'getStats'])
  expect(down).toMatchObject({ code: 7, stderr: expect.stringContaining('ECONNREFUSED') })
  expect(down.json()).toEqual({
    provider: 'REDIS',
    active: null,
    redis: { active: null },
    mysql: active.mysql,
  })
})

it('prints get_active_locks as the manager does, without expired locks', async () => {
  const { client, address } = await redisPlace()
  const expiresAt = Date.now() + 3_600_000
  await client.set('pipeline_lock:acme1281:gcp_billing_export', 'abc-123-def-456', 'PXAT', expiresAt)
  await client.set(
    'lockRecharge:GPS',
    JSON.stringify({ lockId: 'GPS_1', pid: 7, timestamp: 1e12, expiresAt }),
  )
  await client.set(
    'lockRecharge:OLD',
    JSON.stringify({ lockId: 'OLD_1', pid: 7, timestamp: 1e12, expiresAt: 1.1e12 }),
  )
  expect((await run(address, '--as', 'get_active_locks')).json()).toEqual({
    'acme1281:gcp_billing_export': {
      pipeline_logging_id: 'abc-123-def-456',
      tenant_id: 'acme1281',
      pipeline_id: 'gcp_billing_export',
      locked_at: expiresAt / 1000 - 3600,
      locked_by: null,
    },
    'lockRecharge:GPS': {
      ...{
        pipeline_logging_id: 'GPS_1',
        tenant_id: null,
        pipeline_id: null,
        locked_at: 1e9,
        locked_by: 'pid 7',
      },
    },
  })
  const practice = (await run('memory:practice', '--as', 'get_active_locks')).json()
  expect(Object.entries(practice)[0]).toEqual([
    expect.stringMatching(/^\w+:\w+$/),
    {
      pipeline_logging_id: expect.any(String),
      tenant_id: expect.any(String),
      pipeline_id: expect.any(String),
      locked_at: expect.any(Number),
      locked_by: expect.any(String),
    },
  ])
  expect(await run(DOWN, '--as', 'get_active_locks')).toMatchObject({ code: 5, stdout: '' })
})

it('prints getMetrics with null for unknown figures, and warns if nothing was observed', async () => {
  const nothing = await run('memory:practice', '--as', 'getMetrics')
  const unknown = { failed: null, totalWaitTimeMs: null, avgWaitTimeMs: null }
  expect(nothing.json()).toEqual({ acquired: null, released: null, ...unknown })
  expect(nothing).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing was observed') })
  const seen = await run('memory:practice', '--as', 'getMetrics', '--watch', '2')
  expect(seen.json()).toEqual({ acquired: expect.any(Number), released: expect.any(Number), ...unknown })
  expect(seen.stderr).toBe('')
})

it.each([
  [[], {}, 'Missing <store>'],
  [['memory:a', '--since', 'soon'], {}, '--since must be a time'],
  [['memory:a', '--since', '0'], {}, '--since must be a time'],
  [['memory:a', '--watch', 'long'], {}, '--watch must be'],
  [['memory:a', '--watch', '0'], {}, '--watch must be'],
  [['memory:a', '--as', 'stats'], {}, '--as must be one of getStats, get_active_locks, getMetrics'],
  [['memory:a', 'memory:b', '--as', 'get_active_locks'], {}, 'one store'],
  [['memory:a', 'hunter2'], {}, 'A store address starts with'],
  [['memory:a', '--as', 'getStats'], { LOCK_PROVIDER: 'hunter2' }, 'LOCK_PROVIDER must be one of'],
])('stats %j with %j ends with one sentence', async (args, env, words) => {
  const { code, stdout, stderr } = await runCli(['stats', ...args], env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^lockkeeper: [^\n]+\n$/)
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('hunter2')
})
