import { once } from 'node:events'
import { createServer } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { startRedis } from '../../../servers/redis.ts'
import { type Place, redisPlace, release } from './place.ts'

const never = new AbortController().signal

async function failure(address: string): Promise<{ code: string; message: string; seconds: number }> {
  const start = performance.now()
  const store = await openStore(address, undefined)
  const error = await listAll(store).then(
    () => ({ code: 'none', message: '' }),
    each => each,
  )
  await store.close()
  return { code: error.code, message: error.message, seconds: (performance.now() - start) / 1000 }
}

it('denies a wrong password without repeating it', async () => {
  const port = inject('redisPort')
  const { code, message } = await failure(`redis://nobody:s3cr3t-word@127.0.0.1:${port}/0`)
  expect(code).toBe('STORE_DENIED')
  expect(message).not.toContain('s3cr3t-word')
})

it('reports a refusing host at once', async () => {
  const { code, seconds } = await failure('redis://127.0.0.1:1/0')
  expect(code).toBe('STORE_UNREACHABLE')
  expect(seconds).toBeLessThan(2)
})

it('reports a name that does not resolve', async () => {
  expect((await failure('redis://no-such-host.invalid:6379/0')).code).toBe('STORE_UNREACHABLE')
})

it('gives up within five seconds on a server that accepts and never answers', async () => {
  const mute = createServer().listen(0, '127.0.0.1')
  await once(mute, 'listening')
  onTestFinished(() => void mute.close())
  const { port } = mute.address() as { port: number }
  const { code, seconds } = await failure(`redis://127.0.0.1:${port}/0`)
  expect(code).toBe('STORE_UNREACHABLE')
  expect(seconds).toBeLessThan(5)
})

it('reports a database number that does not exist, and reads no other database', async () => {
  const { code } = await failure(`redis://127.0.0.1:${inject('redisPort')}/5000`)
  expect(code).toBe('NOT_FOUND')
})

it('reads a page of large values in parts, each key once', async () => {
  const place = await redisPlace()
  const value = 'x'.repeat(60_000)
  const keys = Array.from({ length: 400 }, (_, i) => `page:${i}`)
  await place.client.mset(Object.fromEntries(keys.map(key => [key, value])))
  const sizes: number[] = []
  const found: string[] = []
  for await (const page of (await place.open('?match=page:*')).list({}, never)) {
    sizes.push(page.locks.length)
    for (const { key } of page.locks) found.push(key)
  }
  expect(found.sort()).toEqual(keys.sort())
  // No answer has more than 256 kB of values.
  expect(Math.max(...sizes)).toBeLessThan(6)
})

it('refuses an unknown format by naming the known ones', async () => {
  await expect(openStore('redis://127.0.0.1/0?format=nonsense', undefined)).rejects.toThrow(/recharge-json/)
})

it('reports lists, streams, sets and sorted sets under a pattern by their type', async () => {
  const place = await redisPlace()
  await place.client.lpush('p:list', 'x')
  await place.client.xadd('p:stream', '*', 'a', '1')
  await place.client.zadd('p:zset', 1, 'x')
  await place.client.sadd('p:set', 'x')
  await place.client.set('p:string', 'token', 'EX', 60)
  const { locks, unrecognised } = await place.list('?match=p:*')
  expect(locks.map(lock => lock.key)).toEqual(['p:string'])
  expect(Object.fromEntries(unrecognised.map(each => [each.key, each.reason]))).toEqual({
    'p:list': 'a list that no format recognises',
    'p:stream': 'a stream, which no lock format uses',
    'p:zset': 'a zset that no format recognises',
    'p:set': 'a set that no format recognises',
  })
})

it('reports a value of 5 MB without fetching it in a listing, and shows its start when asked', async () => {
  const place = await redisPlace()
  await place.client.set('p:huge', Buffer.alloc(5 * 1024 * 1024, 'x'))
  const { locks, unrecognised } = await place.list('?match=p:*')
  expect(locks).toEqual([])
  expect(unrecognised).toEqual([
    { key: 'p:huge', reason: 'a string of 5.0 MB, which is too large to be a lock' },
  ])
  const detail = await place.detail('p:huge')
  expect(detail?.raw).toMatchObject([{ label: 'value', size: 5 * 1024 * 1024, encoding: 'text' }])
  expect(detail?.raw[0]?.text.length).toBeLessThan(100_000)
})

