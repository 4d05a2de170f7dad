import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, inject, it, onTestFinished } from 'vitest'
import { never, openProvider, request, take } from './place.ts'

/** On the way to Redis, as a firewall is: what it has forgotten stays open, and nothing passes through it any more. */
async function forgetful(target: number): Promise<{ readonly port: number; readonly forget: () => void }> {
  const known = new Set<unknown>()
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    known.add(client)
    client.on('data', data => known.has(client) && upstream.write(data))
    upstream.on('data', data => known.has(client) && client.write(data))
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
  const { port } = server.address() as { port: number }
  return { port, forget: () => known.clear() }
}

it('replaces a connection that has gone silent', async () => {
  const way = await forgetful(inject('redisPort'))
  const provider = openProvider(`redis://127.0.0.1:${way.port}`)
  const name = () => `forgotten-${way.port}-${performance.now()}`
  await take(provider, name(), request('before', 1000))
  way.forget()
  await expect(provider.take(name(), request('lost', 1000), never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    uncertain: true,
  })
  const again = () =>
    provider.take(name(), request('after', 1000), never).then(
      ({ is }) => is,
      ({ code }) => code,
    )
  await expect.poll(again).toBe('taken')
})
