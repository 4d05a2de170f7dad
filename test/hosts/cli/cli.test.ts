import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { auditLines, auditText } from '../../core/features/audit/lines.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { startRedis } from '../../servers/redis.ts'
import { CLI, dataFolder, runCli, startCli } from './run-cli.ts'

const TOKEN = '0f8fad5b-d9cb-469f-a165-70867728950e'

describe('bad usage and bad addresses', () => {
  it.each([
    [[], 2, ''],
    [['explode'], 2, 'Unknown command "explode". Commands are list, '],
    [['lst'], 2, 'Unknown command "lst". Did you mean "list"?'],
    [['redis://h/0'], 2, 'Unknown command. Commands are list, '],
    [['redis://:hunter2@h/0'], 2, 'An argument contains a password'],
    [['list'], 2, 'Missing <store>; "lockkeeper list --help" shows the usage'],
    [['list', 'memory:practice', 'extra'], 2, 'Too many arguments; expected <store>'],
    [['list', 'memory:practice', '--nonsense'], 2, 'Unknown option --nonsense.'],
    [['list', 'memory:practice', '--limit', '0'], 2, '--limit must be'],
    [['list', 'memory:practice', '--state', 'sleepy'], 2, '--state must be one of'],
    [['release', 'memory:practice', 'a:b'], 2, 'release needs --fence'],
    [['release', 'memory:practice', 'a:b', '--fence'], 2, '--fence needs a value'],
    [['watch', 'memory:practice', '--interval', '0'], 2, '--interval must be'],
    [['list', 'postgres://localhost/x'], 2, 'Unknown kind of store "postgres://"'],
    [['list', 'just-words'], 2, 'A store address starts with'],
    [['list', 'redis://localhost:99999/0'], 2, 'from 1 to 65535'],
    [['list', 'redis://localhost/zero'], 2, 'must be a number'],
    [['list', 'redis://localhost/0?format=nonsense'], 2, 'no such format'],
    [
      ['list', 'redis://localhost/0?colour=red'],
      2,
      'Unknown option in the address; redis takes match, format',
    ],
    [['list', 'redis://127.0.0.1:1/0'], 5, 'Redis does not answer'],
    [['list', 'mysql://root@127.0.0.1:1/db'], 5, ''],
    [['list', 'dynamodb://eu-west-1/table?endpoint=http://127.0.0.1:1'], 5, ''],
    [['inspect', 'memory:practice', 'no-such-key'], 4, 'The store has no such key'],
  ])('%j ends with %i', async (args, code, words) => {
    const run = await runCli([...args, '--json'].filter((_, i) => args.length > 0 || i > 0))
    expect(run.code).toBe(code)
    if (args.length === 0) return
    // One sentence for people, and the same as JSON.
    expect(run.stderr).toMatch(/^lockkeeper: [^\n]+\n$/)
    expect(run.stderr).toContain(words)
    expect(run.json()).toEqual({
      error: { code: expect.stringMatching(/^[A-Z_]+$/), message: run.stderr.slice(12, -1) },
    })
  })

  it.each([
    ['mysql', () => `mysql://root@127.0.0.1:${inject('mariadbPort')}/no_such_database`, 4],
    ['mysql', () => `mysql://nobody@127.0.0.1:${inject('mariadbPort')}/mysql`, 6],
    ['mysql', () => `mysql://root@127.0.0.1:${inject('mariadbPort')}/mysql?table=no_such_table`, 4],
    ['dynamodb', () => `dynamodb://eu-west-1/no-such-table?endpoint=${inject('dynamodbEndpoint')}`, 4],
    ['redis', () => `redis://nobody@127.0.0.1:${inject('redisPort')}/0`, 6],
    ['redis', () => `redis://127.0.0.1:${inject('redisPort')}/9999`, 4],
  ])('%s with a missing or denied place ends clearly', async (_, address, code) => {
    expect(await runCli(['list', address()])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(/^lockkeeper: .+\n$/),
    })
  })

  it('gives up on a host that accepts connections and never answers', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    onTestFinished(() => void mute.close())
    const { port } = mute.address() as { port: number }
    const runs = [
      `redis://127.0.0.1:${port}/0`,
      `mysql://a@127.0.0.1:${port}/b`,
      `dynamodb://eu-west-1/table?endpoint=http://127.0.0.1:${port}`,
    ]
    for (const { code } of await Promise.all(runs.map(address => runCli(['list', address]))))
      expect(code).toBe(5)
  })
})

