import { MemoryServer, type PipelineLock } from '../../electron/core/stores/memory/server.ts'
import { MemoryStore } from '../../electron/core/stores/memory/store.ts'
import type { MemoryAddress } from '../../shared/address.ts'
import type { HarnessFactory } from './harness.ts'

const address: MemoryAddress = { kind: 'memory', name: 'test', username: null, password: null, format: null }

export const memoryHarness: HarnessFactory = {
  kind: 'memory',
  async open() {
    const server = new MemoryServer(90_000)
    const hold = (name: string, owner: string) => {
      server.records.set(`acme:${name}`, pipelineLock(name, owner))
    }
    return {
      store: new MemoryStore(address, { server }),
      readOnly: new MemoryStore(address, { server, readOnly: true }),
      keyOf: name => `acme:${name}`,
      hold: async (name, owner) => hold(name, owner),
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
      remainingMs: async name => (lockOf(server, name)?.locked_at ?? 0) * 1000 + 90_000 - Date.now(),
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

function pipelineLock(name: string, owner: string): PipelineLock {
  return {
    tenant_id: 'acme',
    pipeline_id: name,
    pipeline_logging_id: owner,
    locked_at: Date.now() / 1000,
    locked_by: 'tests',
  }
}

function lockOf(server: MemoryServer, name: string): PipelineLock | undefined {
  return server.records.get(`acme:${name}`) as PipelineLock | undefined
}
