import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import RealRedlock from 'redlock'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { Provider } from '../../../../electron/core/locks/provider.ts'
import { createRedlockProvider } from '../../../../electron/core/locks/redis/redlock.ts'
import { createLockManager } from '../../../../electron/hosts/library/create.ts'
import { type RedisServer, startRedis } from '../../../servers/redis.ts'
import { losingProxy } from './losing-proxy.ts'
import { never, OPEN, proofOf, redisAddress, request, take } from './place.ts'

let servers: RedisServer[] = []
let clients: Redis[] = []
let names = 0

const start = async () => {
  servers = await Promise.all([startRedis(), startRedis(), startRedis()])
  clients = servers.map(({ port }) => new Redis({ port }))
}
const stop = async () => {
  for (const client of clients) client.disconnect()
  await Promise.all(servers.map(server => server.stop('SIGKILL')))
}
beforeAll(start)
afterAll(stop)

const addresses = (ports = servers.map(({ port }) => port)) =>
  ports.map(port => redisAddress(`redis://127.0.0.1:${port}`))

async function redlock(format = 'recharge-json', ports?: number[]): Promise<Provider> {
  const provider = createRedlockProvider(addresses(ports), { ...OPEN, format })
  onTestFinished(() => provider.close())
  return provider
}

const freshName = () => `acme:job-${names++}`
const onEach = (key: string) => Promise.all(clients.map(client => client.exists(key)))
const signals = (place: number, signal: NodeJS.Signals) => process.kill(servers[place]?.pid ?? 0, signal)

it.each(['recharge-json', 'pubsub-token', 'pipeline-run', 'flask-cache', 'token'])(
  'has a %s lock on all servers, with the same mark, and lets go of it on all',
  async format => {
    const [ours, theirs] = [await redlock(format), await redlock(format)]
    const name = freshName()
    const key = ours.keyOf(name)
    const owner = request('run-1', 30_000)
    const taken = await take(ours, name, owner)
    expect(taken).toMatchObject({ fencing: null })
    expect(taken.expiresAt - taken.acquiredAt).toBe(30_000)
    await expect.poll(() => onEach(key)).toEqual([1, 1, 1])
    const values = await Promise.all(clients.map(client => client.get(key)))
    if (format === 'recharge-json')
      expect(new Set(values.map(value => JSON.parse(value ?? '').mark))).toEqual(new Set([taken.mark]))
    // Each keeps it for longer than we count on it.
    for (const client of clients) expect(await client.pttl(key)).toBeGreaterThan(30_000 - 5000)

    const held = await theirs.take(name, request('run-2'), never)
    expect(held).toMatchObject({ is: 'held', holder: { owner: 'run-1' } })
    expect(held.is === 'held' && held.leftMs).toBeGreaterThan(1000)
    expect(await theirs.read(name, never)).toMatchObject({ owner: 'run-1' })
    expect(await theirs.release(name, { owner: 'run-2', mark: null }, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'run-1' },
    })
    expect((await ours.extend(name, proofOf(owner, taken), 90_000, never)).is).toBe('extended')
    for (const client of clients) await expect.poll(() => client.pttl(key)).toBeGreaterThan(80_000)
    expect(await ours.release(name, proofOf(owner, taken), never)).toEqual({ is: 'released' })
    await expect.poll(() => onEach(key)).toEqual([0, 0, 0])
    expect(await ours.read(name, never)).toBeNull()
    expect((await ours.extend(name, proofOf(owner, taken), 1000, never)).is).toBe('lost')
  },
)

it('keeps its owner’s other lock when a request is refused', async () => {
  const provider = await redlock('token')
  const name = freshName()
  await take(provider, name, request('me'))
  await expect.poll(() => onEach(name)).toEqual([1, 1, 1])
  expect(await provider.take(name, request('me'), never)).toMatchObject({
    is: 'held',
    holder: { owner: 'me' },
  })
  await provider.close()
  expect(await onEach(name)).toEqual([1, 1, 1])
})

