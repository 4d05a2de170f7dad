import { inspect } from 'node:util'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startRedis } from '../../../servers/redis.ts'
import { account, lockPlace, never, openProvider, proofOf, request, take } from './place.ts'

const FORMATS: [format: string, name: string, key: string, defaultTtlMs: number][] = [
  ['recharge-json', 'GPS_PROCESS', 'lockRecharge:GPS_PROCESS', 3_600_000],
  ['pubsub-token', 'auction:123', 'lock:auction:123', 30_000],
  ['pipeline-run', 'acme:billing', 'pipeline_lock:acme:billing', 3_600_000],
  ['flask-cache', 'stats', 'cache::stats', 86_400_000],
  ['token', 'orders', 'orders', 30_000],
]

it.each(FORMATS)(
  'acquires, extends, reads and releases %s locks, always with an expiry',
  async (format, name, key, ttl) => {
    const place = await lockPlace()
    const provider = place.provider(format)
    expect(provider).toMatchObject({ kind: 'redis', format, defaultTtlMs: ttl })
    expect([provider.keyOf(name), provider.nameOf(key)]).toEqual([key, name])
    const owner = request('run-1', 5000)
    const taken = await take(provider, name, owner)
    expect(taken.expiresAt - taken.acquiredAt).toBe(5000)
    expect(await place.client.pttl(key)).toBeGreaterThan(0)
    expect(await provider.read(name, never)).toMatchObject({ owner: 'run-1', expiresAt: expect.any(Number) })

    const held = await provider.take(name, request('run-2'), never)
    expect(held).toMatchObject({ is: 'held', holder: { owner: 'run-1' } })
    expect(held.is === 'held' && held.leftMs).toBeLessThanOrEqual(5000)
    // Another one of the same owner is another one.
    expect((await provider.take(name, owner, never)).is).toBe('held')
    const other = { owner: 'run-2', mark: null }
    expect(await provider.extend(name, other, 60_000, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'run-1' },
    })
    expect(await provider.release(name, other, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'run-1' },
    })

    const extended = await provider.extend(name, proofOf(owner, taken), 60_000, never)
    expect(extended.is === 'extended' && extended.expiresAt).toBeGreaterThan(taken.expiresAt + 50_000)
    expect(await place.client.pttl(key)).toBeGreaterThan(50_000)
    expect(await provider.release(name, proofOf(owner, taken), never)).toEqual({ is: 'released' })
    expect(await place.client.exists(key)).toBe(0)
    expect(await provider.read(name, never)).toBeNull()
    expect(await provider.release(name, proofOf(owner, taken), never)).toEqual({ is: 'lost', holder: null })
  },
)

it.each(FORMATS)('never extends an expired %s lock', async (format, name, key) => {
  const place = await lockPlace()
  const provider = place.provider(format)
  const owner = request('run-1', 1)
  const taken = await take(provider, name, owner)
  await expect.poll(() => place.client.exists(key)).toBe(0)
  expect(await provider.extend(name, proofOf(owner, taken), 60_000, never)).toEqual({
    is: 'lost',
    holder: null,
  })
  expect(await place.client.exists(key)).toBe(0)
})

it('distinguishes acquisitions of one owner where the format has room for a mark', async () => {
  const place = await lockPlace()
  for (const fencing of [true, false]) {
    const provider = place.provider('recharge-json', { fencing })
    const first = await take(provider, 'job', request('me'))
    await place.client.del('lockRecharge:job')
    const second = await take(provider, 'job', request('me'))
    expect(second.mark).not.toBe(first.mark)
    expect(second.fencing === null).toBe(!fencing)
    expect((await provider.release('job', proofOf({ owner: 'me' }, first), never)).is).toBe('lost')
    expect((await provider.extend('job', proofOf({ owner: 'me' }, first), 1000, never)).is).toBe('lost')
    // Without a mark the owner alone counts.
    expect((await provider.extend('job', { owner: 'me', mark: null }, 1000, never)).is).toBe('extended')
    expect((await provider.release('job', proofOf({ owner: 'me' }, second), never)).is).toBe('released')
  }
})