it('does not fetch few but huge elements, nor the head of a list', async () => {
  // A server of its own, because its output is counted.
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const place = await redisPlace(server.port)
  const huge = Buffer.alloc(2 * 1024 * 1024, 'x')
  await place.client.hset('p:hash', { a: huge, b: huge })
  await place.client.lpush('p:list', huge)
  await place.client.set('p:lock', '0123456789abcdef0123456789abcdef', 'EX', 60)
  const before = Number(/total_net_output_bytes:(\d+)/.exec(await place.client.info('stats'))?.[1])
  const { locks, unrecognised } = await place.list('?match=p:*')
  const after = Number(/total_net_output_bytes:(\d+)/.exec(await place.client.info('stats'))?.[1])
  expect(locks.map(lock => lock.key)).toEqual(['p:lock'])
  expect(unrecognised.map(each => each.reason).sort()).toEqual([
    'a hash of 2 elements, which is too large to be a lock',
    'a list that no format recognises',
  ])
  expect(after - before).toBeLessThan(1024 * 1024)
})

it('reports a server that is not Redis', async () => {
  const web = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(web, 'listening')
  onTestFinished(() => void web.close())
  const { code, message } = await failure(`redis://127.0.0.1:${(web.address() as { port: number }).port}/0`)
  expect({ code, message }).toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('does not speak'),
  })
})

it('stays closed', async () => {
  const place = await redisPlace()
  const store = await place.open()
  await store.clock(never)
  await store.close()
  await expect(store.clock(never)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: 'This store is closed',
  })
})

it('hides a password that the server repeats', async () => {
  const server = await startRedis({ args: ['--rename-command', 'AUTH', ''] })
  onTestFinished(() => server.stop('SIGKILL'))
  for (const password of ['s3cr3t-word'.repeat(20), 'pa\\nss-word', 'páss\u200bword']) {
    const { message } = await failure(`redis://:${encodeURIComponent(password)}@127.0.0.1:${server.port}/0`)
    expect(message).not.toMatch(/s3cr3t|ss-word|páss/)
  }
})

it.each([
  ['a newline', 'p:a\nb'],
  ['an escape sequence', 'p:\x1b[2J\x1b]0;owned\x07'],
  ['right-to-left marks', 'p:\u202egnp.exe\u2066'],
  ['markup', 'p:<img src=x onerror=alert(1)>'],
  ['glob characters', 'p:[*]?\\'],
  ['braces', 'p:{a}{b}'],
])('lists, inspects and releases a key with %s', async (_, key) => {
  const place = await redisPlace()
  await place.client.set(key, '0123456789abcdef0123456789abcdef', 'EX', 60)
  const [lock] = (await place.list('?match=p:*')).locks
  expect(lock?.key).toBe(key)
  expect(escapeForTerminal(lock?.key ?? '')).toMatch(/^[\x20-\x7e]*$/)
  expect(await release(place, lock as never, '?match=p:*')).toMatchObject({ outcome: 'released' })
})

it('lists and releases keys that are not text', async () => {
  const place = await redisPlace()
  const key = Buffer.from('p:\xff\x00\x80', 'latin1')
  await place.client.set(key, '0123456789abcdef0123456789abcdef', 'EX', 60)
  await place.client.set('p:hex:00', '0123456789abcdef0123456789abcdef', 'EX', 60)
  const { locks } = await place.list('?match=p:*')
  expect(locks.map(lock => lock.key).sort()).toEqual(['hex:703aff0080', 'p:hex:00'])
  for (const lock of locks)
    expect(await release(place, lock, '?match=p:*')).toMatchObject({ outcome: 'released' })
  expect(await place.client.dbsize()).toBe(0)
})

it('lists nothing when nothing matches', async () => {
  const place = await redisPlace()
  await place.client.set('a', '1')
  expect(await place.list('?match=zzz:*')).toMatchObject({ locks: [], unrecognised: [], problems: [] })
})

