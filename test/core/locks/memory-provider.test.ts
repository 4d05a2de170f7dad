import { MemoryProvider } from '../../../electron/core/locks/memory/provider.ts'
import { MemoryServer, type PipelineLock } from '../../../electron/core/stores/memory/server.ts'
import { providerSuite } from './provider-suite.ts'

providerSuite(
  'memory',
  async () => {
    const server = new MemoryServer()
    const options = { format: null, fencing: undefined }
    return {
      provider: new MemoryProvider(server, options),
      second: new MemoryProvider(server, options),
      age: async name => {
        const record = server.records.get(name) as PipelineLock
        server.records.set(name, { ...record, locked_at: 1, expires_at: Date.now() / 1000 - 1 })
      },
      foreign: async (name, owner) => {
        server.records.delete(name)
        const [tenant = '', ...pipeline] = name.split(':')
        server.acquire({
          tenant_id: tenant,
          pipeline_id: pipeline.join(':'),
          pipeline_logging_id: owner,
          locked_by: 'tests',
        })
      },
      close: async () => {},
    }
  },
  { marks: true, fencing: true, tooLong: null, nul: true },
)
