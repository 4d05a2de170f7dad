import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Cluster, Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { createAuthority } from '../../../servers/certificates.ts'
import { onFreePort, programPath, startProcess, temporaryFolder } from '../../../servers/process.ts'
import { startRedis } from '../../../servers/redis.ts'
import { startRedisCluster } from '../../../servers/redis-cluster.ts'

const never = new AbortController().signal

it('lists every primary of a cluster, releases on the right one, and names the missing node', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.close())
  const [first, second] = cluster.servers
  const client = new Cluster([{ host: '127.0.0.1', port: first?.port ?? 0 }])
  onTestFinished(() => client.disconnect())
  const names = Array.from({ length: 300 }, (_, i) => `pipeline_lock:acme:job-${i}`)
  for (const name of names) await client.set(name, `run-${name}`, 'EX', 600)
  const A = '8743c9c0-0795-4907-87fd-6c719a6b4586'
  await client.hset('orders', `${A}:1`, 1)

  const store = await openStore(
    `redis+cluster://127.0.0.1:${first?.port},127.0.0.1:${second?.port}`,
    undefined,
  )
  onTestFinished(() => store.close())
  const { locks, problems } = await listAll(store)
  expect(problems).toEqual([])
  const ids = await store.serverIds(never)
  // Of each primary, the id of its run and that of its data.
  expect(ids).toHaveLength(6)
  const node = await openStore(`redis://127.0.0.1:${second?.port}/0`, undefined)
  onTestFinished(() => node.close())
  expect(ids).toEqual(expect.arrayContaining([...(await node.serverIds(never))]))
  expect(locks.map(lock => lock.key).sort()).toEqual([...names, 'orders'].sort())
  for (const lock of locks.filter((_, i) => i % 30 === 0)) {
    expect(await releaseLock(store, lock.id, lock.fence, never)).toMatchObject({ outcome: 'released' })
    expect(await client.exists(lock.key)).toBe(0)
  }

  // Redisson subscribes to sharded channels on a cluster of Redis 7.
  await client.hset('orders', `${A}:2`, 1)
  await client.hdel('orders', `${A}:1`)
  const detail = await store.inspect('orders', never)
  expect(detail?.release).toContain('SPUBLISH "redisson_lock__channel:{orders}" 0')
  expect(await releaseLock(store, 'orders', detail?.lock?.fence ?? '', never)).toMatchObject({
    outcome: 'released',
  })

  await cluster.servers[2]?.stop('SIGKILL')
  const partial = await listAll(store)
  expect((await store.serverIds(never)).length).toBeGreaterThanOrEqual(4)
  expect(partial.locks.length).toBeGreaterThan(100)
  expect(partial.problems).toMatchObject([
    { where: `127.0.0.1:${cluster.servers[2]?.port}`, code: 'STORE_UNREACHABLE' },
  ])
})

it('reads a whole cluster with a password, whose nodes have other names than the given host', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.close())
  const [first] = cluster.servers
  const client = new Cluster([{ host: '127.0.0.1', port: first?.port ?? 0 }])
  onTestFinished(() => client.disconnect())
  const names = Array.from({ length: 30 }, (_, i) => `pipeline_lock:acme:job-${i}`)
  for (const name of names) await client.set(name, `run-${name}`, 'EX', 600)
  for (const { port } of cluster.servers) {
    const admin = new Redis({ port })
    await admin.config('SET', 'requirepass', 's3cr3t-word')
    admin.disconnect()
  }
  const store = await openStore(`redis+cluster://localhost:${first?.port}`, 's3cr3t-word')
  onTestFinished(() => store.close())
  const { locks, problems } = await listAll(store)
  expect(problems).toEqual([])
  expect(locks.map(lock => lock.key).sort()).toEqual([...names].sort())
})

it('reports a server that is not a cluster, and how its address begins', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const store = await openStore(`redis+cluster://127.0.0.1:${server.port}`, undefined)
  onTestFinished(() => store.close())
  await expect(listAll(store)).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining('is no cluster; its address begins with redis://'),
  })
})

it('finds the primary through Sentinel, and the next one after a failover', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', `127.0.0.1 ${primary.port}`] })
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
    return {
      port,
      sentinel: await startProcess(
        programPath('redis-server'),
        [config, '--sentinel'],
        answers,
        'redis-server',
      ),
    }
  })
  onTestFinished(async () => {
    await Promise.all([sentinel, primary, replica].map(each => each.stop('SIGKILL')))
    await folder.remove()
  })
  const client = new Redis({ port: primary.port, db: 3 })
  onTestFinished(() => client.disconnect())
  await client.set('pipeline_lock:acme:job', 'run-1', 'EX', 600)
  await client.set('pipeline_lock:acme:next', 'run-2', 'EX', 600)
  const store = await openStore(`redis+sentinel://127.0.0.1:1,127.0.0.1:${port}/locks/3`, undefined)
  onTestFinished(() => store.close())
  const release = async (name: string) => {
    const lock = (await listAll(store)).locks.find(each => each.key.endsWith(name))
    return releaseLock(store, lock?.id ?? '', lock?.fence ?? '', never)
  }
  expect(await release('job')).toMatchObject({ outcome: 'released' })
  const asked = new Redis({ port })
  onTestFinished(() => asked.disconnect())
  const failover = () => asked.call('SENTINEL', ['FAILOVER', 'locks']).catch(error => String(error))
  // Sentinel learns of the replica every ten seconds.
  await expect.poll(failover, { timeout: 60_000, interval: 500 }).toBe('OK')
  await expect
    .poll(() => asked.call('SENTINEL', ['GET-MASTER-ADDR-BY-NAME', 'locks']), { timeout: 60_000 })
    .toEqual(['127.0.0.1', String(replica.port)])
  const outcome = () =>
    release('next').then(
      each => each.outcome,
      () => 'not yet',
    )
  await expect.poll(outcome, { timeout: 60_000 }).toBe('released')
  const next = new Redis({ port: replica.port, db: 3 })
  onTestFinished(() => next.disconnect())
  expect(await next.dbsize()).toBe(0)
})

it('speaks TLS, and refuses an untrusted certificate', async () => {
  const authority = await createAuthority()
  const { key, cert } = authority.selfSigned('DNS:localhost')
  const { server, tlsPort } = await onFreePort(async tlsPort => {
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert]
    const args = ['--tls-port', String(tlsPort), '--tls-auth-clients', 'no', ...files]
    return { server: await startRedis({ args }), tlsPort }
  })
  onTestFinished(async () => {
    await server.stop('SIGKILL')
    await authority.remove()
  })
  const refused = await openStore(`rediss://localhost:${tlsPort}/0`, undefined)
  onTestFinished(() => refused.close())
  await expect(refused.clock(never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringMatching(/self-signed/),
  })

  // A private authority is made known to Node in the ordinary way; that needs a process of its own.
  const cli = new URL('../../../../dist/node/cli.js', import.meta.url).pathname
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert }
  const out = execFileSync(process.execPath, [cli, 'list', `rediss://localhost:${tlsPort}/0`, '--json'], {
    env,
    encoding: 'utf8',
  })
  expect(JSON.parse(out)).toMatchObject({
    store: { address: `rediss://localhost:${tlsPort}/0` },
    locks: [],
    complete: true,
  })
})
