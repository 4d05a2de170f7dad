import { writeFileSync } from 'node:fs'
import { Cluster, Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/open.ts'
import { listAll } from '../../../contract/suite.ts'
import { onFreePort, programPath, startProcess, temporaryFolder } from '../../../servers/process.ts'
import { startRedis } from '../../../servers/redis.ts'
import { startRedisCluster } from '../../../servers/redis-cluster.ts'
import { losingProxy } from './losing-proxy.ts'
import { claimOf, never, openProvider, take, wish } from './place.ts'

it('takes locks with rising numbers on every node of a cluster, and hears of releases on any of them', async () => {
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
    const first = await take(provider, name, wish('one'))
    expect((await provider.take(name, wish('two'), never)).is).toBe('held')
    expect((await provider.letGo(name, claimOf({ owner: 'one' }, first), never)).is).toBe('released')
    const second = await take(provider, name, wish('one'))
    expect(second.fencing).toBeGreaterThan(first.fencing ?? Number.POSITIVE_INFINITY)
    expect((await provider.extend(name, claimOf({ owner: 'one' }, second), 60_000, never)).is).toBe(
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
  const taken = await take(provider, 'job', wish('me'))
  expect(await client.exists('lockRecharge:job', 'lockkeeper:fencing')).toBe(2)
  expect((await provider.letGo('job', claimOf({ owner: 'me' }, taken), never)).is).toBe('released')
  await expect.poll(() => calls).toBe(1)
})

it('takes no lock on a replica', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  onTestFinished(async () => void (await Promise.all([primary, replica].map(each => each.stop('SIGKILL')))))
  const provider = openProvider(`redis://127.0.0.1:${replica.port}`)
  await expect(provider.take('job', wish(), never)).rejects.toMatchObject({
    code: 'STORE_DENIED',
    uncertain: false,
  })
})

it('says that a lock may or may not have been taken when the answer is lost, and asks only once', async () => {
  const server = await startRedis()
  const proxy = await losingProxy(server.port)
  const client = new Redis({ port: server.port })
  onTestFinished(async () => {
    client.disconnect()
    await server.stop('SIGKILL')
  })
  const provider = openProvider(`redis://127.0.0.1:${proxy.port}`, { format: 'token' })
  const ask = {
    take: () => provider.take('job', wish('me'), never),
    extend: () => provider.extend('job', { owner: 'me', mark: null }, 60_000, never),
    letGo: () => provider.letGo('job', { owner: 'me', mark: null }, never),
  }
  // Makes the scripts known to the server.
  for (const each of Object.values(ask)) await each()
  for (const [what, each] of Object.entries(ask)) {
    proxy.armed = true
    proxy.asked = 0
    await expect(each()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: true })
    expect(proxy.asked).toBe(1)
    expect(await client.exists('job')).toBe(what === 'letGo' ? 0 : 1)
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
