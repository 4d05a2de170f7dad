import { expect, it } from 'vitest'
import { MemoryServer } from '../../../../../electron/core/stores/memory/server.ts'
import { MemoryStore } from '../../../../../electron/core/stores/memory/store.ts'
import { listAll } from '../../../../contract/suite.ts'

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
  server.acquire(run)
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
  expect(server.acquire(run)).toBeNull()
  expect(server.acquire({ ...run, pipeline_logging_id: 'def-456' })).toBe('abc-123')
  expect(server.acquire({ ...run, tenant_id: 'acme9999' })).toBeNull()
})

it('shows a run past its timeout as expired until another takes its place', async () => {
  const { server, store } = place()
  server.acquire(run, Date.now() - 3_700_000)
  expect((await listAll(store)).locks).toMatchObject([{ state: 'expired' }])
  expect(server.acquire({ ...run, pipeline_logging_id: 'def-456' })).toBeNull()
  expect((await listAll(store)).locks).toMatchObject([{ state: 'held', owner: 'def-456' }])
})

it('refuses when the same run was started anew', async () => {
  const { server, store } = place()
  server.acquire(run, Date.now() - 60_000)
  const lock = (await store.inspect('acme1281:gcp_billing_export', never))?.lock
  server.records.delete('acme1281:gcp_billing_export')
  server.acquire(run)
  expect(await store.release(lock?.id ?? '', lock?.fence ?? '', never)).toMatchObject({ outcome: 'changed' })
  expect(server.records.size).toBe(1)
})
