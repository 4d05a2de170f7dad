import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createConnection } from 'mysql2/promise'
import { expect, it, onTestFinished } from 'vitest'
import { createLockManager } from '../../../../electron/hosts/library/create.ts'
import { startMariaDb } from '../../../servers/mariadb.ts'

/** One address, behind which there is another server from some moment on. What is connected stays connected. */
async function addressOf(first: number): Promise<{ readonly port: number; target: number }> {
  const server = createServer(client => {
    const upstream = connect(address.target, '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const address = { port, target: first }
  return address
}

async function database() {
  const server = await startMariaDb()
  onTestFinished(() => server.close())
  const plain = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
  onTestFinished(() => plain.end())
  await plain.query('CREATE DATABASE locks')
  return { port: server.port, plain }
}

it('leaves a server that has become a replica, and waits until there is a primary', async () => {
  const [old, next] = await Promise.all([database(), database()])
  const address = await addressOf(old.port)
  const url = (port: number) => `mysql://root@127.0.0.1:${port}/locks`
  const manager = createLockManager(url(address.port), { poll: 50 })
  const elsewhere = createLockManager(url(next.port))
  onTestFinished(() => manager.close())
  onTestFinished(() => elsewhere.close())
  await Promise.all([manager.setup(), elsewhere.setup()])
  expect(await manager.acquire('before', { owner: 'run-1' })).toMatchObject({ acquired: true })

  await old.plain.query('SET GLOBAL read_only = 1')
  await expect(manager.acquire('job')).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('read-only'),
    uncertain: false,
  })
  const waiting = manager.acquire('job', { owner: 'run-2', wait: '1h' })
  address.target = next.port
  expect(await waiting).toMatchObject({ acquired: true })
  expect(await elsewhere.holderOf('job')).toMatchObject({ owner: 'run-2' })
})
