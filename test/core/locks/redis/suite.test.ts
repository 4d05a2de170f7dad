import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { textToKey } from '../../../../electron/core/lib/bytes.ts'
import type { Provider, ProviderOptions } from '../../../../electron/core/locks/provider.ts'
import { createRedisProvider } from '../../../../electron/core/locks/redis/provider.ts'
import { createRedlockProvider } from '../../../../electron/core/locks/redis/redlock.ts'
import { startRedis } from '../../../servers/redis.ts'
import { type ProviderPlace, providerSuite } from '../provider-suite.ts'
import { OPEN, redisAddress } from './place.ts'

const MINUTE = 60_000

/** What other programs of each format write. */
const FOREIGN: Record<string, (owner: string) => string | Buffer> = {
  'recharge-json': lockId =>
    JSON.stringify({ lockId, pid: 7, timestamp: Date.now(), expiresAt: Date.now() + MINUTE }),
  'pubsub-token': owner => owner,
  'pipeline-run': owner => owner,
  // pickle.dumps(owner, 5)
  'flask-cache': owner =>
    Buffer.concat([
      Buffer.from([0x21, 0x80, 5, 0x95, owner.length + 4, 0, 0, 0, 0, 0, 0, 0, 0x8c, owner.length]),
      Buffer.from(owner),
      Buffer.from([0x94, 0x2e]),
    ]),
  token: owner => owner,
}

function place(
  clients: readonly Redis[],
  make: () => Provider,
  close: () => Promise<unknown>,
): ProviderPlace {
  const [provider, second] = [make(), make()]
  const keyOf = (name: string) => textToKey(provider.keyOf(name))
  return {
    provider,
    second,
    age: async name => {
      for (const client of clients) {
        await client.pexpire(keyOf(name), 1)
        while ((await client.exists(keyOf(name))) === 1);
      }
    },
    foreign: async (name, owner) => {
      const value = FOREIGN[provider.format]?.(owner) ?? ''
      for (const client of clients) await client.set(keyOf(name), value, 'PX', MINUTE)
    },
    close: async () => {
      await Promise.all([provider.close(), second.close()])
      for (const client of clients) client.disconnect()
      await close()
    },
  }
}

for (const format of Object.keys(FOREIGN)) {
  const options: ProviderOptions = { ...OPEN, format }
  providerSuite(
    `Redis with ${format}`,
    async () => {
      const port = inject('redisPort')
      const admin = new Redis({ port })
      const db = 1 + ((await admin.incr('next-database')) % 4000)
      const client = new Redis({ port, db })
      await client.flushdb()
      const address = redisAddress(`redis://127.0.0.1:${port}/${db}`)
      return place(
        [client],
        () => createRedisProvider(address, options),
        async () => admin.disconnect(),
      )
    },
    { marks: format === 'recharge-json', fencing: true, tooLong: null, nul: true },
  )
}

for (const format of ['recharge-json', 'token']) {
  providerSuite(
    `Redlock with ${format}`,
    async () => {
      const servers = await Promise.all([startRedis(), startRedis(), startRedis()])
      const clients = servers.map(({ port }) => new Redis({ port }))
      const addresses = servers.map(({ port }) => redisAddress(`redis://127.0.0.1:${port}`))
      return place(
        clients,
        () => createRedlockProvider(addresses, { ...OPEN, format }),
        () => Promise.all(servers.map(server => server.stop('SIGKILL'))),
      )
    },
    // Each server keeps it for a hundredth longer than its holder counts on.
    { marks: format === 'recharge-json', fencing: false, tooLong: null, nul: true, slackMs: 10_000 },
  )
}
