import { inject } from 'vitest'
import { startDynamoDb } from '../servers/dynamodb.ts'
import { denyWrites, startDynamoProxy } from '../servers/dynamodb-proxy.ts'
import { type TableItem, TestTable } from '../servers/dynamodb-table.ts'
import type { HarnessFactory } from './harness.ts'
import { type Open, openHere } from './open.ts'

const HOUR = 3_600_000

export const dynamodbHarness = dynamodbHarnessWith(openHere)

export function dynamodbHarnessWith(openStore: Open): HarnessFactory {
  return {
    kind: 'dynamodb',
    async open() {
      const table = await TestTable.create(inject('dynamodbEndpoint'))
      const reader = await startDynamoProxy(table.endpoint, denyWrites)
      const store = await openStore(table.address())
      const readOnly = await openStore(table.address({ endpoint: reader.endpoint }))
      return {
        store,
        readOnly,
        keyOf: name => `pipeline:${name}`,
        hold: (name, owner, leaseMs) => table.put(pipelineLock(name, owner, leaseMs)),
        acquire: (name, owner, leaseMs) => table.putNew(pipelineLock(name, owner, leaseMs), 'lock_key'),
        holdMany: (names, owner) => table.putMany(names.map(name => pipelineLock(name, owner, HOUR))),
        drop: name => table.delete(keyOf(name)),
        ownerOf: async name => (await table.get(keyOf(name)))?.['owner_id']?.S ?? null,
        putUnrecognised: async () => {
          await table.put({ lock_key: { S: 'settings' }, theme: { S: 'dark' } })
          return 'settings'
        },
        remainingMs: async name =>
          Number((await table.get(keyOf(name)))?.['expires_at']?.N) * 1000 - Date.now(),
        close: async () => {
          await Promise.all([store.close(), readOnly.close(), reader.close()])
          await table.drop()
        },
      }
    },
    async openOutage() {
      const server = await startDynamoDb()
      const table = await TestTable.create(server.endpoint)
      await table.put(pipelineLock('survivor', 'owner-1', HOUR))
      const store = await openStore(table.address())
      return {
        store,
        kill: server.kill,
        freeze: server.freeze,
        thaw: server.thaw,
        revive: server.revive,
        close: async () => {
          table.client.destroy()
          await store.close()
          await server.close()
        },
      }
    },
  }
}

function keyOf(name: string): TableItem {
  return { lock_key: { S: `pipeline:${name}` } }
}

/** As the pipelines write it: whole seconds. */
function pipelineLock(name: string, owner: string, leaseMs: number): TableItem {
  const now = Date.now()
  return {
    ...keyOf(name),
    owner_id: { S: owner },
    expires_at: { N: String(Math.ceil((now + leaseMs) / 1000)) },
    acquired_at: { N: String(Math.floor(now / 1000)) },
  }
}
