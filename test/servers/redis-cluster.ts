import { Redis } from 'ioredis'
import { type RedisServer, startRedis } from './redis.ts'

const SLOTS = 16_384

export type RedisCluster = { readonly servers: readonly RedisServer[]; close(): Promise<void> }

/** Three primaries that share the slots; no replicas. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const args = [
    '--cluster-enabled',
    'yes',
    '--cluster-require-full-coverage',
    'no',
    '--cluster-node-timeout',
    '1000',
  ]
  const servers: RedisServer[] = []
  // A node also listens on its port + 10000, which has to exist.
  while (servers.length < 3) {
    const server = await startRedis({ args: ['--databases', '1', ...args] }).catch(() => null)
    if (server) servers.push(server)
  }
  const clients = servers.map(({ port }) => new Redis({ port }))
  const share = Math.ceil(SLOTS / servers.length)
  for (const [i, client] of clients.entries()) {
    await client.call('CLUSTER', ['ADDSLOTSRANGE', i * share, Math.min(SLOTS, (i + 1) * share) - 1])
    if (i > 0) await client.call('CLUSTER', ['MEET', '127.0.0.1', servers[0]?.port ?? 0])
  }
  for (const client of clients) {
    while (
      !/cluster_state:ok[\s\S]*cluster_known_nodes:3/.test(String(await client.call('CLUSTER', ['INFO'])))
    ) {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
    client.disconnect()
  }
  return {
    servers,
    close: async () => void (await Promise.all(servers.map(server => server.stop('SIGKILL')))),
  }
}