describe('the table of list', () => {
  it('fits 100 columns, lists urgent locks first, and escapes hostile text', async () => {
    const { client, address } = await redisPlace()
    const json = (expiresAt: number) =>
      JSON.stringify({ lockId: 'X', pid: 1, timestamp: Date.now() - 100_000, expiresAt })
    await client.set('lockRecharge:held', json(Date.now() + 3_600_000), 'EX', 3600)
    await client.set('lockRecharge:expired', json(Date.now() - 60_000))
    await client.set('lockRecharge:expiring', json(Date.now() + 10_000), 'EX', 10)
    await client.set(`lock:\x1b[31m${'漢字'.repeat(40)}\u202e\n`, TOKEN)
    await client.xadd('lockRecharge:x', '*', 'a', 'b')
    const { stdout, code } = await runCli(['list', address])
    expect(code).toBe(0)
    const lines = stdout.split('\n')
    expect(lines.slice(1, 5).map(line => line.split(/\s{1,}/)[0])).toEqual([
      'expired',
      'no',
      'expiring',
      'held',
    ])
    expect(stdout).toMatch(/ended 1 min 0\d s ago/)
    expect(stdout).toContain('lockRecharge:x: a stream, not a JSON string')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(100)
  })

  it('filters by state and owner, and says when a limit left locks out', async () => {
    const { client, address } = await redisPlace()
    for (const name of ['a', 'b', 'c'])
      await client.set(`pipeline_lock:acme:${name}`, `run-${name}`, 'EX', 3600)
    await client.set('pipeline_lock:acme:old', 'run-old', 'EX', 60)
    const keys = async (...options: string[]) => {
      const { locks, complete } = (await runCli(['list', address, '--json', ...options])).json() as {
        locks: { key: string }[]
        complete: boolean
      }
      return [locks.map(({ key }) => key.split(':')[2]).sort(), complete]
    }
    expect(await keys('--owner', 'RUN-B')).toEqual([['b'], true])
    expect(await keys('--state', 'expiring')).toEqual([['old'], true])
    expect(await keys('--limit', '4')).toEqual([['a', 'b', 'c', 'old'], true])
    expect(await keys('--limit', '1')).toEqual([['old'], false])
    expect((await runCli(['list', address, '--limit', '2'])).stdout).toContain('not all of them')
  })

  it('counts by the clock of the store when that of this machine is an hour ahead', async () => {
    const { client, address } = await redisPlace()
    await client.set('pipeline_lock:acme:a', 'run-a', 'PX', 1_800_000)
    const ahead = 'data:text/javascript,const now = Date.now; Date.now = () => now() + 3600000'
    const { store, locks } = (
      await runCli(['list', address, '--json'], { NODE_OPTIONS: `--import="${ahead}"` })
    ).json() as { store: { clockOffsetMs: number }; locks: { state: string; remainingMs: number }[] }
    const leftMs = await client.pttl('pipeline_lock:acme:a')
    expect(Math.round(store.clockOffsetMs / 60_000)).toBe(-60)
    expect(locks).toMatchObject([{ state: 'held' }])
    // It had at most the whole lease, and no less than what is left of it now.
    expect(locks[0]?.remainingMs).toBeLessThanOrEqual(1_800_000)
    expect(locks[0]?.remainingMs).toBeGreaterThan(leftMs - 1000)
  })

  it('ends quietly when its reader stops reading', async () => {
    const { client, address } = await redisPlace()
    await client.eval("for i = 1, 20000 do redis.call('SET', 'lock:' .. i, 'token-' .. i) end", 0)
    const out = execFileSync(
      'sh',
      ['-c', `"${process.execPath}" "${CLI}" list "${address}" --json | head -c 100`],
      { encoding: 'utf8' },
    )
    expect(out).toHaveLength(100)
  })
})