it('scans 100,000 keys without a lock, counts all of them, and reports none', async () => {
  const place = await redisPlace()
  await place.client.eval("for i = 1, 100000 do redis.call('SET', 'session:' .. i, 'v') end", 0)
  expect(await place.list()).toMatchObject({ locks: [], unrecognised: [], scanned: 100_000 })
})

it('lists what an account limited to a prefix may read, and reports the rest as a problem', async () => {
  const place = await redisPlace()
  const user = `narrow-${place.client.options.db}`
  await place.client.call('ACL', ['SETUSER', user, 'on', '>pw', '~pipeline_lock:*', '+@all'])
  await place.client.set('pipeline_lock:a:b', 'run-1')
  await place.client.set('private', 'value')
  const store = await openStore(place.address.replace('//', `//${user}:pw@`), undefined)
  const { locks, unrecognised, problems } = await listAll(store)
  await store.close()
  expect(locks.map(lock => lock.key)).toEqual(['pipeline_lock:a:b'])
  expect(unrecognised).toEqual([{ key: 'private', reason: 'this account may not read it' }])
  expect(problems).toEqual([])
})

describe('a listing is not complete for an account that may not read', () => {
  async function problemsFor(place: Place, query: string, ...rules: string[]) {
    const user = `blind-${place.client.options.db}`
    await place.client.call('ACL', ['SETUSER', user, 'reset', 'on', '>pw', '+@all', ...rules])
    const store = await openStore(`${place.address.replace('//', `//${user}:pw@`)}${query}`, undefined)
    onTestFinished(() => store.close())
    return (await listAll(store)).problems
  }

  it('some of the keys under a pattern for locks', async () => {
    const place = await redisPlace()
    await place.client.mset('locks:mine:a', 'run-1', 'locks:theirs:b', 'run-2', 'session:42', 'v')
    expect(await problemsFor(place, '?match=locks:*', '~locks:mine:*')).toEqual([
      {
        where: 'locks:*',
        code: 'STORE_DENIED',
        message: 'This account may not read 1 of the 2 keys found',
      },
    ])
  })

  it('anything at all', async () => {
    const place = await redisPlace()
    await place.client.mset('pipeline_lock:a:b', 'run-1', 'pipeline_lock:a:c', 'run-2')
    expect(await problemsFor(place, '', '~*', '-type')).toEqual([
      {
        where: 'all keys',
        code: 'STORE_DENIED',
        message: 'This account may not read any of the keys found (2)',
      },
    ])
  })
})

it('refuses to release on a read-only replica', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  onTestFinished(async () => {
    await replica.stop('SIGKILL')
    await primary.stop('SIGKILL')
  })
  const client = new Redis({ port: primary.port })
  await client.set('pipeline_lock:a:b', 'run-1')
  await client.wait(1, 10_000)
  const store = await openStore(`redis://127.0.0.1:${replica.port}/0`, undefined)
  await expect.poll(async () => (await listAll(store)).locks.length).toBe(1)
  const [lock] = (await listAll(store)).locks
  await expect(releaseLock(store, lock?.id ?? '', lock?.fence ?? '', never)).rejects.toMatchObject({
    code: 'STORE_DENIED',
    message: expect.stringContaining('replica'),
  })
  expect(await client.exists('pipeline_lock:a:b')).toBe(1)
  await store.close()
  client.disconnect()
})

it('reports an unknown outcome when the server dies after the release was sent', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  client.on('error', () => {})
  await client.set('pipeline_lock:a:b', 'run-1')
  const store = await openStore(`redis://127.0.0.1:${server.port}/0`, undefined)
  const { fence } = (await store.inspect('pipeline_lock:a:b', never))?.lock ?? { fence: '' }
  // A paused server has read the command from nobody; killed, it answers nobody.
  await client.client('PAUSE', 60_000, 'WRITE')
  const releasing = releaseLock(store, 'pipeline_lock:a:b', fence, never).catch(error => error)
  await new Promise(resolve => setTimeout(resolve, 500))
  await server.stop('SIGKILL')
  expect(await releasing).toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('may or may not'),
    uncertain: true,
  })
  await store.close()
  client.disconnect()
})
