import { Cluster, Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import type { RedisAddress } from '../../../../electron/core/stores/redis/address.ts'
import { redisCommand } from '../../../../electron/core/stores/redis/cli-command.ts'
import type { RedisProgram } from '../../../../electron/core/stores/redis/format/program.ts'
import { parseAddress } from '../../../../shared/address.ts'
import { bash, wordsOf } from '../../../bash.ts'
import { startRedis } from '../../../servers/redis.ts'
import { startRedisCluster } from '../../../servers/redis-cluster.ts'
import { GUARDS } from './guards.ts'
import { redisPlace } from './place.ts'

const never = new AbortController().signal
const TOKEN = '9be03d11-aaaa-4bbb-8ccc-0123456789ab'
const HOSTILE = `'"\\ $(touch /tmp/owned) \`id\` !! \u001b[31m\u202e\n\r\t%s %d ]] -- é漢 \\065 ${'\\'}`
const BINARY = Buffer.from([0, 1, 7, 48, 49, 10, 13, 26, 34, 39, 92, 127, 128, 193, 255, 0])
const b = (text: string) => Buffer.from(text)
const redisAddress = (text: string) => parseAddress(text) as RedisAddress

describe('the line for redis-cli', () => {
  it.each(GUARDS)('acts while %s holds, and not when it does not', async (_, guard, before, change) => {
    const { client, address } = await redisPlace()
    const key = b('{lock}')
    const line = redisCommand(redisAddress(address), { key, guards: [guard], commands: [['DEL', key]] })
    const prepare = async (commands: string[][]) => {
      for (const [name = '', ...args] of commands) await client.call(name, args)
    }
    expect(bash(line)).toEqual({ out: 'gone', problem: '' })
    await prepare([...before, change])
    expect(bash(line)).toEqual({ out: 'changed', problem: '' })
    expect(await client.exists('{lock}')).toBe(1)
    await client.flushdb()
    await prepare(before)
    expect(bash(line)).toEqual({ out: 'released', problem: '' })
    expect(await client.exists('{lock}')).toBe(0)
  })

  it('reports a key of another type as changed', async () => {
    const { client, address } = await redisPlace()
    await client.lpush('{lock}', 'v')
    const key = b('{lock}')
    for (const [, guard] of GUARDS.filter(([, each]) => each.check === 'reply' && each.ask[0] !== 'LINDEX')) {
      const program: RedisProgram = { key, guards: [guard], commands: [['DEL', key]] }
      expect(bash(redisCommand(redisAddress(address), program)).out).toBe('changed')
    }
    expect(await client.llen('{lock}')).toBe(1)
  })

  it.each<[string, Buffer]>([
    ['hostile text', b(HOSTILE)],
    ['every byte', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ['every byte before a digit', Buffer.from(Array.from({ length: 256 }, (_, i) => [i, 0x31]).flat())],
    ['a minus sign', b('-x')],
  ])('compares %s byte by byte, as key and as value', async (_, bytes) => {
    const { client, address } = await redisPlace()
    const key = Buffer.concat([b('lock:'), bytes])
    const program: RedisProgram = {
      key,
      guards: [{ check: 'reply', key, ask: ['GET'], equals: bytes }],
      commands: [
        ['LPUSH', Buffer.concat([b('copy:'), bytes]), bytes],
        ['DEL', key],
      ],
    }
    const line = redisCommand(redisAddress(address), program)
    expect(line).toMatch(/^[\x20-\x7e\p{L}]+$/u)
    await client.set(key, Buffer.concat([bytes, b('x')]))
    expect(bash(line)).toEqual({ out: 'changed', problem: '' })
    await client.set(key, bytes)
    expect(bash(line)).toEqual({ out: 'released', problem: '' })
    expect(await client.exists(key)).toBe(0)
    expect(await client.lpopBuffer(Buffer.concat([b('copy:'), bytes]))).toEqual(bytes)
  })

  it('passes keys as keys, and writes one with a NUL into the script', () => {
    const program = (key: Buffer): RedisProgram => ({ key, guards: [], commands: [['DEL', key]] })
    const at = redisAddress('redis://h/0')
    expect(wordsOf(redisCommand(at, program(b(HOSTILE)))).slice(-2)).toEqual(['1', HOSTILE])
    expect(wordsOf(redisCommand(at, program(BINARY))).at(-1)).toBe('0')
    expect(redisCommand(redisAddress('redis+cluster://h'), program(BINARY))).toBeNull()
  })

  it('is null when it would be too long or for Sentinel', () => {
    const key = b('k')
    const program = (equals: string): RedisProgram => ({
      key,
      guards: [{ check: 'reply', key, ask: ['GET'], equals: b(equals) }],
      commands: [['DEL', key]],
    })
    expect(redisCommand(redisAddress('redis://h/0'), program('x'.repeat(7000)))).toContain('x'.repeat(7000))
    expect(redisCommand(redisAddress('redis://h/0'), program('x'.repeat(8200)))).toBeNull()
    expect(redisCommand(redisAddress('redis+sentinel://h/group/0'), program('x'))).toBeNull()
    expect(redisCommand(redisAddress('redis://a%00b@h/0'), program('x'))).toBeNull()
  })

  it('prompts for a password and never contains one', () => {
    const program: RedisProgram = { key: b('k'), guards: [], commands: [['DEL', b('k')]] }
    const words = (text: string) => wordsOf(redisCommand(redisAddress(text), program))
    expect(words('redis://h/0').slice(0, 6)).toEqual(['redis-cli', '-h', 'h', '-p', '6379', 'EVAL'])
    expect(words('redis://:s3cr3t@h:1/2').slice(5, 9)).toEqual(['-n', '2', '--askpass', 'EVAL'])
    expect(words(`rediss://it's:s3cr3t@[::1]:1/0`).slice(1, 9)).toEqual([
      '-h',
      '::1',
      '-p',
      '1',
      '--tls',
      '--user',
      "it's",
      '--askpass',
    ])
    expect(words('redis+cluster://u:s3cr3t@a,b').slice(1, 9)).toEqual([
      '-h',
      'a',
      '-p',
      '6379',
      '--user',
      'u',
      '--askpass',
      '-c',
    ])
    for (const text of ['redis://:s3cr3t@h/0', 'rediss://u:s3cr3t@h/0'])
      expect(words(text).join(' ')).not.toContain('s3cr3t')
  })
})

const HOLDER = '8743c9c0-0795-4907-87fd-6c719a6b4586'
const recharge = (lockId: string) => JSON.stringify({ lockId, pid: 1, timestamp: 1_800_000_000_000 })

/** How a lock of each format is taken, taken by somebody else, and what must be left after its release. */
const FORMATS: [
  format: string,
  key: string,
  query: string,
  take: string[][],
  other: string[][],
  left: string[],
][] = [
  [
    'recharge-json',
    `lockRecharge:${HOSTILE}`,
    '',
    [['SET', `lockRecharge:${HOSTILE}`, recharge(HOSTILE)]],
    [['SET', `lockRecharge:${HOSTILE}`, recharge('other')]],
    [],
  ],
  [
    'token',
    `mutex ${HOSTILE}`,
    '?match=mutex*',
    [['SET', `mutex ${HOSTILE}`, HOSTILE, 'PX', '600000']],
    // The same bytes with another deadline are another holder.
    [['SET', `mutex ${HOSTILE}`, HOSTILE, 'PX', '700000']],
    [],
  ],
  [
    'redisson',
    'orders $(id)',
    '',
    [['HSET', 'orders $(id)', `${HOLDER}:7`, '1']],
    [['HSET', 'orders $(id)', `${HOLDER}:7`, '2']],
    [],
  ],
  [
    'python-redis-lock',
    `lock:${HOSTILE}`,
    '',
    [['SET', `lock:${HOSTILE}`, 'AAAAAAAAAAAAAAAAAAAAAAA+']],
    [['SET', `lock:${HOSTILE}`, 'BAAAAAAAAAAAAAAAAAAAAAA+']],
    [`lock-signal:${HOSTILE}`],
  ],
  ['pubsub-token', 'lock:a', '', [['SET', 'lock:a', TOKEN]], [['SET', 'lock:a', `${TOKEN}0`]], []],
]

it.each(FORMATS)(
  'releases a lock of %s as it was seen, and no other',
  async (format, key, query, take, other, left) => {
    const place = await redisPlace()
    const run = async (commands: string[][]) => {
      for (const [name = '', ...args] of commands) await place.client.call(name, args)
    }
    await run(take)
    const detail = await place.detail(key, query)
    expect(detail?.lock?.format).toBe(format)
    const line = detail?.command
    await run(other)
    expect(bash(line)).toEqual({ out: 'changed', problem: '' })
    expect(await place.client.keys('*')).toEqual([key])
    await place.client.del(key)
    expect(bash(line)).toEqual({ out: 'gone', problem: '' })
    await run(take)
    expect(bash((await place.detail(key, query))?.command)).toEqual({ out: 'released', problem: '' })
    expect(await place.client.keys('*')).toEqual(left)
  },
)

it('notifies waiters, as a release does', async () => {
  const place = await redisPlace()
  const listener = place.client.duplicate()
  onTestFinished(() => listener.disconnect())
  const heard: string[] = []
  listener.on('message', (channel, message) => heard.push(`${channel} ${message}`))
  await listener.subscribe("lock:released:it's")
  await place.client.set("lock:it's", TOKEN)
  expect(bash((await place.detail("lock:it's"))?.command).out).toBe('released')
  await expect.poll(() => heard).toEqual(["lock:released:it's it's"])
})

it('changes nothing for an account without every permission', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const admin = new Redis({ port: server.port })
  onTestFinished(() => admin.disconnect())
  await admin.call('ACL', ['SETUSER', 'quiet', 'on', '>s3cr3t', '~*', 'resetchannels', '+@all'])
  await admin.call('ACL', ['SETUSER', 'full', 'on', '>s3cr3t', '~*', '&*', '+@all'])
  await admin.set('lock:a', TOKEN)
  const lineFor = async (user: string) => {
    const store = await openStore(`redis://${user}@127.0.0.1:${server.port}/0`, 's3cr3t')
    onTestFinished(() => store.close())
    return (await store.inspect('lock:a', never))?.command
  }
  expect(bash(await lineFor('quiet'), 's3cr3t\n').out).toMatch(/denied$/)
  expect(await admin.get('lock:a')).toBe(TOKEN)
  expect(bash(await lineFor('full'), 's3cr3t\n').out).toMatch(/released$/)
  expect(await admin.exists('lock:a')).toBe(0)
})

it('reaches the cluster node that has the key', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.close())
  const port = cluster.servers[0]?.port ?? 0
  const client = new Cluster([{ host: '127.0.0.1', port }])
  onTestFinished(() => client.disconnect())
  const store = await openStore(`redis+cluster://127.0.0.1:${port}`, undefined)
  onTestFinished(() => store.close())
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await client.hset(key, `${HOLDER}:1`, 1)
    expect(bash((await store.inspect(key, never))?.command).out).toMatch(/released$/)
    expect(await client.exists(key)).toBe(0)
  }
})
