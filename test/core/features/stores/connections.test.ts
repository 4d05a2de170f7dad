import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { Connections } from '../../../../electron/core/features/stores/connections.ts'

const never = new AbortController().signal

function open(): Connections {
  const connections = new Connections()
  onTestFinished(() => connections.closeAll())
  return connections
}

it('opens an id twice at once for the later attempt, and closes the other connection', async () => {
  const connections = open()
  const [first, second] = await Promise.allSettled([
    connections.open('redis://127.0.0.1:1/0', undefined, 'id'),
    connections.open('memory:later', undefined, 'id'),
  ])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } })
  expect(second.status).toBe('fulfilled')
  expect(connections.addressOf('id')).toBe('memory:later')
})

it('replaces a connection and stops the work of the old one', async () => {
  const connections = open()
  await connections.open('memory:old', undefined, 'id')
  const { signal } = connections.get('id', never)
  await connections.open('memory:new', undefined, 'id')
  expect(signal.aborted).toBe(true)
  expect(connections.addressOf('id')).toBe('memory:new')
})

it('keeps the old connection if the new one fails', async () => {
  const connections = open()
  await connections.open('memory:old', undefined, 'id')
  await expect(connections.open('memory:x?format=nonsense', undefined, 'id')).rejects.toThrow(
    'no such format',
  )
  expect(connections.addressOf('id')).toBe('memory:old')
})

it('opens no store that was closed while its client was loading, and none after the end', async () => {
  const connections = open()
  const opening = connections.open('memory:a', undefined, 'id')
  await connections.close('id')
  await expect(opening).rejects.toMatchObject({ code: 'ABORTED' })
  expect(connections.addressOf('id')).toBeNull()
  const late = connections.open('memory:a', undefined, 'id')
  await connections.closeAll()
  await expect(late).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(connections.open('memory:a', undefined)).rejects.toMatchObject({ code: 'ABORTED' })
})

it('leaves no socket open when a connection is replaced repeatedly', async () => {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.resume()
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  const connections = open()
  for (let i = 0; i < 5; i++) {
    await connections.open(`redis://127.0.0.1:${port}/${i}`, undefined, 'id')
    const { store, signal } = connections.get('id', never)
    void store.clock(signal).catch(() => {})
    await expect.poll(() => sockets.size).toBeGreaterThan(0)
  }
  await connections.closeAll()
  await expect.poll(() => sockets.size).toBe(0)
})

it('redacts a password of unusual characters and nothing else', async () => {
  const connections = open()
  await connections.open('memory:a', '\ud800\ud800\ud800\ud800\ud800\ud800\ud800\ud800')
  await connections.open('memory:a', 'abc')
  await connections.open('memory:a', 'p@ss wörd')
  expect(connections.redact('abc says: p@ss wörd, p%40ss%20w%C3%B6rd')).toBe('abc says: •••, •••')
})

it('reveals no password that is a word of our own sentences by redacting it there', async () => {
  const connections = open()
  for (const password of ['redis', 'password', 'user']) await connections.open('memory:a', password)
  const sentence = 'Redis refused the user name or password'
  expect(connections.redact(sentence)).toBe(sentence)
})
