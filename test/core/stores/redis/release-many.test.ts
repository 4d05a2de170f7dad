import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { Cluster, Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import type { LockStore } from '../../../../electron/core/stores/types.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { keepNothing, never, releaseLock, words } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/list-all.ts'
import { startRedis } from '../../../servers/redis.ts'
import { startRedisCluster } from '../../../servers/redis-cluster.ts'
import { redisPlace } from './place.ts'

const named = (count: number) => Array.from({ length: count }, (_, i) => `pipeline_lock:acme:job-${i}`)

async function hold(client: Redis, keys: readonly string[]): Promise<void> {
  const batch = client.pipeline()
  for (const key of keys) batch.set(key, `run-of-${key}`, 'PX', 3_600_000)
  await batch.exec()
}

async function privateServer(args: readonly string[] = []) {
  const server = await startRedis({ args })
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return { server, client }
}

async function opened(address: string): Promise<LockStore> {
  const store = await openStore(address, undefined)
  onTestFinished(() => store.close())
  return store
}

/** The locks in the order of their numbers. */
async function locksOf(store: LockStore): Promise<Lock[]> {
  const { locks } = await listAll(store)
  return locks.toSorted((a, b) => Number(a.key.split('-')[1]) - Number(b.key.split('-')[1]))
}

/** Passes everything on until it has passed the first answers to releases; from then on `stop` has the sockets. */
async function stoppingProxy(port: number, stop: (sockets: readonly Socket[]) => void) {
  const state = { armed: false, sent: '' }
  const server = createServer(client => {
    const upstream = connect(port, '127.0.0.1')
    const sockets = [client, upstream]
    let isStopped = false
    client.on('data', data => {
      if (state.armed) state.sent += data.toString('latin1')
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (isStopped) return
      client.write(data, () => {
        if (isStopped) stop(sockets)
      })
      isStopped = state.armed && data.includes('released')
    })
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.on('close', () => {
        for (const each of sockets) each.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { state, port: (server.address() as { port: number }).port }
}

it.each([
  ['the connection is lost', 'cut'],
  ['the server is killed', 'kill'],
  ['the server hangs', 'hang'],
] as const)('reports what is known of each lock when %s half-way', async (_, how) => {
  const { server, client } = await privateServer()
  const proxy = await stoppingProxy(server.port, sockets => {
    // What was sent meanwhile arrives, and its answers do not.
    if (how === 'kill') setTimeout(() => void server.stop('SIGKILL'), 30)
    if (how === 'cut') setTimeout(() => sockets[0]?.destroy(), 30)
  })
  await hold(client, ['pipeline_lock:acme:warm', ...named(400)])
  const store = await opened(`redis://127.0.0.1:${proxy.port}`)
  const [warm, ...locks] = await locksOf(store).then(all => [
    ...all.filter(lock => lock.key.endsWith('warm')),
    ...all.filter(lock => !lock.key.endsWith('warm')),
  ])
  await releaseLock(store, warm?.id ?? '', warm?.fence ?? '', never)
  proxy.state.armed = true
  const settled = await store.releaseMany(locks, keepNothing, never)

  const released = locks.filter((_, i) => settled[i]?.ok)
  const failures = settled.flatMap((each, i) => (each.ok ? [] : [{ key: locks[i]?.key, ...each.error }]))
  expect(new Set(failures.map(each => each.code))).toEqual(new Set(['STORE_UNREACHABLE']))
  const uncertain = failures.filter(each => each.uncertain)
  const untouched = failures.filter(each => !each.uncertain)
  expect(released.length).toBeGreaterThan(0)
  expect(uncertain.length).toBeGreaterThan(0)
  expect(uncertain.length).toBeLessThanOrEqual(100)
  expect(untouched.length).toBeGreaterThanOrEqual(200)
  expect(new Set(words(settled.filter(each => each.ok)))).toEqual(new Set(['released']))
  // Nothing was sent twice, and what is said not to have been sent was not.
  const sent = [...proxy.state.sent.matchAll(/\r\nEVALSHA\r\n.*?(pipeline_lock:acme:job-\d+)\r\n/gis)].map(
    ([, key]) => key,
  )
  expect(new Set(sent).size).toBe(sent.length)
  expect(sent).toEqual(expect.arrayContaining(released.map(lock => lock.key)))
  expect(untouched.filter(({ key }) => sent.includes(key))).toEqual([])
  if (how === 'kill') return
  for (const { key } of released) expect(await client.exists(key)).toBe(0)
  for (const { key } of untouched) expect(await client.exists(key ?? '')).toBe(1)
})

it('sends the script once to a server that does not know it, however many are released', async () => {
  const { server, client } = await privateServer()
  await hold(client, named(300))
  const store = await opened(`redis://127.0.0.1:${server.port}`)
  const settled = await store.releaseMany(await locksOf(store), keepNothing, never)
  expect(new Set(words(settled))).toEqual(new Set(['released']))
  const stats = await client.info('commandstats')
  expect(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1]).toBe('1')
  expect(/cmdstat_eval_ro:calls=(\d+)/.exec(stats)?.[1]).toBe('1')
})

it('needs a handful of connections to release many for an account that may not run scripts', async () => {
  const { server, client } = await privateServer(['--maxclients', '10'])
  await client.call('ACL', ['SETUSER', 'watcher', 'on', '>look', '~*', '&*', '+@all', '-@scripting'])
  await hold(client, named(120))
  const store = await opened(`redis://watcher:look@127.0.0.1:${server.port}`)
  const locks = await locksOf(store)
  await client.set(locks[3]?.key ?? '', 'another run', 'PX', 3_600_000)
  await client.del(locks[5]?.key ?? '')
  const settled = await store.releaseMany(locks, keepNothing, never)
  expect(words(settled)).toEqual(locks.map((_, i) => (i === 3 ? 'changed' : i === 5 ? 'gone' : 'released')))
  expect(await client.keys('*')).toEqual([locks[3]?.key])
})

it('returns results from reachable cluster nodes when one is down', async () => {
  const cluster = await startRedisCluster()
  onTestFinished(() => cluster.close())
  const [first, second, third] = cluster.servers
  const client = new Cluster([{ host: '127.0.0.1', port: first?.port ?? 0 }])
  onTestFinished(() => client.disconnect())
  for (const key of named(300)) await client.set(key, `run-of-${key}`, 'PX', 3_600_000)
  const store = await opened(`redis+cluster://127.0.0.1:${first?.port},127.0.0.1:${second?.port}`)
  const locks = await locksOf(store)
  expect(locks).toHaveLength(300)
  const alone = new Redis({ port: third?.port ?? 0 })
  const onThird = await alone.keys('*')
  alone.disconnect()
  expect(onThird.length).toBeGreaterThan(50)
  await third?.stop('SIGKILL')
  const fate = ({ key }: Lock, alive: string) => (onThird.includes(key) ? 'STORE_UNREACHABLE' : alive)

  const ids = locks.map(lock => lock.id)
  const looked = await store.look(ids, never)
  expect(looked.map(each => (each.ok ? each.value.is : each.error.code))).toEqual(
    locks.map(lock => fate(lock, 'lock')),
  )
  const settled = await store.releaseMany(locks, keepNothing, never)
  expect(words(settled)).toEqual(locks.map(lock => fate(lock, 'released')))
  expect(settled.some(each => !each.ok && each.error.uncertain)).toBe(false)
})

it('names the keys the account may not read, and does not report them as changed', async () => {
  const place = await redisPlace()
  await place.client.set('pipeline_lock:acme:mine', 'run-1')
  await place.client.set('pipeline_lock:other:theirs', 'run-2')
  const user = `acme-${place.client.options.db}`
  await place.client.call('ACL', ['SETUSER', user, 'on', '>secret', '~pipeline_lock:acme:*', '+@all'])
  const targets = [
    await place.lock('pipeline_lock:acme:mine'),
    await place.lock('pipeline_lock:other:theirs'),
  ]
  const store = await opened(place.address.replace('//', `//${user}:secret@`))
  const looked = await store.look(['pipeline_lock:acme:mine', 'pipeline_lock:other:theirs'], never)
  expect(looked).toMatchObject([{ value: { is: 'lock' } }, { ok: false, error: { code: 'STORE_DENIED' } }])
  expect(words(await store.releaseMany(targets, keepNothing, never))).toEqual(['released', 'STORE_DENIED'])
  expect(await place.client.get('pipeline_lock:other:theirs')).toBe('run-2')
})
