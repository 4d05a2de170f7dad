import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A server on a free port of which a test writes every byte. */
export async function startScripted(
  connected: (socket: Socket) => void,
  host = '127.0.0.1',
): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    connected(socket)
  }).listen(0, host)
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as { port: number }).port
}

/** Writes until the other side is gone, no faster than it reads. */
export function writeForever(socket: Socket, chunk: Buffer): void {
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
    if (!socket.destroyed) socket.once('drain', write)
  }
  write()
}
