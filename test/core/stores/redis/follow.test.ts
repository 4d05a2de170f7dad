import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import type { LockStore, StoreNews } from '../../../../electron/core/stores/types.ts'
import { listAll } from '../../../contract/suite.ts'
import { startRedis } from '../../../servers/redis.ts'

/** A private server, because clients of others are ended, and a follower of it. */
async function followed({ query = '', user = '' } = {}) {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  if (user !== '')
    await client.call('ACL', ['SETUSER', 'ops', 'on', '>pw', '~*', '&*', '+@all', ...user.split(' ')])
  const account = user === '' ? '' : 'ops:pw@'
  const store = await openStore(`redis://${account}127.0.0.1:${server.port}/0${query}`, undefined)
  const stop = new AbortController()
  onTestFinished(async () => {
    stop.abort()
    await store.close()
  })
  return { server, client, store, ...follow(store, stop.signal) }
}

function follow(store: LockStore, signal: AbortSignal) {
  const heard: StoreNews[] = []
  let ended = false
  void (async () => {
    for await (const news of store.follow?.(signal) ?? []) heard.push(news)
    ended = true
  })()
  return {
    heard,
    hasEnded: () => ended,
    changed: () => heard.flatMap(news => (news.is === 'changed' ? news.ids : [])),
    times: (is: StoreNews['is']) => heard.filter(news => news.is === is).length,
  }
}

it('tells of keys that are set, deleted and expire, under the names of locks and no others', async () => {
  const { client, changed, times } = await followed()
  await expect.poll(() => times('following')).toBe(1)
  await client.set('page:1', 'x')
  await client.set('pipeline_lock:acme:a', 'run-1')
  await expect.poll(changed).toEqual(['pipeline_lock:acme:a'])
  await client.del('pipeline_lock:acme:a')
  await expect.poll(changed).toHaveLength(2)
  await client.set('lock:b', 'token', 'PX', 1)
  // Whoever asks for it makes the server notice: with thousands of databases it takes its time.
  await expect.poll(() => client.exists('lock:b')).toBe(0)
  await expect.poll(() => changed().slice(2)).toContain('lock:b')
})

it('tells of names that only a listing taught it', async () => {
  const { client, store, changed, times } = await followed()
  await expect.poll(() => times('following')).toBe(1)
  const field = '0f8fad5b-d9cb-469f-a165-70867728950e:12'
  for (const name of ['a', 'b']) await client.hset(`orders:${name}`, field, 1)
  expect((await listAll(store)).locks).toHaveLength(2)
  await expect.poll(() => times('following')).toBe(2)
  await client.hset('orders:a', field, 2)
  await expect.poll(changed).toEqual(['orders:a'])
})

it('tells of what a pattern in the address selects', async () => {
  const { client, changed, times } = await followed({ query: '?match=jobs:*:lock' })
  await expect.poll(() => times('following')).toBe(1)
  await client.set('jobs:1:lock', 'token')
  await client.set('other', 'x')
  await expect.poll(changed).toEqual(['jobs:1:lock'])
})

it.each(['pubsub', 'normal'])(
  'says that it may have missed changes when its %s connection is cut, and goes on',
  async type => {
    const { client, changed, times } = await followed()
    await expect.poll(() => times('following')).toBe(1)
    await client.call('CLIENT', ['KILL', 'TYPE', type, 'SKIPME', 'yes'])
    await expect.poll(() => times('lost')).toBeGreaterThan(0)
    await expect.poll(() => times('following')).toBe(2)
    await client.set('lock:a', 'token')
    await expect.poll(changed).toEqual(['lock:a'])
  },
)

it('says that every key may have changed when the database is emptied', async () => {
  const { client, times } = await followed()
  await expect.poll(() => times('following')).toBe(1)
  await client.flushall()
  await expect.poll(() => times('lost')).toBe(1)
  await expect.poll(() => times('following')).toBe(2)
})

it('comes back after the server was restarted', async () => {
  const { server, times } = await followed()
  await expect.poll(() => times('following')).toBe(1)
  await server.stop('SIGKILL')
  await expect.poll(() => times('lost')).toBeGreaterThan(0)
  const again = await startRedis({ port: server.port })
  onTestFinished(() => again.stop('SIGKILL'))
  await expect.poll(() => times('following')).toBe(2)
})

it.each(['-client|tracking', '-client', '-subscribe', 'resetchannels'])(
  'ends for an account with %s',
  async user => {
    const { hasEnded, heard } = await followed({ user })
    await expect.poll(hasEnded).toBe(true)
    expect(heard).toEqual([])
  },
)
