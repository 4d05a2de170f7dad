import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { Cluster, Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { createLockManager } from '../../../../electron/hosts/library/create.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { onFreePort, programPath, startProcess, temporaryFolder } from '../../../servers/process.ts'
import { startRedis } from '../../../servers/redis.ts'
import { startRedisCluster } from '../../../servers/redis-cluster.ts'
import { losingProxy } from './losing-proxy.ts'
import { never, openProvider, proofOf, request, take } from './place.ts'

/** One address, and behind it whatever server it points to when somebody connects. */
async function movingAddress(target: number): Promise<{ readonly port: number; target: number }> {
  const server = createServer(client => {
    const upstream = connect(address.target, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = { port: (server.address() as { port: number }).port, target }
  return address
}

it('acquires locks with rising numbers on every node of a cluster, and is notified of all releases', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.close())
  const ports = cluster.servers.map(({ port }) => port)
  const address = `redis+cluster://${ports.map(port => `127.0.0.1:${port}`).join(',')}`
  const client = new Cluster([{ host: '127.0.0.1', port: ports[0] ?? 0 }])
  onTestFinished(() => client.disconnect())
  const provider = openProvider(address, { format: 'token' })
  const listen = provider.listen as NonNullable<typeof provider.listen>
  // Braces decide over the slot in ways of their own.
  const names = [
    'a{b}c',
    '{}x',
    'a}b{c',
    '{a}{b}',
    'ü{é}',
    ...Array.from({ length: 60 }, (_, i) => `job-${i}`),
  ]
  const called = new Set<string>()
  for (const name of names) {
    await listen(name, () => called.add(name), never)
    const first = await take(provider, name, request('one'))
    expect((await provider.take(name, request('two'), never)).is).toBe('held')
    expect((await provider.release(name, proofOf({ owner: 'one' }, first), never)).is).toBe('released')
    const second = await take(provider, name, request('one'))
    expect(second.fencing).toBeGreaterThan(first.fencing ?? Number.POSITIVE_INFINITY)
    expect((await provider.extend(name, proofOf({ owner: 'one' }, second), 60_000, never)).is).toBe(
      'extended',
    )
  }
  await expect.poll(() => called.size).toBe(names.length)

  const store = await openStore(`${address}?match=*`, undefined)
  onTestFinished(() => store.close())
  const { locks, unrecognised, companions } = await listAll(store)
  expect(locks.map(lock => lock.key).sort()).toEqual([...names].sort())
  expect(unrecognised).toEqual([])
  // One counter for a slot, however many locks there are in it.
  expect(companions).toBeLessThanOrEqual(names.length)
  expect(companions).toBeGreaterThan(names.length / 2)

  // The node that is listened to dies; another one takes its place.
  const admins = ports.map(port => new Redis({ port, retryStrategy: () => null }))
  for (const admin of admins) {
    admin.on('error', () => {})
    onTestFinished(() => admin.disconnect())
  }
  const listening = async () =>
    Promise.all(admins.map(admin => admin.call('PUBSUB', ['CHANNELS']).catch(() => null)))
  const before = (await listening()).findIndex(channels => Array.isArray(channels) && channels.length > 0)
  called.clear()
  await cluster.servers[before]?.stop('SIGKILL')
  await expect.poll(() => called.size).toBe(names.length)
  const after = (await listening()).findIndex(channels => Array.isArray(channels) && channels.length > 0)
  expect([before, after]).not.toContain(-1)
  expect(after).not.toBe(before)
})

it('takes locks on the primary that Sentinel names', async () => {
  const primary = await startRedis()
  const folder = await temporaryFolder('sentinel')
  const { sentinel, port } = await onFreePort(async port => {
    const config = `${folder.path}/sentinel-${port}.conf`
    writeFileSync(
      config,
      `port ${port}\nbind 127.0.0.1\nsentinel monitor locks 127.0.0.1 ${primary.port} 1\n`,
    )
    const answers = async () => {
      const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null })
      client.on('error', () => {})
      await client.connect().finally(() => client.disconnect())
      return true
    }
    const args = [config, '--sentinel']
    return { port, sentinel: await startProcess(programPath('redis-server'), args, answers, 'redis-server') }
  })
  onTestFinished(async () => {
    await Promise.all([sentinel.stop('SIGKILL'), primary.stop('SIGKILL')])
    await folder.remove()
  })
  const provider = openProvider(`redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/locks/3`)
  await provider.setup(never)
  const client = new Redis({ port: primary.port, db: 3 })
  onTestFinished(() => client.disconnect())
  let calls = 0
  await provider.listen?.('job', () => calls++, never)
  const taken = await take(provider, 'job', request('me'))
  expect(await client.exists('lockRecharge:job', 'lockkeeper:fencing')).toBe(2)
  expect((await provider.release('job', proofOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await expect.poll(() => calls).toBe(1)
})

it('takes no lock on a replica', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  onTestFinished(async () => void (await Promise.all([primary, replica].map(each => each.stop('SIGKILL')))))
  const provider = openProvider(`redis://127.0.0.1:${replica.port}`)
  await expect(provider.take('job', request(), never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('read-only replica'),
    uncertain: false,
  })
})

it('waits for the new primary after a failover, and is notified of its releases', async () => {
  const [old, next] = await Promise.all([startRedis(), startRedis()])
  const [oldClient, nextClient] = [new Redis({ port: old.port }), new Redis({ port: next.port })]
  const address = await movingAddress(old.port)
  const manager = createLockManager(`redis://127.0.0.1:${address.port}/3`, { poll: '1h' })
  onTestFinished(async () => {
    await manager.close()
    for (const client of [oldClient, nextClient]) client.disconnect()
    await Promise.all([old, next].map(server => server.stop('SIGKILL')))
  })
  const held = await manager.acquire('job', { ttl: '10m' })
  if (!held.acquired) throw new Error('It was not free')
  for (const client of [oldClient, nextClient]) await client.select(3)
  await oldClient.set('lockRecharge:busy', 'another program')
  const waiting = manager.acquire('busy', { wait: '10m' })
  const channel = 'lock:released:lockRecharge:busy'
  await expect.poll(() => oldClient.call('PUBSUB', ['CHANNELS'])).toEqual([channel])

  await nextClient.call('REPLICAOF', '127.0.0.1', String(old.port))
  await expect.poll(() => nextClient.exists('lockRecharge:job')).toBe(1)
  await nextClient.call('REPLICAOF', 'NO', 'ONE')
  // Of another primary, so that nothing that is published at the new one gets there.
  await oldClient.call('REPLICAOF', '127.0.0.1', '1')
  address.target = next.port

  expect(await manager.acquire('other', { wait: '10m' })).toMatchObject({ acquired: true })
  expect(await held.lock.renew('20m')).toBe(true)
  await expect.poll(() => nextClient.call('PUBSUB', ['CHANNELS'])).toEqual([channel])
  await nextClient.del('lockRecharge:busy')
  await nextClient.publish(channel, '')
  expect(await waiting).toMatchObject({ acquired: true })
})

it('leaves the console on a replica that its address names, and reports it as read-only', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  const [client, admin] = [new Redis({ port: primary.port }), new Redis({ port: replica.port })]
  const store = await openStore(`redis://127.0.0.1:${replica.port}/0`, undefined)
  onTestFinished(async () => {
    await store.close()
    for (const each of [client, admin]) each.disconnect()
    await Promise.all([primary, replica].map(server => server.stop('SIGKILL')))
  })
  for (let i = 0; i < 20; i++) await client.set(`pipeline_lock:acme:job-${i}`, 'run-1')
  await expect.poll(async () => (await listAll(store)).locks.length).toBe(20)
  const { locks } = await listAll(store)
  const connections = async () =>
    Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1])
  const before = await connections()
  const denied = { code: 'STORE_DENIED', message: expect.stringContaining('read-only replica') }
  for (const { id, fence } of locks.slice(0, 3))
    await expect(releaseLock(store, id, fence, never)).rejects.toMatchObject(denied)
  for (const answer of await store.releaseMany(locks, async () => {}, never))
    expect(answer).toMatchObject({ ok: false, error: denied })
  for (let i = 0; i < 20; i++) expect((await listAll(store)).locks).toHaveLength(20)
  expect((await connections()) - before).toBeLessThanOrEqual(2)
})

it('reports an uncertain acquisition when the answer is lost, and sends one request', async () => {
  const server = await startRedis()
  const proxy = await losingProxy(server.port)
  const client = new Redis({ port: server.port })
  onTestFinished(async () => {
    client.disconnect()
    await server.stop('SIGKILL')
  })
  const provider = openProvider(`redis://127.0.0.1:${proxy.port}`, { format: 'token' })
  const ask = {
    take: () => provider.take('job', request('me'), never),
    extend: () => provider.extend('job', { owner: 'me', mark: null }, 60_000, never),
    release: () => provider.release('job', { owner: 'me', mark: null }, never),
  }
  // Makes the scripts known to the server.
  for (const each of Object.values(ask)) await each()
  for (const [what, each] of Object.entries(ask)) {
    proxy.armed = true
    proxy.asked = 0
    await expect(each()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: true })
    expect(proxy.asked).toBe(1)
    expect(await client.exists('job')).toBe(what === 'release' ? 0 : 1)
    await expect
      .poll(() =>
        provider.read('job', never).then(
          () => 'back',
          () => 'gone',
        ),
      )
      .toBe('back')
  }
  client.disconnect()
  await server.stop('SIGKILL')
  await expect(ask.take()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
})
