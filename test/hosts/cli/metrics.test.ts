import type { ChildProcess } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { variableFor } from '../../../electron/hosts/start/passwords.ts'
import { parseAddress } from '../../../shared/address.ts'
import { COUNTED } from '../../../shared/stats.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { startRedis } from '../../servers/redis.ts'
import { by, type Sample, samplesOf } from '../metrics/exposed.ts'
import { promtool } from '../metrics/promtool.ts'
import { threeStores } from '../metrics/three-stores.ts'
import { ask } from '../web/web-client.ts'
import { dataFolder, runCli, startCli } from './run-cli.ts'

const TOKEN = 'scrape-me'
const ADDRESS = /^Metrics are at http:\/\/127\.0\.0\.1:(\d+)\/metrics$/m

async function startMetrics(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { child, done } = startCli(['metrics', '--port', '0', ...args], {
    ...AWS,
    LOCKKEEPER_METRICS_TOKEN: TOKEN,
    ...env,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const port = Number(ADDRESS.exec(await printed(child))?.[1])
  const headers = { Authorization: `Bearer ${TOKEN}` }
  const text = async () => (await ask(port, { path: '/metrics', headers })).body
  const samples = async (): Promise<Sample[]> => samplesOf(await text())
  return { child, done, port, text, samples }
}

const AWS = { AWS_ACCESS_KEY_ID: 'tests', AWS_SECRET_ACCESS_KEY: 'tests' }

function printed(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', chunk => {
      text += chunk
      if (ADDRESS.test(text)) resolve(text)
    })
    child.once('close', () => reject(new Error(`It ended after: ${text}`)))
  })
}

const locksIn = (kind: string, samples: readonly Sample[]) =>
  by(
    'state',
    'lockkeeper_locks',
    samples.filter(({ labels }) => labels['kind'] === kind),
  )

it('counts in Redis, MariaDB and DynamoDB what their own clients count', async () => {
  const stores = await threeStores()
  const { child, done, text, samples } = await startMetrics(
    Object.values(stores).map(({ address }) => address),
  )
  await expect
    .poll(async () => Object.keys(by('kind', 'lockkeeper_store_up', await samples())))
    .toHaveLength(3)
  const found = await samples()
  const none = Object.fromEntries(COUNTED.map(state => [state, 0]))
  for (const [kind, { count }] of Object.entries(stores))
    expect(locksIn(kind, found), kind).toEqual({ ...none, ...(await count()) })
  expect(by('kind', 'lockkeeper_store_up', found)).toEqual({ redis: 1, mysql: 1, dynamodb: 1 })
  expect(by('kind', 'lockkeeper_requests_total', found)).toEqual({
    redis: expect.any(Number),
    mysql: expect.any(Number),
    dynamodb: expect.any(Number),
  })
  expect(by('kind', 'lockkeeper_capacity_units_total', found)['dynamodb']).toBeGreaterThan(0)
  expect(promtool(['check', 'metrics'], await text())).toEqual({ ok: true, said: '' })
  child.kill('SIGINT')
  expect(await done).toMatchObject({ code: 0, stderr: '' })
})

it('sees a lock come, change its holder and go', async () => {
  const { client, address } = await redisPlace()
  const { samples } = await startMetrics([address, '--interval', '0.1'])
  const total = async (name: string) => Object.values(by('kind', `lockkeeper_${name}`, await samples()))[0]
  await expect.poll(() => total('store_up')).toBe(1)
  await client.set('pipeline_lock:acme:export', 'run-1-a', 'EX', 600)
  await expect.poll(() => total('acquisitions_total')).toBe(1)
  await client.set('pipeline_lock:acme:export', 'run-2-b', 'EX', 600)
  await expect.poll(() => total('holder_changes_total')).toBe(1)
  await client.del('pipeline_lock:acme:export')
  await expect.poll(() => total('releases_total')).toBe(1)
  expect(await total('hold_duration_seconds_count')).toBe(2)
})

it('continues when a store is down from the start, or goes down, and logs it once', async () => {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  client.on('error', () => {})
  await client.set('pipeline_lock:acme:export', 'run-1-a', 'EX', 3600)
  const gone = `redis://127.0.0.1:${server.port}/0`
  const { child, done, samples } = await startMetrics([gone, 'redis://127.0.0.1:1/0', 'memory:practice'])
  const up = async () => by('store', 'lockkeeper_store_up', await samples())
  const name = `redis at 127.0.0.1:${server.port}`
  await expect.poll(up).toEqual({ [name]: 1, 'redis at 127.0.0.1:1': 0, practice: 1 })
  expect(locksIn('redis', await samples())).toMatchObject({ held: 1 })
  await server.stop('SIGKILL')
  await expect.poll(up).toEqual({ [name]: 0, 'redis at 127.0.0.1:1': 0, practice: 1 })
  expect(locksIn('redis', await samples())).toEqual({})
  expect(locksIn('memory', await samples())).toMatchObject({ held: expect.any(Number) })
  child.kill('SIGTERM')
  const { code, stderr } = await done
  expect(code).toBe(0)
  expect(stderr.match(/127\.0\.0\.1:1\/0 down: /g)).toHaveLength(1)
  expect(stderr).toContain(`${gone} down: `)
})

