import { Redis } from 'ioredis'
import { freePort, programPath, type ServerProcess, startProcess } from './process.ts'

export type RedisServer = ServerProcess & { readonly port: number }

/** A private Redis that keeps nothing on disk. Many databases, so that every test can have its own. */
export async function startRedis(
  options: { port?: number; args?: readonly string[] } = {},
): Promise<RedisServer> {
  const port = options.port ?? (await freePort())
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--databases',
    '4096',
    ...(options.args ?? []),
  ]
  const server = await startProcess(
    programPath('redis-server'),
    args,
    () => answersPing(port),
    'redis-server',
  )
  return { ...server, port }
}

async function answersPing(port: number): Promise<boolean> {
  const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null, protocol: 2 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    // A server that asks for a password is up as well.
    return /NOAUTH|WRONGPASS/.test(String(error))
  } finally {
    client.disconnect()
  }
}
