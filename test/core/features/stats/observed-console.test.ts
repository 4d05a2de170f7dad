import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createCore } from '../../../../electron/core/compose.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import type { LockTenure, Stats } from '../../../../shared/stats.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { everythingIn, openConsole, profile } from '../console.ts'

const HOUR = 3_600_000
let count = 0

/** An embedded store of its own, with somebody who takes and gives back locks. */
function aStore() {
  const name = `observed-${process.pid}-${count++}`
  const server = memoryServer(name)
  onTestFinished(() => server.records.clear())
  return {
    server,
    address: `memory:${name}`,
    take(pipeline: string, run = 'run-1', by = 'scheduler'): void {
      const lock = { tenant_id: 'acme', pipeline_id: pipeline, pipeline_logging_id: run, locked_by: by }
      server.records.delete(`acme:${pipeline}`)
      acquirePipeline(server, lock)
    },
    drop: (pipeline: string) => server.records.delete(`acme:${pipeline}`),
  }
}

function historyFiles(folder: string): string[] {
  return readdirSync(join(folder, 'history'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.jsonl'))
    .map(name => join(folder, 'history', name))
    .sort()
}

async function observed(store: ReturnType<typeof aStore>, folder = dataFolder()) {
  const console = openConsole(folder, { stores: [store.address] })
  const read = (): Promise<Stats> => console.ask('stats.read', {})
  await expect.poll(async () => (await read()).stores[0]?.status).toBe('live')
  const tenures = async (): Promise<LockTenure[]> =>
    (await console.ask('stats.tenures', { from: Date.now() - HOUR, to: Date.now() + 1000 })).tenures
  const storeId = (await read()).stores[0]?.storeId ?? ''
  return { ...console, read, tenures, storeId }
}

test('a console watches its stores whether or not a screen is open', async () => {
  const store = aStore()
  store.take('billing')
  const console = await observed(store)
  store.take('usage', 'run-2')
  await expect.poll(async () => (await console.read()).overall.flows.taken).toBe(1)
  store.drop('billing')
  await expect.poll(async () => (await console.read()).overall.flows.freed).toBe(1)
  expect((await console.read()).overall).toMatchObject({
    counts: { held: 1 },
    active: 1,
    byHolder: { top: [{ name: 'scheduler', count: 1 }] },
    byPrefix: { top: [{ name: 'acme', count: 1 }] },
    byName: { top: [{ name: 'usage', count: 1 }] },
  })
})

test('history survives a restart, with a gap for the time in between', async () => {
  const store = aStore()
  const folder = dataFolder()
  store.take('billing', 'run-1')
  const first = await observed(store, folder)
  store.take('billing', 'run-2')
  await expect.poll(async () => (await first.read()).overall.flows.passedOn).toBe(1)
  const before = Date.now()
  await first.close()
  store.take('billing', 'run-3')

  const second = await observed(store, folder)
  await expect.poll(async () => (await second.tenures()).length).toBe(3)
  expect((await second.tenures()).map(({ holder, end }) => ({ holder, end }))).toEqual([
    { holder: 'run-1 (scheduler)', end: 'passed-on' },
    { holder: 'run-2 (scheduler)', end: 'unseen' },
    { holder: 'run-3 (scheduler)', end: 'held' },
  ])
  const { overall } = await second.read()
  expect(overall.flows).toMatchObject({ passedOn: 1, taken: 0 })
  const history = await second.ask('stats.history', { from: before - 5000, to: Date.now(), points: 100 })
  const gaps = history.series[0]?.gaps ?? []
  expect(gaps.some(gap => gap.why === 'away' && gap.from <= before && (gap.until ?? 0) > before)).toBe(true)
})

test('an outage is a gap with its reason, and the last counts keep their time', async () => {
  const store = aStore()
  store.take('billing')
  const console = await observed(store)
  const from = Date.now()
  store.server.up = false
  await expect.poll(async () => (await console.read()).stores[0]?.status).toBe('down')
  const [stats] = (await console.read()).stores
  expect(stats).toMatchObject({ counts: { held: 1 }, error: { code: 'STORE_UNREACHABLE' } })
  expect(stats?.asOf).toBeLessThanOrEqual(Date.now())
  const history = await console.ask('stats.history', { from, to: Date.now(), points: 10 })
  expect(history.series[0]?.gaps.at(-1)).toMatchObject({
    why: 'down',
    until: null,
    message: 'The memory store is switched off',
  })
  store.server.up = true
  await expect.poll(async () => (await console.read()).stores[0]?.status).toBe('live')
})

test('a closed store is not listed, and a removed one is forgotten', async () => {
  const store = aStore()
  store.take('billing')
  const console = await observed(store)
  await console.ask('stores.setOpen', { storeId: console.storeId, open: false })
  expect((await console.read()).stores).toEqual([])
  await console.ask('stores.setOpen', { storeId: console.storeId, open: true })
  await expect.poll(async () => (await console.read()).stores[0]?.status).toBe('live')
  await console.ask('stores.remove', { storeId: console.storeId })
  expect((await console.read()).stores).toEqual([])
  await expect(console.ask('stats.read', { storeIds: [console.storeId] })).rejects.toThrow('NOT_FOUND')
})

test('a connection test is not observed', async () => {
  const store = aStore()
  const tried = aStore()
  const console = await observed(store)
  await console.ask('stores.test', { profile: profile({ address: tried.address }) })
  expect((await console.read()).stores.map(({ address }) => address)).toEqual([store.address])
  await console.close()
  expect(everythingIn(console.folder)).not.toContain(tried.address)
})

test('without history, nothing is watched without a screen, and nothing is kept', async () => {
  const store = aStore()
  store.take('billing')
  const console = openConsole(dataFolder(), { stores: [store.address] }, { historyMs: 0 })
  await expect.poll(() => console.list()?.stores[0]?.revision).toBe(1)
  const { stores } = await console.ask('stats.read', {})
  expect(stores).toMatchObject([{ status: 'unwatched', counts: { held: 1 }, observedMs: 0 }])
  await console.close()
  expect(everythingIn(console.folder)).not.toContain('billing')
})

test('lists the holders of a lock over time, and nothing about the gaps', async () => {
  const store = aStore()
  store.take('billing', 'run-1', 'scheduler')
  store.take('usage', 'run-2', 'scheduler')
  store.take('crm', 'run-3', 'api')
  const console = await observed(store)
  const to = Date.now() + 500
  const history = await console.ask('stats.groups', { by: 'holder', from: to - 60_000, to, points: 6 })
  expect(history.groups.map(({ name, points }) => [name, points.at(-1)])).toEqual([
    ['scheduler', 2],
    ['api', 1],
  ])
  expect(history.groups[0]?.points.slice(0, 4)).toEqual([null, null, null, null])
})

test('during a pass, the last complete one counts', async () => {
  const store = aStore()
  for (let i = 0; i < 3000; i++) store.take(`old-${i}`)
  const console = await observed(store)
  const totals = new Set<number>()
  for (let round = 0; round < 3; round++) {
    store.server.records.clear()
    for (let i = 0; i < 3000; i++) store.take(`new-${round}-${i}`)
    const until = Date.now() + 2500
    while (Date.now() < until) {
      totals.add((await console.read()).overall.total)
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  // Old and new ones together were never there.
  expect(Math.max(...totals)).toBe(3000)
})

test('a command removes nothing of the history that a console keeps', async () => {
  const store = aStore()
  store.take('billing')
  const folder = dataFolder()
  const console = await observed(store, folder)
  await console.close()
  const old = new Date(Date.now() - 48 * HOUR)
  const files = historyFiles(folder)
  for (const path of files) utimesSync(path, old, old)
  const asking = createCore({ dataFolder: folder })
  onTestFinished(() => asking.close())
  await sleep(200)
  expect(historyFiles(folder)).toEqual(files)
  expect(files.length).toBeGreaterThan(0)
  const next = await observed(aStore(), folder)
  await expect.poll(() => historyFiles(folder).some(path => files.includes(path))).toBe(false)
  await next.close()
})

test('of two stores with one address, history is still kept after the first is removed', async () => {
  const store = aStore()
  const folder = dataFolder()
  const console = await observed(store, folder)
  const twin = await console.ask('stores.add', { profile: profile({ name: 'Twin', address: store.address }) })
  await console.ask('stores.remove', { storeId: console.storeId })
  store.take('later')
  await expect
    .poll(async () => (await console.ask('stats.keys', { storeIds: [twin.storeId], text: 'later' })).length)
    .toBe(1)
  await console.close()
  expect(everythingIn(folder)).toContain('acme:later')
})

test('refuses a window that ends before it begins', async () => {
  const console = await observed(aStore())
  await expect(console.ask('stats.history', { from: 2, to: 1, points: 10 })).rejects.toThrow('BAD_INPUT')
  await expect(console.ask('stats.tenures', { from: 2, to: 2 })).rejects.toThrow('BAD_INPUT')
})

test('an unobserved window is empty, with a gap', async () => {
  const console = await observed(aStore())
  const history = await console.ask('stats.history', { from: 1000, to: 61_000, points: 6 })
  expect(history.series[0]?.points).toEqual([null, null, null, null, null, null])
  expect(history.series[0]?.gaps).toEqual([{ from: 1000, until: 61_000, why: 'away', message: null }])
})

test('finds keys by a part of their name, with the most tenures first', async () => {
  const store = aStore()
  for (const name of ['billing', 'usage', 'crm']) store.take(name)
  const console = await observed(store)
  store.take('usage', 'run-2')
  await expect.poll(async () => (await console.read()).overall.flows.passedOn).toBe(1)
  const keys = await console.ask('stats.keys', { limit: 2 })
  expect(keys).toMatchObject([
    { key: 'acme:usage', tenures: 2, heldNow: true },
    { key: 'acme:billing', tenures: 1, heldNow: true },
  ])
  expect(await console.ask('stats.keys', { text: 'CRM' })).toMatchObject([{ key: 'acme:crm' }])
})
