import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import type { Guard, RedisProgram } from '../../../../electron/core/stores/redis/format/program.ts'
import { describeProgram, runProgram } from '../../../../electron/core/stores/redis/run-program.ts'
import { runWatched } from '../../../../electron/core/stores/redis/watched.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { startRedis } from '../../../servers/redis.ts'
import { GUARDS } from './guards.ts'
import { redisPlace } from './place.ts'

const key = Buffer.from('{lock}')
const other = Buffer.from('{lock}:other')
const b = (text: string) => Buffer.from(text)

describe.each([
  ['by script', runProgram],
  ['without scripts, by WATCH', runWatched],
])('a program executed %s', (_name, execute) => {
  it.each(GUARDS)('acts while %s holds, and not when it does not', async (_, guard, before, change) => {
    const { client } = await redisPlace()
    const program: RedisProgram = { key, guards: [guard], commands: [['DEL', key]] }
    for (const [name = '', ...args] of before) await client.call(name, args)
    const [name = '', ...args] = change
    await client.call(name, args)
    expect(await execute(client, program)).toEqual({ outcome: 'not-same' })
    expect(await client.exists('{lock}')).toBe(1)
    await client.flushdb()
    for (const [name = '', ...args] of before) await client.call(name, args)
    expect(await execute(client, program)).toEqual({ outcome: 'released', notified: null })
    expect(await client.exists('{lock}')).toBe(0)
  })

  it('reports a key of another type as changed, not as an error', async () => {
    const { client } = await redisPlace()
    await client.lpush('{lock}', 'v')
    for (const [, guard] of GUARDS.filter(([, each]) => each.check === 'reply' && each.ask[0] !== 'LINDEX')) {
      expect(await execute(client, { key, guards: [guard], commands: [['DEL', key]] })).toEqual({
        outcome: 'not-same',
      })
    }
    expect(await client.llen('{lock}')).toBe(1)
  })

  it('needs every guard, and runs every command in order', async () => {
    const { client } = await redisPlace()
    await client.set('{lock}', 'v')
    const value: Guard = { check: 'reply', key, ask: ['GET'], equals: b('v') }
    const wrong: Guard = { check: 'reply', key, ask: ['GET'], equals: b('w') }
    const commands: RedisProgram['commands'] = [
      ['LPUSH', other, '1'],
      ['PEXPIRE', other, 1000],
      ['PUBLISH', 'channel', 'hello'],
      ['DEL', key],
    ]
    for (const guards of [
      [value, wrong],
      [wrong, value],
    ]) {
      expect(await execute(client, { key, guards, commands })).toEqual({ outcome: 'not-same' })
    }
    expect(await client.exists('{lock}:other')).toBe(0)
    expect(await execute(client, { key, guards: [value], commands })).toEqual({
      outcome: 'released',
      notified: 0,
    })
    expect(await client.pttl('{lock}:other')).toBeGreaterThan(0)
  })
})

it('leaves one script in the server, however much the releases differ', async () => {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  onTestFinished(() => server.stop('SIGKILL'))
  onTestFinished(() => client.disconnect())
  const cachedScripts = async () => /number_of_cached_scripts:(\d+)/.exec(await client.info('memory'))?.[1]
  for (let n = 1; n <= 20; n++) {
    const names = Array.from({ length: n }, (_, i) => b(`{lock}:${i}`))
    await client.set('{lock}', n)
    const guards = names.map(
      (name): Guard => ({ check: 'reply', key: name, ask: ['LINDEX', 0], equals: null }),
    )
    const commands: RedisProgram['commands'] = [...names.map(name => ['DEL', name] as const), ['DEL', key]]
    expect(await runProgram(client, { key, guards, commands })).toMatchObject({ outcome: 'released' })
  }
  expect(await cachedScripts()).toBe('1')
})

it('changes nothing when the account may delete but not publish', async () => {
  const place = await redisPlace()
  const user = `quiet-${place.client.options.db}`
  await place.client.call('ACL', ['SETUSER', user, 'on', '>secret', '~*', 'resetchannels', '+@all'])
  await place.client.set('lock:a', '9be03d11-aaaa-4bbb-8ccc-0123456789ab')
  const { fence } = await place.lock('lock:a')
  const store = await openStore(place.address.replace('//', `//${user}:secret@`), undefined)
  const signal = new AbortController().signal
  await expect(releaseLock(store, 'lock:a', fence, signal)).rejects.toMatchObject({ code: 'STORE_DENIED' })
  expect(await place.client.exists('lock:a')).toBe(1)
  await store.close()
})

it('is shown to people in the notation of redis-cli, with hostile bytes escaped', () => {
  const hostile = Buffer.from('a"\\\n\x1b[31m\xff', 'latin1')
  expect(
    describeProgram({
      key,
      guards: [{ check: 'reply', key, ask: ['GET'], equals: hostile }],
      commands: [['DEL', key]],
    }),
  ).toEqual(['if GET "{lock}" is still "a\\"\\\\\\x0a\\x1b[31m\\xff"', 'DEL "{lock}"'])
})

it('runs without scripts while the holder renews at full speed', async () => {
  const place = await redisPlace()
  const user = `scriptless-${place.client.options.db}`
  await place.client.call('ACL', ['SETUSER', user, 'on', '>secret', '~*', '&*', '+@all', '-@scripting'])
  await place.client.set('lock:a', '9be03d11-aaaa-4bbb-8ccc-0123456789ab', 'EX', 60)
  const store = await openStore(place.address.replace('//', `//${user}:secret@`), undefined)
  onTestFinished(() => store.close())
  const signal = new AbortController().signal
  expect(await store.capabilities(signal)).toEqual(['release', 'notify', 'server-time'])
  const lock = (await store.inspect('lock:a', signal))?.lock
  expect(await releaseLock(store, 'lock:a', 'another fence', signal)).toMatchObject({ outcome: 'changed' })
  let renewing = true
  const renewals = (async () => {
    while (renewing) {
      await place.client.pexpire('lock:a', 60_000)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  })()
  expect(await releaseLock(store, 'lock:a', lock?.fence ?? '', signal)).toMatchObject({ outcome: 'released' })
  renewing = false
  await renewals
  expect(await place.client.exists('lock:a')).toBe(0)
})
