import { expect, it, onTestFinished, vi } from 'vitest'
import { memoryProvider } from '../../../electron/core/locks/memory/provider.ts'
import type { PipelineLock } from '../../../electron/core/stores/memory/format/pipeline-lock.ts'
import { MemoryServer } from '../../../electron/core/stores/memory/server.ts'
import { acquirePipeline } from '../acquire-pipeline.ts'
import { providerSuite } from './provider-suite.ts'

providerSuite(
  'memory',
  async () => {
    const server = new MemoryServer()
    const options = { format: null, fencing: undefined }
    return {
      provider: memoryProvider(server, options),
      second: memoryProvider(server, options),
      age: async name => {
        const record = server.records.get(name) as PipelineLock
        server.records.set(name, { ...record, locked_at: 1, expires_at: server.now() / 1000 - 1 })
      },
      foreign: async (name, owner) => {
        server.records.delete(name)
        const [tenant = '', ...pipeline] = name.split(':')
        acquirePipeline(server, {
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

it('keeps a lock to its holder when the clock of the machine is set forward or back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  const { signal } = new AbortController()
  const provider = memoryProvider(new MemoryServer(), { format: null, fencing: undefined })
  const request = (owner: string) => ({ owner, ttlMs: 60_000, metadata: null })
  const taken = await provider.take('job', request('run-1'), signal)
  expect(Math.abs((taken.is === 'taken' ? taken.acquiredAt : 0) - Date.now())).toBeLessThan(60_000)
  for (const jumpMs of [3_700_000, -7_400_000]) {
    vi.setSystemTime(Date.now() + jumpMs)
    expect(await provider.take('job', request('run-2'), signal)).toMatchObject({
      is: 'held',
      holder: { owner: 'run-1' },
    })
  }
})
