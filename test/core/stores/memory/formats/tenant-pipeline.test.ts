import { expect, it } from 'vitest'
import { memoryProvider } from '../../../../../electron/core/locks/memory/provider.ts'
import { MemoryServer } from '../../../../../electron/core/stores/memory/server.ts'
import { MemoryStore } from '../../../../../electron/core/stores/memory/store.ts'
import { releaseLock } from '../../../../contract/ask.ts'
import { listAll } from '../../../../contract/suite.ts'
import { acquirePipeline } from '../../../acquire-pipeline.ts'

const never = new AbortController().signal
const run = {
  tenant_id: 'acme1281',
  pipeline_id: 'gcp_billing_export',
  pipeline_logging_id: 'abc-123',
  locked_by: 'api_user',
}

function place(timeoutMs = 3_600_000) {
  const server = new MemoryServer(timeoutMs)
  const store = new MemoryStore(
    { kind: 'memory', name: 'x', username: null, password: null, format: null },
    { server },
  )
  return { server, store }
}

it('reads the tenant, the pipeline, the run and who started it', async () => {
  const { server, store } = place()
  acquirePipeline(server, run)
  expect((await listAll(store)).locks).toMatchObject([
    {
      key: 'acme1281:gcp_billing_export',
      owner: 'abc-123',
      holder: { user: 'api_user' },
      acquiredAtSource: 'stored',
      state: 'held',
      fields: { tenant_id: 'acme1281', pipeline_id: 'gcp_billing_export', pipeline_logging_id: 'abc-123' },
    },
  ])
})

it('refuses a second run while the first is alive, and names it', () => {
  const { server } = place()
  expect(acquirePipeline(server, run)).toBeNull()
  expect(acquirePipeline(server, { ...run, pipeline_logging_id: 'def-456' })).toBe('abc-123')
  expect(acquirePipeline(server, { ...run, tenant_id: 'acme9999' })).toBeNull()
})

it('shows a run past its timeout as expired until another takes its place', async () => {
  const { server, store } = place()
  acquirePipeline(server, run, Date.now() - 3_700_000)
  expect((await listAll(store)).locks).toMatchObject([{ state: 'expired' }])
  expect(acquirePipeline(server, { ...run, pipeline_logging_id: 'def-456' })).toBeNull()
  expect((await listAll(store)).locks).toMatchObject([{ state: 'held', owner: 'def-456' }])
})

it('refuses when the same run was restarted', async () => {
  const { server, store } = place()
  acquirePipeline(server, run, Date.now() - 60_000)
  const lock = (await store.inspect('acme1281:gcp_billing_export', never))?.lock
  server.records.delete('acme1281:gcp_billing_export')
  acquirePipeline(server, run)
  expect(await releaseLock(store, lock?.id ?? '', lock?.fence ?? '', never)).toMatchObject({
    outcome: 'changed',
  })
  expect(server.records.size).toBe(1)
})

it('ends a lock at its stored end', async () => {
  const { server, store } = place()
  const provider = memoryProvider(server, { format: null, fencing: undefined })
  await provider.take('acme1281:short', { owner: 'run-1', ttlMs: 60_000, metadata: null }, never)
  const [lock] = (await listAll(store)).locks
  expect(lock).toMatchObject({ name: 'acme1281:short', state: 'held', fields: { fencing: 1 } })
  expect(lock?.lease).toMatchObject({ kind: 'deadline', expiresAt: expect.closeTo(Date.now() + 60_000, -4) })
  server.records.set('acme1281:short', { ...(server.records.get('acme1281:short') as object), expires_at: 1 })
  expect((await listAll(store)).locks).toMatchObject([{ state: 'expired' }])
  expect(server.live('acme1281:short')).toBeNull()
})

it('refuses when the lock was renewed since it was seen, and notifies waiters of a release', async () => {
  const { server, store } = place()
  const provider = memoryProvider(server, { format: null, fencing: undefined })
  const request = { owner: 'run-1', ttlMs: 60_000, metadata: null }
  await provider.take('without a tenant', request, never)
  const [seen] = (await listAll(store)).locks
  expect(seen).toMatchObject({ name: 'without a tenant', key: 'without a tenant' })
  await provider.extend('without a tenant', { owner: 'run-1', mark: null }, 120_000, never)
  expect(await releaseLock(store, seen?.id ?? '', seen?.fence ?? '', never)).toMatchObject({
    outcome: 'changed',
  })
  let told = 0
  await provider.listen('without a tenant', () => told++, never)
  const [now] = (await listAll(store)).locks
  expect(await releaseLock(store, now?.id ?? '', now?.fence ?? '', never)).toMatchObject({
    outcome: 'released',
  })
  expect(told).toBe(1)
})
