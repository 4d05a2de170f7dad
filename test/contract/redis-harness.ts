import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { parseAddress } from '../../shared/address.ts'
import { startRedis } from '../servers/redis.ts'
import type { HarnessFactory } from './harness.ts'
import { type Open, openHere } from './open.ts'

const READER = 'reader'
const SECRET = 'may-only-read'

/** The pipeline service's keys: `pipeline_lock:{tenant}:{pipeline}` holds the run. */
const keyOf = (name: string) => `pipeline_lock:acme:${name}`

export const redisHarness = redisHarnessWith(openHere)

export function redisHarnessWith(openAddress: Open): HarnessFactory {
  const openStore = (text: string) => openAddress(parseAddress(text))
  return {
    kind: 'redis',
    async open() {
      const port = inject('redisPort')
      const admin = new Redis({ port })
      const db = 1 + ((await admin.incr('next-database')) % 4000)
      const client = new Redis({ port, db })
      await client.flushdb()
      await admin.call('ACL', [
        'SETUSER',
        READER,
        'on',
        `>${SECRET}`,
        '~*',
        '+@read',
        '+@connection',
        '+select',
      ])
      const store = await openStore(`redis://127.0.0.1:${port}/${db}`)
      const readOnly = await openStore(`redis://${READER}:${SECRET}@127.0.0.1:${port}/${db}`)
      return {
        store,
        readOnly,
        keyOf,
        hold: async (name, owner, leaseMs) => {
          await client.set(keyOf(name), owner, 'PX', leaseMs)
        },
        acquire: async (name, owner, leaseMs) =>
          (await client.set(keyOf(name), owner, 'PX', leaseMs, 'NX')) === 'OK',
        holdMany: async (names, owner) => {
          const batch = client.pipeline()
          for (const name of names) batch.set(keyOf(name), owner, 'PX', 3_600_000)
          await batch.exec()
        },
        drop: async name => {
          await client.del(keyOf(name))
        },
        ownerOf: name => client.get(keyOf(name)),
        putUnrecognised: async () => {
          await client.set('lockRecharge:broken', 'not JSON')
          return 'lockRecharge:broken'
        },
        remainingMs: name => client.pttl(keyOf(name)),
        close: async () => {
          await Promise.all([store.close(), readOnly.close()])
          await client.flushdb()
          client.disconnect()
          admin.disconnect()
        },
      }
    },
    async openOutage() {
      let server = await startRedis()
      const { port } = server
      const populate = async () => {
        const client = new Redis({ port })
        await client.set(keyOf('survivor'), 'owner-1', 'PX', 3_600_000)
        client.disconnect()
      }
      await populate()
      const store = await openStore(`redis://127.0.0.1:${port}/0`)
      return {
        store,
        kill: () => server.stop('SIGKILL'),
        freeze: () => server.freeze(),
        thaw: () => server.thaw(),
        revive: async () => {
          server = await startRedis({ port })
          await populate()
        },
        close: async () => {
          await store.close()
          await server.stop('SIGKILL')
        },
      }
    },
  }
}
