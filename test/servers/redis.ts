import { Redis } from 'ioredis'
import { onFreePort, programPath, type ServerProcess, startProcess, temporaryFolder } from './process.ts'

export type RedisServer = ServerProcess & { readonly port: number }

/** A private Redis that keeps nothing on disk. Many databases, so that every test can have its own. */
export function startRedis(options: { port?: number; args?: readonly string[] } = {}): Promise<RedisServer> {
  const start = async (port: number) => {
    // A replica writes what it is sent to its folder, and any Redis reads what it finds there.
    const folder = await temporaryFolder('redis')
    const args = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--dir',
      folder.path,
      '--databases',
      '4096',
      ...(options.args ?? []),
    ]
    const server = await startProcess(
      programPath('redis-server'),
      args,
      pid => isServedBy(port, pid),
      'redis-server',
    ).catch(async error => {
      await folder.remove()
      throw error
    })
    const stop = async (signal?: NodeJS.Signals) => {
      await server.stop(signal)
      await folder.remove()
    }
    return { ...server, stop, port }
  }
  return options.port === undefined ? onFreePort(start) : start(options.port)
}

async function isServedBy(port: number, pid: number): Promise<boolean> {
  const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null, protocol: 2 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.info('server')).includes(`process_id:${pid}\r`)
  } finally {
    client.disconnect()
  }
}
