import { once } from 'node:events'
import { createServer, connect as netConnect, type Socket } from 'node:net'
import type { Random } from '../random.ts'
import { mutate, type Protocol } from './mutate.ts'
import { writeForever } from './scripted-server.ts'

/** Answers, over all connections, of which one is mutated. */
const MOST_ANSWERS = 16
/** After a mutation the other side may wait for what never comes: most servers would be restarted by then. */
const PATIENCE_MS = 40

/** Stands before a real server, which does what it is asked, and mutates what it answers. */
export async function startMutatingProxy(target: number, protocol: Protocol, random: Random) {
  const sockets = new Set<Socket>()
  // Most operations get few answers.
  const chosen = random.below(1 + random.below(MOST_ANSWERS))
  const isPersistent = random.below(3) === 0
  let answers = 0
  const server = createServer(client => {
    const upstream = netConnect(target, '127.0.0.1')
    let isOver = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', data => upstream.write(data))
    upstream.on('data', data => {
      if (isOver) return
      const place = answers++
      if (place !== chosen && !(isPersistent && place > chosen && random.below(3) === 0)) {
        client.write(data)
        return
      }
      const { bytes, next } = mutate(data, random, protocol)
      if (next !== 'dribble') client.write(bytes)
      else void dribble(client, bytes)
      if (next === 'close') client.end()
      if (next === 'flood') writeForever(client, Buffer.alloc(256 * 1024, random.pick(['x', '*', '[', '\0'])))
      isOver = next === 'close' || next === 'flood' || next === 'hang'
      if (next !== 'hang') setTimeout(() => client.destroy(), PATIENCE_MS)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

async function dribble(client: Socket, bytes: Buffer): Promise<void> {
  for (const [i, byte] of bytes.entries()) {
    if (i > 200) return void client.write(bytes.subarray(i))
    client.write(Buffer.from([byte]))
    if (i % 10 === 0) await new Promise(resolve => setImmediate(resolve))
  }
}
