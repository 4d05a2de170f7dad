import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { inject, onTestFinished } from 'vitest'

export type RedisLocks = {
  readonly client: Redis
  readonly port: number
  readonly db: number
  readonly address: string
  /** The token of each key, as it was put there. */
  readonly tokens: ReadonlyMap<string, string>
  /** What is there now, read with a plain client. */
  left(): Promise<Map<string, string>>
}

/** So many locks in a database of its own: on the shared server, or on one that is about to suffer. */
export async function redisLocks(count: number, own?: { readonly port: number }): Promise<RedisLocks> {
  const port = own?.port ?? inject('redisPort')
  const db = own ? 0 : await freeDatabase(port)
  // Whoever looks afterwards waits for a server that is coming back.
  const client = new Redis({ port, db, maxRetriesPerRequest: null, retryStrategy: () => 50 })
  client.on('error', () => {})
  onTestFinished(async () => {
    if (!own) await client.flushdb()
    client.disconnect()
  })
  const tokens = new Map(Array.from({ length: count }, (_, i) => [`lock:order-${i}`, randomUUID()] as const))
  const batch = client.pipeline()
  for (const [key, token] of tokens) batch.set(key, token, 'PX', 3_600_000)
  await batch.exec()
  const left = async () => {
    const keys = await client.keys('lock:*')
    const values = keys.length === 0 ? [] : await client.mget(keys)
    return new Map(keys.map((key, i) => [key, String(values[i])]))
  }
  return { client, port, db, address: `redis://127.0.0.1:${port}/${db}`, tokens, left }
}

export async function freeDatabase(port: number): Promise<number> {
  const admin = new Redis({ port })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  admin.disconnect()
  return db
}
