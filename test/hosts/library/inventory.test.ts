import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCore } from '../../../electron/core/compose.ts'
import { storeFile } from '../../../electron/core/features/stores/store-file.ts'
import { memoryServer } from '../../../electron/core/stores/memory/servers.ts'
import { createLockManager } from '../../../electron/hosts/library/index.ts'
import { acquirePipeline } from '../../core/acquire-pipeline.ts'

let dataFolder: string
beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'lockkeeper-locks-'))
})
afterEach(() => rm(dataFolder, { recursive: true, force: true }))

let places = 0
function place() {
  const name = `inventory-${++places}`
  return {
    address: `memory:${name}`,
    manager: createLockManager(`memory:${name}`),
    server: memoryServer(name),
  }
}

async function listProduction(address: string, { readOnly }: { readonly readOnly: boolean }) {
  const profile = { name: 'Billing', address, colour: 'rose', production: true, readOnly } as const
  const stores = [{ storeId: 'prod', profile, open: true, sealed: null, serverIds: [] }]
  await storeFile(dataFolder).update(() => ({ version: 1, stores }))
}

it('lists the held locks of every owner, and no expired ones', async () => {
  const { manager, server } = place()
  await manager.acquire('acme:a', { owner: 'run-1', ttl: '10m' })
  await manager.acquire('gone', { owner: 'run-2', ttl: 1 })
  acquirePipeline(server, {
    tenant_id: 'globex',
    pipeline_id: 'b',
    pipeline_logging_id: 'run-3',
    locked_by: 'ana',
  })
  server.records.set('settings', { theme: 'dark' })
  await expect.poll(async () => (await manager.activeLocks()).length).toBe(2)
  expect(await manager.activeLocks()).toMatchObject([
    { key: 'acme:a', owner: 'run-1', fields: { tenant_id: 'acme' } },
    { key: 'globex:b', owner: 'run-3', label: 'ana' },
  ])
  expect(await manager.stats()).toMatchObject({ provider: 'memory', active: 2, acquired: 2 })
})

it('removes expired locks and nothing else', async () => {
  const { manager, server } = place()
  await manager.acquire('held')
  await manager.acquire('gone-1', { ttl: 1 })
  await manager.acquire('gone-2', { ttl: 1 })
  await expect.poll(() => server.live('gone-2')).toBeNull()
  expect(await manager.cleanupExpired()).toBe(2)
  expect([...server.records.keys()]).toEqual(['held'])
  expect(await manager.cleanupExpired()).toBe(0)
})

it('releases everything as the console does: recorded, and undoable', async () => {
  const { manager, server, address } = place()
  for (const key of ['acme:a', 'acme:b', 'c']) await manager.acquire(key, { owner: `run-${key}` })
  server.records.set('settings', { theme: 'dark' })
  const answer = await manager.releaseAll({ reason: 'scheduler host lost', dataFolder })
  expect(answer).toMatchObject({ released: 3, unread: [] })
  expect(answer.results.map(each => `${each.key} ${each.outcome}`).sort()).toEqual([
    'acme:a released',
    'acme:b released',
    'c released',
  ])
  expect([...server.records.keys()]).toEqual(['settings'])

  const core = createCore({ dataFolder })
  const never = new AbortController().signal
  const recorded = await core.handlers['audit.list']({}, { signal: never, action: 'list' })
  expect(JSON.stringify(recorded)).toContain('scheduler host lost')
  await core.handlers['stores.open'](
    { address: `${address}?format=tenant-pipeline` },
    { signal: never, action: 'a' },
  )
  const undo = await core.handlers['plans.undo']({ of: answer.planId ?? '' }, { signal: never, action: 'b' })
  expect(undo).toMatchObject({ kind: 'restore', count: 3 })
  await core.close()
})

it('changes nothing in a store that the console has marked read-only', async () => {
  const { manager, server, address } = place()
  await manager.acquire('acme:a')
  await listProduction(address, { readOnly: true })
  await expect(manager.releaseAll({ reason: 'test', confirm: 'Billing', dataFolder })).rejects.toThrow(
    'set to read-only',
  )
  expect(server.records.size).toBe(1)
})

it('requires the name of a store that the console has marked production', async () => {
  const { manager, server, address } = place()
  await manager.acquire('acme:a')
  await listProduction(address, { readOnly: false })
  const release = (typed: object) => manager.releaseAll({ reason: 'test', dataFolder, ...typed })
  for (const typed of [{}, { confirm: 'Copy' }])
    await expect(release(typed)).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringContaining('{ confirm: ["Billing"] }'),
    })
  expect(server.records.size).toBe(1)
  expect(await release({ confirm: 'Billing' })).toMatchObject({ released: 1 })
})

it('requires a reason to release everything', async () => {
  const { manager, server } = place()
  await manager.acquire('a')
  for (const options of [{ reason: ' ', dataFolder }, { dataFolder }, undefined])
    await expect(manager.releaseAll(options as { reason: string })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
  expect(server.records.size).toBe(1)
})

it('says that there was nothing to release', async () => {
  const { manager } = place()
  expect(await manager.releaseAll({ reason: 'test', dataFolder })).toEqual({
    released: 0,
    planId: null,
    unread: [],
    results: [],
  })
})

it('refuses to keep more locks than fit into the memory of a program', async () => {
  const { manager, server } = place()
  acquirePipeline(server, { tenant_id: 'a', pipeline_id: 'p', pipeline_logging_id: 'r', locked_by: 'x' })
  const [record] = server.records.values()
  for (let i = 0; i <= 250_000; i++) server.records.set(`acme:${i}`, record)
  await expect(manager.activeLocks()).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringContaining('more locks than this program can keep'),
  })
})