it('lists keys only on request, and none breaks out of its label', async () => {
  const { client, address } = await redisPlace()
  const hostile = 'pipeline_lock:acme:"} 1\nlockkeeper_store_up{store="forged"} 0 \x1b[31m'
  await client.set(hostile, 'run-1-a', 'EX', 600)
  const without = await startMetrics([address])
  await expect.poll(async () => locksIn('redis', await without.samples())['expiring']).toBe(1)
  expect(await without.text()).not.toContain('forged')
  const { text, samples } = await startMetrics([address, '--keys', '10'])
  await expect.poll(async () => locksIn('redis', await samples())['expiring']).toBe(1)
  const [key] = Object.keys(by('key', 'lockkeeper_lock_remaining_seconds', await samples()))
  expect(key).toBe('pipeline_lock:acme:"} 1\\nlockkeeper_store_up{store="forged"} 0 \\x1b[31m')
  expect(Object.values(by('store', 'lockkeeper_store_up', await samples()))).toEqual([1])
  expect(promtool(['check', 'metrics'], await text())).toEqual({ ok: true, said: '' })
})

it('shows neither a password nor the account of a store', async () => {
  const { client, address } = await redisPlace()
  await client.call('ACL', 'SETUSER', 'lettie', 'on', '>hunter2-right', '~*', '+@all')
  onTestFinished(() => void client.call('ACL', 'DELUSER', 'lettie'))
  const [right, wrong] = ['lettie', 'lottie'].map(user => address.replace('://', `://${user}@`)) as [
    string,
    string,
  ]
  const { text, samples, child, done } = await startMetrics([right, wrong], {
    [variableFor(parseAddress(right))]: 'hunter2-right',
    [variableFor(parseAddress(wrong))]: 'hunter3-wrong',
  })
  await expect
    .poll(async () => Object.values(by('store', 'lockkeeper_store_up', await samples())).sort())
    .toEqual([0, 1])
  expect(await text()).not.toMatch(/hunter|lettie|lottie/)
  child.kill('SIGINT')
  expect((await done).stderr).not.toContain('hunter')
})

it('requires the token of the environment', async () => {
  const { port } = await startMetrics(['memory:practice'])
  expect(await ask(port, { path: '/metrics' })).toMatchObject({ status: 401 })
  const headers = { Authorization: `Bearer ${TOKEN}` }
  expect(await ask(port, { path: '/metrics', headers })).toMatchObject({ status: 200 })
})

it('makes a token that only its own user can read, and keeps it for the next start', async () => {
  const folder = dataFolder()
  const file = join(folder, 'metrics-token')
  const env = { LOCKKEEPER_METRICS_TOKEN: undefined, LOCKKEEPER_DATA_DIR: folder }
  const { port, child, done } = await startMetrics(['memory:practice'], env)
  expect(await ask(port, { path: '/metrics' })).toMatchObject({ status: 401 })
  const token = readFileSync(file, 'utf8').trim()
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const headers = { Authorization: `Bearer ${token}` }
  expect(await ask(port, { path: '/metrics', headers })).toMatchObject({ status: 200 })
  child.kill('SIGINT')
  expect((await done).stdout).toContain(`Requests need the bearer token in ${file}\n`)
  const again = await startMetrics(['memory:practice'], env)
  expect(await ask(again.port, { path: '/metrics', headers })).toMatchObject({ status: 200 })
})

it.each([
  [[], {}, 'Missing <store>'],
  [['memory:a', '--port', '99999'], {}, '--port must be'],
  [['memory:a', '--port', 'many'], {}, '--port must be'],
  [['memory:a', '--keys', '1001'], {}, '--keys must be'],
  [['memory:a', '--keys', '-1'], {}, '--keys'],
  [['memory:a', '--keys', 'all'], {}, '--keys must be'],
  [['memory:a', '--interval', '0'], {}, '--interval must be'],
  [['memory:a', 'hunter2'], {}, 'A store address starts with'],
  [['memory:a'], { LOCKKEEPER_METRICS_TOKEN: '' }, 'LOCKKEEPER_METRICS_TOKEN is set'],
])('metrics %j with %j ends with one sentence', async (args, env, words) => {
  const { code, stdout, stderr } = await runCli(['metrics', ...args], env)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^lockkeeper: [^\n]+\n$/)
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('hunter2')
})

it('reports a port that is in use', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const taken = other.address()
  const port = typeof taken === 'object' && taken ? taken.port : 0
  expect(await runCli(['metrics', 'memory:practice', '--port', String(port)])).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `lockkeeper: Port ${port} is in use; --port 0 takes any free port\n`,
  })
})
