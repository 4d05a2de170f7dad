import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { startRedis } from '../../../servers/redis.ts'

const never = new AbortController().signal
const TOKEN = '7fcd75c2e17311f1a98102fc00000001'

/** Passes everything on, except the answer to a release when it is armed: then both sides are cut off. */
async function losingProxy(target: () => number) {
  const state = { armed: false, releases: 0 }
  const server = createServer(client => {
    const upstream = connect(target(), '127.0.0.1')
    let lose = false
    client.on('data', data => {
      // Reads are EVALSHA_RO.
      if (/EVALSHA\r\n/i.test(data.toString('latin1'))) {
        state.releases++
        lose = state.armed
      }
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (!lose) client.write(data)
      else for (const socket of [client, upstream]) socket.destroy()
    })
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
  return { state, port: (server.address() as { port: number }).port }
}

it.each([
  ['a single server', 'redis'],
  ['a cluster', 'redis+cluster'],
])('reports an uncertain release and sends %s once when its answer is lost', async (_, scheme) => {
  let port = 0
  const proxy = await losingProxy(() => port)
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-announce-ip',
    '127.0.0.1',
    '--cluster-announce-port',
    String(proxy.port),
    '--databases',
    '1',
  ]
  const server = await startRedis(scheme === 'redis' ? {} : { args: cluster })
  port = server.port
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port })
  onTestFinished(() => client.disconnect())
  if (scheme !== 'redis') {
    await client.call('CLUSTER', ['ADDSLOTSRANGE', 0, 16_383])
    await expect
      .poll(async () => String(await client.call('CLUSTER', ['INFO'])))
      .toContain('cluster_state:ok')
  }
  const store = await openStore(`${scheme}://127.0.0.1:${proxy.port}`, undefined)
  onTestFinished(() => store.close())
  // The first release makes the script known to the server.
  for (const key of ['lock:warm', 'lock:job']) {
    await client.set(key, TOKEN, 'EX', 600)
    const fence = (await store.inspect(key, never))?.lock?.fence ?? ''
    if (key === 'lock:warm') {
      expect(await releaseLock(store, key, fence, never)).toMatchObject({ outcome: 'released' })
      continue
    }
    proxy.state.armed = true
    proxy.state.releases = 0
    await expect(releaseLock(store, key, fence, never)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('may or may not'),
      uncertain: true,
    })
  }
  await new Promise(resolve => setTimeout(resolve, 700))
  expect(proxy.state.releases).toBe(1)
  expect(await client.exists('lock:job')).toBe(0)
})