it('acquires a lock that another owner has on a minority of servers', async () => {
  const provider = await redlock('token')
  const name = freshName()
  await clients[1]?.set(name, 'orphan', 'PX', 30_000)
  expect(await provider.read(name, never)).toBeNull()
  const taken = await take(provider, name, request('me'))
  expect((await provider.extend(name, proofOf({ owner: 'me' }, taken), 30_000, never)).is).toBe('extended')
  expect((await provider.release(name, proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await expect.poll(() => onEach(name)).toEqual([0, 1, 0])
})

it('releases everything after a split vote, and says when to retry', async () => {
  const provider = await redlock('token')
  const name = freshName()
  await clients[0]?.set(name, 'one', 'PX', 30_000)
  await clients[1]?.set(name, 'two', 'PX', 30_000)
  const waits = new Set<number | null>()
  for (let i = 0; i < 3; i++) {
    const held = await provider.take(name, request('me'), never)
    expect(held).toMatchObject({ is: 'held', holder: { owner: null } })
    if (held.is === 'held') waits.add(held.leftMs)
    await expect.poll(() => onEach(name)).toEqual([1, 1, 0])
  }
  expect(waits.size).toBeGreaterThan(1)
  for (const wait of waits) expect(wait).toBeLessThan(200)
})

it('loses a lock that a majority has lost', async () => {
  const provider = await redlock()
  const name = freshName()
  const taken = await take(provider, name, request('me'))
  const key = provider.keyOf(name)
  await expect.poll(() => onEach(key)).toEqual([1, 1, 1])
  await clients[0]?.del(key)
  expect((await provider.extend(name, proofOf({ owner: 'me' }, taken), 30_000, never)).is).toBe('extended')
  await clients[1]?.del(key)
  expect(await provider.extend(name, proofOf({ owner: 'me' }, taken), 30_000, never)).toEqual({
    is: 'lost',
    holder: null,
  })
  expect(await provider.release(name, proofOf({ owner: 'me' }, taken), never)).toEqual({
    is: 'lost',
    holder: null,
  })
})

it('never grants the lock to two at once, however many try', async () => {
  const providers = await Promise.all(Array.from({ length: 4 }, () => redlock('pubsub-token')))
  const name = freshName()
  let inside = 0
  let done = 0
  const work = async (provider: Provider) => {
    for (let mine = 0; mine < 10; ) {
      const wanted = request()
      const taken = await provider.take(name, wanted, never)
      if (taken.is === 'held') {
        await new Promise(resolve => setTimeout(resolve, Math.random() * 20))
        continue
      }
      expect(++inside).toBe(1)
      await new Promise(resolve => setImmediate(resolve))
      inside--
      mine++
      done++
      expect((await provider.release(name, proofOf(wanted, taken), never)).is).toBe('released')
    }
  }
  await Promise.all(providers.map(work))
  expect(done).toBe(40)
})

it('is shared with the redlock package', async () => {
  const provider = await redlock('token')
  const theirs = new RealRedlock(clients as never, { retryCount: 0 })
  theirs.on('error', () => {})
  const name = freshName()
  const lock = await theirs.acquire([name], 30_000)
  expect(await provider.take(name, request('me'), never)).toMatchObject({
    is: 'held',
    holder: { owner: lock.value },
  })
  await lock.release()
  const taken = await take(provider, name, request('me'))
  await expect(theirs.acquire([name], 30_000)).rejects.toThrow()
  expect((await provider.release(name, proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await expect.poll(() => onEach(name)).toEqual([0, 0, 0])
  await (await theirs.acquire([name], 30_000)).release()
})

it('notifies listeners of a release', async () => {
  const [ours, theirs] = [await redlock(), await redlock()]
  const name = freshName()
  let calls = 0
  const taken = await take(ours, name, request('me'))
  const stopListening = await theirs.listen?.(name, () => calls++, never)
  await ours.release(name, proofOf({ owner: 'me' }, taken), never)
  await expect.poll(() => calls).toBeGreaterThanOrEqual(2)
  stopListening?.()
  for (const client of clients) await expect.poll(() => client.call('PUBSUB', ['CHANNELS'])).toEqual([])
})

it('keeps working while one server hangs, and leaves no lock on it when it resumes', async () => {
  const provider = await redlock()
  await take(provider, freshName())
  const [kept, dropped] = [freshName(), freshName()]
  signals(2, 'SIGSTOP')
  const taken = await take(provider, kept, request('me'))
  const gone = await take(provider, dropped, request('me'))
  expect((await provider.extend(kept, proofOf({ owner: 'me' }, taken), 30_000, never)).is).toBe('extended')
  expect((await provider.read(kept, never))?.owner).toBe('me')
  expect((await provider.release(dropped, proofOf({ owner: 'me' }, gone), never)).is).toBe('released')
  // A refused one is given back there too.
  expect((await provider.take(kept, request('other'), never)).is).toBe('held')
  signals(2, 'SIGCONT')
  await expect.poll(() => clients[2]?.exists(provider.keyOf(dropped))).toBe(0)
  const onThird = async () => JSON.parse((await clients[2]?.get(provider.keyOf(kept))) ?? '{}').lockId
  await expect.poll(onThird).toBe('me')
})

it('leaves no lock on a server that hangs past every time limit', async () => {
  const provider = await redlock()
  await take(provider, freshName())
  const [released, next] = [freshName(), freshName()]
  signals(2, 'SIGSTOP')
  const taken = await take(provider, released, request('me'))
  expect((await provider.release(released, proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await sleep(1000)
  await take(provider, next)
  signals(2, 'SIGCONT')
  // What was sent before has been done there by then.
  await expect.poll(() => onEach(provider.keyOf(next))).toEqual([1, 1, 1])
  await expect.poll(() => onEach(provider.keyOf(released))).toEqual([0, 0, 0])
})

it('leaves nothing on a minority that renewed a lock the others have lost', async () => {
  const provider = await redlock()
  const name = freshName()
  const key = provider.keyOf(name)
  const taken = await take(provider, name, request('me'))
  await expect.poll(() => onEach(key)).toEqual([1, 1, 1])
  for (const client of clients.slice(0, 2)) await client.del(key)
  expect((await provider.extend(name, proofOf({ owner: 'me' }, taken), 60_000, never)).is).toBe('lost')
  await expect.poll(() => onEach(key)).toEqual([0, 0, 0])
})

it('releases what may have been granted, but never another lock of an owner that may not be unique', async () => {
  const proxies = await Promise.all(servers.map(({ port }) => losingProxy(port)))
  const provider = await redlock(
    'token',
    proxies.map(({ port }) => port),
  )
  const [named, unique, free] = [freshName(), freshName(), freshName()]
  const uuid = randomUUID()
  for (const [name, owner] of [
    [named, 'worker-7'],
    [unique, uuid],
  ] as const) {
    await take(provider, name, request(owner))
    await expect.poll(() => onEach(name)).toEqual([1, 1, 1])
  }
  await clients[0]?.del(named)
  for (const proxy of proxies.slice(1)) proxy.armed = true
  // All on one connection to each server, and lost with it.
  const answers = await Promise.allSettled([
    provider.take(named, request('worker-7'), never),
    provider.take(unique, request(uuid), never),
    provider.take(free, request(), never),
  ])
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'STORE_UNREACHABLE' } })
  await expect.poll(() => onEach(free)).toEqual([0, 0, 0])
  await provider.close()
  expect(await onEach(named)).toEqual([0, 1, 1])
  expect(await onEach(unique)).toEqual([1, 1, 1])
})

it('reports an uncertain acquisition when the answers of a majority are lost', async () => {
  const proxies = await Promise.all(servers.map(({ port }) => losingProxy(port)))
  const provider = await redlock(
    'recharge-json',
    proxies.map(({ port }) => port),
  )
  const name = freshName()
  await take(provider, name)
  await expect.poll(() => onEach(provider.keyOf(name))).toEqual([1, 1, 1])
  for (const proxy of proxies) proxy.armed = true
  await expect(provider.take(freshName(), request(), never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('None of 3 Redis servers answered'),
    uncertain: true,
  })
})

it('releases a lock granted by a majority whose answers were lost, later if need be', async () => {
  const proxies = await Promise.all(servers.map(({ port }) => losingProxy(port)))
  const manager = createLockManager(proxies.map(({ port }) => `redis://127.0.0.1:${port}`))
  onTestFinished(() => manager.close())
  await manager.withLock('warm', () => {})
  await expect.poll(() => onEach('lockRecharge:warm')).toEqual([0, 0, 0])
  const name = freshName()
  const key = `lockRecharge:${name}`
  const ups = proxies.map(proxy => proxy.staysDown())
  for (const proxy of proxies) proxy.armed = true
  await expect(manager.acquire(name, { ttl: '1h' })).rejects.toMatchObject({ uncertain: true })
  await expect(manager.holderOf(name)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  expect(await onEach(key)).toEqual([1, 1, 1])
  for (const up of ups) await up()
  await expect.poll(() => onEach(key)).toEqual([0, 0, 0])
})

it('throws a lost answer for a waiting named owner instead of reporting its own lock as held', async () => {
  const proxies = await Promise.all(servers.map(({ port }) => losingProxy(port)))
  const manager = createLockManager(
    proxies.map(({ port }) => `redis://127.0.0.1:${port}`),
    { format: 'pipeline-run' },
  )
  onTestFinished(() => manager.close())
  await manager.withLock('acme:warm', () => {})
  await expect.poll(() => onEach('pipeline_lock:acme:warm')).toEqual([0, 0, 0])
  for (const proxy of proxies) proxy.armed = true
  await expect(manager.acquire(freshName(), { owner: 'run-1', wait: '1m' })).rejects.toMatchObject({
    uncertain: true,
  })
})

it('repeats a split vote, so that a free lock is acquired', async () => {
  const provider = await redlock('token')
  await provider.setup(never)
  const name = freshName()
  await clients[0]?.set(name, 'one', 'PX', 20)
  await clients[1]?.set(name, 'two', 'PX', 20)
  expect((await provider.take(name, request('me'), never)).is).toBe('taken')
})

it('fails closed when two of three are dead, and leaves nothing on the third', async () => {
  const own = await Promise.all([startRedis(), startRedis(), startRedis()])
  const [first, ...others] = own
  const client = new Redis({ port: first?.port ?? 0 })
  onTestFinished(async () => {
    client.disconnect()
    await Promise.all(own.map(server => server.stop('SIGKILL')))
  })
  const provider = await redlock(
    'token',
    own.map(({ port }) => port),
  )
  const taken = await take(provider, 'before', request('me'))
  await others[0]?.stop('SIGKILL')
  const still = await take(provider, 'one-dead', request('me'))
  // Those who are left name the holder.
  expect(await provider.take('one-dead', request(), never)).toMatchObject({
    is: 'held',
    holder: { owner: 'me' },
  })
  expect((await provider.release('one-dead', proofOf({ owner: 'me' }, still), never)).is).toBe('released')
  // One of two says no, and nobody knows what the third would say.
  await take(provider, 'doubt', request('me'))
  await client.del('doubt')
  const doubt = { owner: 'me', mark: null }
  await expect(provider.extend('doubt', doubt, 1000, never)).rejects.toMatchObject({ uncertain: true })
  await expect(provider.release('doubt', doubt, never)).rejects.toMatchObject({ uncertain: true })
  await others[1]?.stop('SIGKILL')
  const failure = {
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('Only 1 of 3 Redis servers answered'),
  }
  await expect(provider.take('job', request(), never)).rejects.toMatchObject(failure)
  await expect.poll(() => client.exists('job')).toBe(0)
  await expect(provider.read('before', never)).rejects.toMatchObject(failure)
  const proof = proofOf({ owner: 'me' }, taken)
  await expect(provider.extend('before', proof, 1000, never)).rejects.toMatchObject({
    ...failure,
    uncertain: true,
  })
  await expect(provider.release('before', proof, never)).rejects.toMatchObject({
    ...failure,
    uncertain: true,
  })
  await expect(provider.listen?.('job', () => {}, never)).rejects.toMatchObject(failure)
  await expect(provider.setup(never)).rejects.toMatchObject(failure)
})

it('refuses servers that cannot form a majority, and invalid input', async () => {
  const bad = expect.objectContaining({ code: 'BAD_INPUT' })
  const [a, b, c] = addresses([1, 2, 3])
  const make =
    (...some: (typeof a)[]) =>
    () =>
      createRedlockProvider(some as never, OPEN)
  expect(make(a, b)).toThrow(bad)
  expect(make(a, b, a)).toThrow(bad)
  expect(make(a, b, { ...c, format: 'token' } as never)).toThrow(bad)
  expect(() => createRedlockProvider([a, b, c] as never, { ...OPEN, fencing: true })).toThrow(bad)
  const provider = await redlock()
  await expect(provider.take('', request(), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await expect(provider.take('job', request(''), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  await expect(provider.take('job', request(), AbortSignal.abort())).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect(await onEach(provider.keyOf('job'))).toEqual([0, 0, 0])
})