describe('a release', () => {
  it('answers changed with the present holder, and leaves the lock alone', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('pipeline_lock:acme:a', 'run-1')
    const { fence } = await lock('pipeline_lock:acme:a')
    await client.set('pipeline_lock:acme:a', 'run-2')
    const run = await runCli(['release', address, 'pipeline_lock:acme:a', '--fence', fence, '--json'])
    expect(run.code).toBe(3)
    expect(run.json()).toMatchObject({
      outcome: 'changed',
      current: { owner: 'run-2', key: 'pipeline_lock:acme:a' },
    })
    expect(await client.get('pipeline_lock:acme:a')).toBe('run-2')
    expect((await runCli(['release', address, 'pipeline_lock:acme:a', '--fence', fence])).stdout).toContain(
      'held by run-2 now',
    )
  })

  it('records intent, lock, reason and outcome in the audit log, and neither password nor token', async () => {
    const place = await redisPlace()
    await place.client.call('ACL', ['SETUSER', 'audited', 'on', '>s3cr3t-word', '~*', '&*', '+@all'])
    await place.client.set('lock:a', TOKEN)
    const { fence } = await place.lock('lock:a')
    const folder = dataFolder()
    const address = place.address.replace('//', '//audited@')
    await runCli(['release', address, 'lock:a', '--fence', fence, '--reason', 'stuck since 3'], {
      LOCKKEEPER_DATA_DIR: folder,
      LOCKKEEPER_PASSWORD: 's3cr3t-word',
    })
    const [intent, acting, outcome] = auditLines(folder)
    expect(intent).toMatchObject({
      event: 'intent',
      method: 'locks.release',
      id: 'lock:a',
      fence,
      reason: 'stuck since 3',
      store: place.address.replace('//', '//audited@'),
    })
    expect(acting).toMatchObject({
      event: 'acting',
      action: intent?.['action'],
      serverAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lock: { key: 'lock:a', fence, ownerHash: expect.stringMatching(/^sha256:[0-9a-f]{16}$/) },
    })
    expect(outcome).toMatchObject({ event: 'outcome', action: intent?.['action'], outcome: 'released' })
    expect(auditText(folder)).not.toContain('s3cr3t-word')
    expect(auditText(folder)).not.toContain(TOKEN)
  })

  it('is refused when the audit log cannot be written', async () => {
    const { client, address, lock } = await redisPlace()
    await client.set('lock:a', TOKEN)
    const { fence } = await lock('lock:a')
    const folder = dataFolder()
    writeFileSync(join(folder, 'not-a-folder'), '')
    chmodSync(folder, 0o700)
    const run = await runCli(['release', address, 'lock:a', '--fence', fence], {
      LOCKKEEPER_DATA_DIR: join(folder, 'not-a-folder'),
    })
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') })
    expect(await client.get('lock:a')).toBe(TOKEN)
  })
})

describe('an exit code', () => {
  const stale = '00000000000000000000000000000000'

  it('is that of the outcome even when the output is not read or cannot be written', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', TOKEN)
    const release = `"${process.execPath}" "${CLI}" release "${address}" lock:a --fence ${stale}`
    const run = (script: string) =>
      spawnSync('bash', ['-c', script], {
        encoding: 'utf8',
        env: { ...process.env, LOCKKEEPER_DATA_DIR: dataFolder() },
      })
    expect(run(`${release} | true; exit "\${PIPESTATUS[0]}"`).status).toBe(3)
    expect(run(`${release} > /dev/full`)).toMatchObject({
      status: 3,
      stderr: 'lockkeeper: The output cannot be written (ENOSPC)\n',
    })
    expect(run(`"${process.execPath}" "${CLI}" list "${address}" > /dev/full`)).toMatchObject({ status: 1 })
  })

  it('is 3 when the record is no longer a lock, and when the fence was truncated', async () => {
    const { client, address } = await redisPlace()
    await client.rpush('lock:a', 'x')
    const run = await runCli(['release', address, 'lock:a', '--fence', stale, '--json'])
    expect(run.code).toBe(3)
    expect(run.json()).toMatchObject({ outcome: 'changed', current: null, undoUntil: null })
    await client.del('lock:a')
    await client.set('lock:a', TOKEN)
    const short = await runCli(['release', address, 'lock:a', '--fence', 'abc'])
    expect(short).toMatchObject({ code: 3, stdout: expect.stringContaining('was it truncated?') })
  })

  it('is 2 for a reason that looks like an option, and 0 for --help', async () => {
    expect(
      await runCli(['release', 'memory:practice', 'a:b', '--fence', stale, '--reason', '--help']),
    ).toMatchObject({ code: 2 })
    expect(await runCli(['list', '--help'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('lockkeeper list'),
    })
  })
})

it('says how many keys it did not read, because many of their kind are no locks', async () => {
  const { client, address } = await redisPlace()
  await client.eval("for i = 1, 3000 do redis.call('SET', 'page:' .. i, 'x') end", 0)
  const { stdout } = await runCli(['list', address])
  expect(stdout).toMatch(/No locks in .* \(3,000 records\)/)
  expect(stdout).toMatch(/\n1,9\d\d keys were not read: many of the same kind are no locks/)
  const { skipped, complete } = (await runCli(['list', address, '--json'])).json() as Record<string, unknown>
  expect([skipped, complete]).toEqual([expect.any(Number), true])
})

it('lists every unrecognized record', async () => {
  const { client, address } = await redisPlace()
  await client.eval("for i = 1, 15000 do redis.call('SET', 'lockRecharge:' .. i, 'v') end", 0)
  const listing = (await runCli(['list', address, '--json'])).json() as {
    unrecognised: unknown[]
    complete: boolean
  }
  expect(listing.unrecognised).toHaveLength(15_000)
  expect(listing.complete).toBe(true)
})