it('writes JSON that older programs read, and changes only the expiry when it extends', async () => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  const metadata = { host: 'web-1 "x" \\ é', expiresAt: 7, attempt: 3, dry: false, none: null }
  const owner = 'GPS "expiresAt":1 \\u0000\u0000 ü'
  const taken = await take(provider, 'job', { owner, ttlMs: 10_000, metadata })
  const value = () => place.client.get('lockRecharge:job').then(text => JSON.parse(text ?? ''))
  const before = await value()
  expect(before).toEqual({
    lockId: owner,
    pid: process.pid,
    timestamp: taken.acquiredAt,
    expiresAt: taken.expiresAt,
    fencing: taken.fencing,
    metadata,
  })
  const extended = await provider.extend('job', proofOf({ owner }, taken), 90_000, never)
  expect(await value()).toEqual({ ...before, expiresAt: extended.is === 'extended' && extended.expiresAt })
  expect((await provider.release('job', proofOf({ owner }, taken), never)).is).toBe('released')
})

it.each(FORMATS)('extends a %s lock and its written expiry on a full server', async (format, name, key) => {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  onTestFinished(async () => {
    client.disconnect()
    await server.stop('SIGKILL')
  })
  const provider = openProvider(`redis://127.0.0.1:${server.port}`, { format })
  const owner = request('run-1', 60_000)
  const taken = await take(provider, name, owner)
  await client.config('SET', 'maxmemory-policy', 'noeviction')
  await client.config('SET', 'maxmemory', '1')
  await expect(provider.take(`${name}-2`, request(), never)).rejects.toMatchObject({ code: 'STORE_ERROR' })
  const extended = await provider.extend(name, proofOf(owner, taken), 600_000, never)
  expect(extended.is).toBe('extended')
  expect(await client.pttl(key)).toBeGreaterThan(60_000)
  if (format === 'recharge-json')
    expect(JSON.parse((await client.get(key)) ?? '')).toMatchObject({
      lockId: 'run-1',
      expiresAt: extended.is === 'extended' && extended.expiresAt,
    })
  expect((await provider.release(name, proofOf(owner, taken), never)).is).toBe('released')
})

it('extends an older program’s record of the same owner and changes nothing else', async () => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  const text = (end: number) =>
    `{ "extra": {"expiresAt": 5, "list": []}, "big": 12345678901234567890, "expiresAt" : ${end}, "lockId": "old" }`
  await place.client.set('lockRecharge:job', text(Date.now() + 5000), 'EX', 5)
  const extended = await provider.extend('job', { owner: 'old', mark: null }, 60_000, never)
  expect(extended.is).toBe('extended')
  expect(await place.client.get('lockRecharge:job')).toBe(
    text(extended.is === 'extended' ? extended.expiresAt : 0),
  )
})

it('takes over a JSON lock only if it has expired by the server’s clock and has no TTL', async () => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  const old = (over: object) => JSON.stringify({ lockId: 'old', pid: 1, timestamp: 1.7e12, ...over })
  const past = Date.now() - 60_000
  const key = 'lockRecharge:job'
  // Its writer's clock is wrong: Redis itself will end it.
  await place.client.set(key, old({ expiresAt: past }), 'EX', 60)
  expect(await provider.take('job', request(), never)).toMatchObject({
    is: 'held',
    holder: { owner: 'old', label: 'pid 1' },
  })
  expect((await provider.read('job', never))?.owner).toBe('old')
  for (const expiresAt of [Date.now() + 60_000, Math.round(past / 1000), 0, -1, 'x', null]) {
    await place.client.set(key, old({ expiresAt }))
    expect((await provider.take('job', request(), never)).is).toBe('held')
  }
  await place.client.set(key, old({ expiresAt: past }))
  expect(await provider.read('job', never)).toBeNull()
  expect(await provider.extend('job', { owner: 'old', mark: null }, 1000, never)).toEqual({
    is: 'lost',
    holder: null,
  })
  await take(provider, 'job', request('new'))
  expect(await place.client.pttl(key)).toBeGreaterThan(0)
})

