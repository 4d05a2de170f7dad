import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

export type LosingProxy = {
  readonly port: number
  /** Whether the answer to the next script is lost: both sides are cut off, once. */
  armed: boolean
  /** How many scripts were sent since it was armed. */
  asked: number
  /** Lets nobody in any more, from the next lost answer on, until the returned function is called. */
  staysDown(): () => Promise<void>
}

/** Passes everything on to a Redis, but for the answers that it is told to lose. */
export async function losingProxy(target: number): Promise<LosingProxy> {
  let isDown = false
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    let lose = false
    client.on('data', data => {
      if (/EVALSHA\r\n/i.test(data.toString('latin1'))) {
        proxy.asked++
        lose ||= proxy.armed
      }
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (!lose) return client.write(data)
      proxy.armed = false
      if (isDown) server.close()
      for (const socket of [client, upstream]) socket.destroy()
      return false
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
  const { port } = server.address() as { port: number }
  const staysDown = () => {
    isDown = true
    return async () => {
      isDown = false
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    }
  }
  const proxy = { port, armed: false, asked: 0, staysDown }
  return proxy
}
