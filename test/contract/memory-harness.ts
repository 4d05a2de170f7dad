import type { MemoryAddress } from '../../electron/core/stores/memory/address.ts'
import type { PipelineLock } from '../../electron/core/stores/memory/format/pipeline-lock.ts'
import { MemoryServer } from '../../electron/core/stores/memory/server.ts'
import { MemoryStore } from '../../electron/core/stores/memory/store.ts'
import { acquirePipeline } from '../core/acquire-pipeline.ts'
import type { HarnessFactory } from './harness.ts'

const address: MemoryAddress = { kind: 'memory', name: 'test', username: null, password: null, format: null }

const TIMEOUT_MS = 90_000

export const memoryHarness: HarnessFactory = {
  kind: 'memory',
  async open() {
    const server = new MemoryServer(TIMEOUT_MS)
    const hold = (name: string, owner: string, leaseMs = TIMEOUT_MS) => {
      server.records.set(`acme:${name}`, pipelineLock(name, owner, leaseMs))
    }
    return {
      store: new MemoryStore(address, { server }),
      readOnly: new MemoryStore(address, { server, readOnly: true }),
      keyOf: name => `acme:${name}`,
      hold: async (name, owner, leaseMs) => hold(name, owner, leaseMs),
      acquire: async (name, owner) => acquirePipeline(server, pipelineLock(name, owner)) === null,
      holdMany: async (names, owner) => {
        for (const name of names) hold(name, owner)
      },
      drop: async name => {
        server.records.delete(`acme:${name}`)
      },
      ownerOf: async name => lockOf(server, name)?.pipeline_logging_id ?? null,
      putUnrecognised: async () => {
        server.records.set('settings', { theme: 'dark' })
        return 'settings'
      },
      remainingMs: async name => (lockOf(server, name)?.locked_at ?? 0) * 1000 + TIMEOUT_MS - Date.now(),
      close: async () => {},
    }
  },
  async openOutage() {
    const server = new MemoryServer()
    server.records.set('acme:survivor', pipelineLock('survivor', 'owner-1'))
    return {
      store: new MemoryStore(address, { server }),
      kill: async () => {
        server.up = false
      },
      revive: async () => {
        server.up = true
      },
      close: async () => {},
    }
  },
}

/** All leases are as long: one that ends sooner was taken earlier. */
function pipelineLock(name: string, owner: string, leaseMs = TIMEOUT_MS): PipelineLock {
  return {
    tenant_id: 'acme',
    pipeline_id: name,
    pipeline_logging_id: owner,
    locked_at: (Date.now() - TIMEOUT_MS + Math.min(leaseMs, TIMEOUT_MS)) / 1000,
    locked_by: 'tests',
  }
}

function lockOf(server: MemoryServer, name: string): PipelineLock | undefined {
  return server.records.get(`acme:${name}`) as PipelineLock | undefined
}