it.each<[string, string]>([
  ['text', 'hello'],
  ['an empty string', ''],
  ['a number', '12'],
  ['a list', '[{"lockId":"a"}]'],
  ['half an object', '{"lockId":"a"'],
  ['an object without lockId', '{"expiresAt":1}'],
  ['a lockId that is no text', '{"lockId":5,"expiresAt":1500000000000}'],
  ['an end that is no number', '{"lockId":"a","expiresAt":NaN}'],
  ['an end beyond all numbers', '{"lockId":"a","expiresAt":1e400}'],
  ['an end before all numbers', '{"lockId":"a","expiresAt":-1e400}'],
  ['a nest too deep', `{"lockId":"a","expiresAt":1500000000000,"x":${'['.repeat(2000)}${']'.repeat(2000)}}`],
  ['a huge object', `{"lockId":"a","expiresAt":1500000000000,"x":"${'x'.repeat(100_000)}"}`],
  ['half a character', '{"lockId":"\\ud800","expiresAt":1500000000000}'],
])('leaves %s under the key of a JSON lock alone', async (_, value) => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  await place.client.set('lockRecharge:job', value)
  expect((await provider.take('job', request(), never)).is).toBe('held')
  for (const owner of ['a', 'b']) {
    const proof = { owner, mark: '1' }
    expect((await provider.extend('job', proof, 1000, never)).is).toBe('lost')
    expect((await provider.release('job', proof, never)).is).toBe('lost')
  }
  expect(await provider.read('job', never)).not.toBeNull()
  expect(await place.client.get('lockRecharge:job')).toBe(value)
})

it.each(FORMATS)('leaves another type under the key of a %s lock alone', async (format, name, key) => {
  const place = await lockPlace()
  const provider = place.provider(format)
  await place.client.rpush(key, 'a')
  const nobody = { owner: null, label: null, acquiredAt: null, expiresAt: null }
  expect(await provider.take(name, request(), never)).toEqual({ is: 'held', holder: nobody, leftMs: null })
  expect(await provider.release(name, { owner: 'a', mark: null }, never)).toEqual({
    is: 'lost',
    holder: nobody,
  })
  expect((await provider.extend(name, { owner: 'a', mark: null }, 1000, never)).is).toBe('lost')
  expect(await place.client.lrange(key, 0, -1)).toEqual(['a'])
})