describe('a password', () => {
  it('is read from the environment, and is in no output or error', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const admin = new Redis({ port: server.port })
    onTestFinished(() => admin.disconnect())
    await admin.config('SET', 'requirepass', 's3cr3t-word')
    await admin.set('lock:a', TOKEN)
    const bare = `redis://127.0.0.1:${server.port}/0`
    const right = { LOCKKEEPER_PASSWORD: 's3cr3t-word' }
    const named = { [`LOCKKEEPER_PASSWORD_REDIS_AT_127_0_0_1_PORT_${server.port}`]: 's3cr3t-word' }
    expect(await runCli(['list', bare])).toMatchObject({ code: 6 })
    const runs = [
      await runCli(['list', bare, '--json'], right),
      await runCli(['list', bare], named),
      await runCli(['inspect', bare, 'lock:a'], { ...named, LOCKKEEPER_PASSWORD: 'wrong-w0rd' }),
      await runCli(['list', bare, '--json'], { LOCKKEEPER_PASSWORD: 'wrong-w0rd' }),
      await runCli(['list', bare.replace('127.0.0.1', 'no-such-host.invalid'), '--json'], right),
      await runCli(['list', 'redis://user:s3cr3t-word@/0?x@y', '--json']),
      await runCli(['list', bare, 's3cr3t-word'], right),
    ]
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 6, 5, 2, 2])
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/s3cr3t-word|wrong-w0rd/)
  })
})

it('watch prints a snapshot, changes, removals and the status of the store as JSON lines', async () => {
  const server = await startRedis()
  let revived = server
  onTestFinished(() => revived.stop('SIGKILL'))
  const client = new Redis({ port: server.port, maxRetriesPerRequest: null })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  await client.set('lock:a', TOKEN, 'EX', 100)
  const { child, done } = startCli([
    'watch',
    `redis://127.0.0.1:${server.port}/0`,
    '--json',
    '--interval',
    '0.1',
  ])
  const events: Record<string, unknown>[] = []
  let rest = ''
  child.stdout?.on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    events.push(...lines.map(line => JSON.parse(line)))
  })
  const has = (event: object) => expect.poll(() => events).toContainEqual(expect.objectContaining(event))

  await has({ event: 'snapshot', seq: 0, locks: [expect.objectContaining({ key: 'lock:a', owner: TOKEN })] })
  await has({ event: 'status', status: 'live' })
  await client.set('lock:b', TOKEN, 'EX', 100)
  await has({ event: 'upsert', locks: [expect.objectContaining({ key: 'lock:b' })] })
  await client.expire('lock:b', 900)
  await expect.poll(() => events.filter(({ event }) => event === 'upsert').length).toBe(2)
  await client.del('lock:a')
  await has({ event: 'remove', ids: ['lock:a'] })
  await server.stop('SIGKILL')
  await has({
    event: 'status',
    status: 'down',
    error: expect.objectContaining({ code: 'STORE_UNREACHABLE' }),
  })
  const removedInOutage = events.filter(({ event }) => event === 'remove').length
  revived = await startRedis({ port: server.port })
  await expect.poll(() => events.filter(({ status }) => status === 'live').length).toBe(2)
  // Gone because it was looked for and not found, not because the server could not be asked.
  expect(removedInOutage).toBe(1)
  await has({ event: 'remove', ids: ['lock:b'] })
  child.kill('SIGTERM')
  expect(await done).toMatchObject({ code: 0, stderr: '' })
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i))
})

it('watch prints plain lines where there is no terminal', async () => {
  const { child, done } = startCli(['watch', 'memory:practice'])
  const change = /\d\d:\d\d:\d\d UTC {2}(held|gone): /
  let printed = ''
  child.stdout?.on('data', text => {
    printed += text
  })
  await expect.poll(() => printed).toMatch(change)
  child.kill('SIGINT')
  const { stdout, code } = await done
  expect(code).toBe(0)
  expect(stdout).toMatch(/^STATE +KEY +HOLDER/)
  expect(stdout).toMatch(change)
})

it('formats lists every format and how its locks are released', async () => {
  const { stdout, code } = await runCli(['formats'])
  expect(code).toBe(0)
  for (const id of [
    'recharge-json',
    'pipeline-run',
    'flask-cache',
    'pubsub-token',
    'token',
    'redisson',
    'recharge-table',
    'shedlock-table',
    'conditional-put',
    'terraform',
    'tenant-pipeline',
  ]) {
    expect(stdout).toContain(`${id}  (`)
  }
})

function width(line: string): number {
  let columns = 0
  for (const char of line) columns += /[\u2e80-\u9fff\uac00-\ud7a3]/.test(char) ? 2 : 1
  return columns
}
