import { once } from 'node:events'
import { createServer, connect as netConnect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type CuttingProxy = {
  readonly port: number
  /** All connections are gone; new ones come through. */
  cut(): void
  /** The server does the next thing that `isIt` fits, and its answer is lost with the connection. Waits until then. */
  loseAnswer(isIt: (asked: string) => boolean): Promise<void>
}

/** Stands between us and a server, and cuts. */
export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const clients = new Set<Socket>()
  let armed: { isIt: (asked: string) => boolean; done: () => void } | null = null
  const server = createServer(client => {
    const upstream = netConnect(target, '127.0.0.1')
    let losing: (() => void) | null = null
    clients.add(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
      losing?.()
    })
    upstream.on('close', () => client.destroy())
    client.on('data', data => {
      if (armed?.isIt(data.toString('latin1')) && losing === null) {
        losing = armed.done
        armed = null
      }
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (losing === null) client.write(data)
      else client.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const cut = () => {
    for (const client of clients) client.destroy()
  }
  onTestFinished(async () => {
    server.close()
    cut()
    await once(server, 'close')
  })
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    loseAnswer: isIt =>
      new Promise(done => {
        armed = { isIt, done }
      }),
  }
}