it.each<[string, (name: string) => [format: string, name: string]]>([
  ['an empty name', () => ['token', '']],
  ['half a surrogate pair', () => ['token', 'a\ud800']],
  ['the counter of fencing numbers', () => ['token', 'lockkeeper:fencing']],
  ['a pipeline without a tenant', () => ['pipeline-run', 'billing']],
  ['a pipeline with an empty tenant', () => ['pipeline-run', ':billing']],
])('refuses %s', async (_, make) => {
  const place = await lockPlace()
  const [format, name] = make('')
  const provider = place.provider(format)
  expect(() => provider.keyOf(name)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  await expect(provider.take(name, request(), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
})

it('refuses owners, leases and metadata that could not be read back', async () => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  const bad = { code: 'BAD_INPUT' }
  for (const owner of ['', 'a\udc00', 'x'.repeat(70_000)])
    await expect(provider.take('job', request(owner), never)).rejects.toMatchObject(bad)
  for (const ttl of [0, -1, 1.5, Number.NaN])
    await expect(provider.take('job', request('a', ttl), never)).rejects.toMatchObject(bad)
  for (const metadata of [{ a: '\ud800' }, { '\udfff': 1 }, { a: 'x'.repeat(70_000) }])
    await expect(provider.take('job', { ...request(), metadata }, never)).rejects.toMatchObject(bad)
  expect(() => place.provider('redisson')).toThrow(expect.objectContaining(bad))
  expect(await place.client.exists('lockRecharge:job')).toBe(0)
})

it('finds the name of every key of its format, and of no other', async () => {
  const place = await lockPlace()
  const names = (format: string, keys: string[]) => keys.map(key => place.provider(format).nameOf(key))
  expect(names('recharge-json', ['lockRecharge:a:b', 'lockRecharge:', 'lock:a'])).toEqual(['a:b', null, null])
  expect(names('pipeline-run', ['pipeline_lock:a:b:c', 'pipeline_lock:a'])).toEqual(['a:b:c', null])
  const flask = ['cache::a', 'flask_cache_a', 'cache::flask_cache_a', 'a']
  expect(names('flask-cache', flask)).toEqual(['a', 'flask_cache_a', null, null])
  expect(names('token', ['a', 'lockkeeper:fencing', 'hex:ff', 'hex:6865783a31'])).toEqual([
    'a',
    null,
    null,
    'hex:1',
  ])
  expect(place.provider('token').keyOf('hex:1')).toBe('hex:6865783a31')
  expect(place.provider('flask-cache').keyOf('flask_cache_a')).toBe('flask_cache_a')
})

it('does not use the local clock', async () => {
  const place = await lockPlace()
  const provider = place.provider('recharge-json')
  const [seconds] = (await place.client.time()) as unknown as [string, string]
  for (const wrongMs of [-3_600_000, 3_600_000]) {
    vi.spyOn(Date, 'now').mockReturnValue(Number(seconds) * 1000 + wrongMs)
    const taken = await take(provider, 'job', request('me', 30_000))
    expect(Math.abs(taken.acquiredAt - Number(seconds) * 1000)).toBeLessThan(60_000)
    expect((await provider.take('job', request(), never)).is).toBe('held')
    expect((await provider.extend('job', proofOf({ owner: 'me' }, taken), 30_000, never)).is).toBe('extended')
    expect((await provider.read('job', never))?.owner).toBe('me')
    expect((await provider.release('job', proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
    vi.restoreAllMocks()
  }
})

it('releases for an account that may not publish', async () => {
  const place = await lockPlace()
  const who = await account('~*', 'resetchannels', '+@all')
  const provider = openProvider(place.address.replace('//', `//${who}@`), { format: 'pubsub-token' })
  const taken = await take(provider, 'job', request('me'))
  expect(await provider.release('job', proofOf({ owner: 'me' }, taken), never)).toEqual({ is: 'released' })
  expect(await place.client.exists('lock:job')).toBe(0)
  await expect(provider.listen?.('job', () => {}, never)).rejects.toMatchObject({ code: 'STORE_DENIED' })
})

it('reports the missing permission, and that nothing was changed', async () => {
  const place = await lockPlace()
  const who = await account('~*', '+@read', '+@connection', '+@scripting', '+time')
  const provider = openProvider(place.address.replace('//', `//${who}@`), { format: 'token' })
  await expect(provider.take('job', request(), never)).rejects.toMatchObject({
    code: 'STORE_DENIED',
    uncertain: false,
  })
  expect(await place.client.exists('job')).toBe(0)
})

it('puts neither a password nor the token of a lock into an error', async () => {
  const place = await lockPlace()
  const who = await account('~*', '+@read', '+@connection', '+@scripting', '+time')
  const logged = (address: string) =>
    openProvider(place.address.replace('//', `//${address}@`), { format: 'token' })
      .take('job', request('the-token'), never)
      .catch((error: unknown) => inspect(error, { depth: null }))
  const wrong = await logged('nobody:the-password')
  expect(wrong).toContain('Redis refused the user name or password')
  expect(wrong).not.toContain('the-password')
  const denied = await logged(who)
  expect(denied).toContain('does not permit')
  expect(denied).not.toContain('the-token')
})

it('does nothing after it was closed', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  await provider.close()
  await expect(provider.take('job', request(), never)).rejects.toMatchObject({ code: 'STORE_ERROR' })
  await expect(provider.listen?.('job', () => {}, never)).rejects.toMatchObject({ code: 'STORE_ERROR' })
})
