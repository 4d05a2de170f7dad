import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { startRedis } from '../../../servers/redis.ts'
import { lockPlace, never, openProvider, proofOf, request, take } from './place.ts'

/** A server of its own, because connections are counted and killed. */
async function privateRedis() {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  onTestFinished(async () => {
    client.disconnect()
    await server.stop('SIGKILL')
  })
  const subscribers = async () => {
    const lines = String(await client.call('CLIENT', ['LIST', 'TYPE', 'pubsub'])).trim()
    return lines === '' ? [] : lines.split('\n')
  }
  return { server, client, subscribers, address: `redis://127.0.0.1:${server.port}/3` }
}

it.each([
  ['recharge-json', 'job', 'lockRecharge:job'],
  ['pubsub-token', 'job', 'job'],
  ['pipeline-run', 'a:job', 'pipeline_lock:a:job'],
  ['flask-cache', 'job', 'cache::job'],
  ['token', 'job', 'job'],
])('notifies listeners of the release of a %s lock', async (format, nameOfAll, announcedOfAll) => {
  // All databases of a server share its channels.
  const own = randomUUID()
  const [name, announced] = [`${nameOfAll}-${own}`, `${announcedOfAll}-${own}`]
  const place = await lockPlace()
  const provider = place.provider(format)
  const calls = { a: 0, b: 0, elsewhere: 0 }
  const listen = provider.listen as NonNullable<typeof provider.listen>
  const stop = await listen(name, () => calls.a++, never)
  await listen(name, () => calls.b++, never)
  await listen(`${name}2`, () => calls.elsewhere++, never)
  const messages: string[][] = []
  const other = new Redis(place.address)
  onTestFinished(() => other.disconnect())
  other.on('message', (...message: string[]) => messages.push(message))
  await other.subscribe(`lock:released:${announced}`)

  const owner = request('me')
  await provider.release(name, proofOf(owner, await take(provider, name, owner)), never)
  await expect.poll(() => calls).toEqual({ a: 1, b: 1, elsewhere: 0 })
  await expect.poll(() => messages).toEqual([[`lock:released:${announced}`, announced]])
  stop()
  await provider.release(name, proofOf(owner, await take(provider, name, owner)), never)
  await expect.poll(() => calls).toEqual({ a: 1, b: 2, elsewhere: 0 })
  // Somebody else's release is not announced.
  await provider.release(name, proofOf(owner, await take(provider, name, owner)), never)
  expect((await provider.release(name, { owner: 'other', mark: null }, never)).is).toBe('lost')
  await expect.poll(() => messages.length).toBe(3)
})

it('serves thousands of listeners over one connection, and unsubscribes from channels without listeners', async () => {
  const { client, subscribers, address } = await privateRedis()
  const provider = openProvider(address, { format: 'pubsub-token' })
  const listen = provider.listen as NonNullable<typeof provider.listen>
  let calls = 0
  const stops = await Promise.all(
    Array.from({ length: 3000 }, (_, i) => listen(`auction:${i % 500}`, () => calls++, never)),
  )
  expect(await subscribers()).toEqual([expect.stringContaining(' sub=500 ')])
  await client.publish('lock:released:auction:7', 'auction:7')
  await expect.poll(() => calls).toBe(6)
  for (const stop of stops) stop()
  await expect.poll(() => client.call('PUBSUB', ['CHANNELS'])).toEqual([])
  // Leaving twice takes nobody else's place.
  await listen('auction:7', () => calls++, never)
  for (const stop of stops) stop()
  await client.publish('lock:released:auction:7', 'auction:7')
  await expect.poll(() => calls).toBe(7)
})

it('resubscribes after its connection was killed, and calls every listener in case a release was missed', async () => {
  const { client, subscribers, address } = await privateRedis()
  const provider = openProvider(address, { format: 'pubsub-token' })
  const listen = provider.listen as NonNullable<typeof provider.listen>
  const calls = { a: 0, b: 0 }
  await listen('a', () => calls.a++, never)
  await listen('b', () => calls.b++, never)
  for (let round = 1; round <= 3; round++) {
    const [line = ''] = await subscribers()
    await client.call('CLIENT', ['KILL', 'ID', /id=(\d+)/.exec(line)?.[1] ?? ''])
    await expect.poll(() => calls).toEqual({ a: 2 * round - 1, b: round })
    await client.publish('lock:released:a', 'a')
    await expect.poll(() => calls).toEqual({ a: 2 * round, b: round })
  }
  expect(await subscribers()).toHaveLength(1)
})

it('refuses to listen without a server, and notifies earlier listeners once it is back', async () => {
  const first = await startRedis()
  const provider = openProvider(`redis://127.0.0.1:${first.port}`, { format: 'pubsub-token' })
  const listen = provider.listen as NonNullable<typeof provider.listen>
  let calls = 0
  await listen('a', () => calls++, never)
  await first.stop('SIGKILL')
  await expect(listen('b', () => {}, never)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
  const second = await startRedis({ port: first.port })
  onTestFinished(() => second.stop('SIGKILL'))
  await expect.poll(() => calls).toBe(1)
  const client = new Redis({ port: first.port })
  onTestFinished(() => client.disconnect())
  expect(await client.call('PUBSUB', ['CHANNELS'])).toEqual(['lock:released:a'])
  await client.publish('lock:released:a', 'a')
  await expect.poll(() => calls).toBe(2)
})

it('stops listening on request, also before it began', async () => {
  const place = await lockPlace()
  const provider = place.provider('token')
  const listen = provider.listen as NonNullable<typeof provider.listen>
  const stopped = AbortSignal.abort()
  await expect(listen('a', () => {}, stopped)).rejects.toMatchObject({ code: 'ABORTED' })
  const later = new AbortController()
  const waiting = listen('a', () => {}, later.signal)
  later.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
})
