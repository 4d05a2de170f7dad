import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { inTime } from '../../contract/ask.ts'
import { runCli } from './run-cli.ts'

it.each([
  ['Redis', 'redis://127.0.0.1:{port}/0'],
  ['MySQL', 'mysql://root@127.0.0.1:{port}/locks'],
  ['DynamoDB', 'dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:{port}'],
])('reports a %s that never answers as unreachable, without waiting for it', async (_, address) => {
  const sockets = new Set<Socket>()
  const mute = createServer(socket => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  const { port } = mute.address() as AddressInfo
  const listing = runCli(['list', address.replace('{port}', String(port))])
  // Not counting how long the program takes to start.
  await once(mute, 'connection')
  expect(await inTime(listing)).toMatchObject({ code: 5, stdout: '' })
})
