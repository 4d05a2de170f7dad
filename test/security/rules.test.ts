import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { StoreError } from '../../electron/core/lib/errors.ts'
import { RedisStore } from '../../electron/core/stores/redis/store.ts'
import type { MethodName } from '../../shared/contract.ts'
import { dynamodbHarness } from '../contract/dynamodb-harness.ts'
import type { HarnessFactory } from '../contract/harness.ts'
import { listAll } from '../contract/list-all.ts'
import { mysqlHarness } from '../contract/mysql-harness.ts'
import { ROOM_FILE } from '../contract/open.ts'
import { redisHarness } from '../contract/redis-harness.ts'
import { openConsole, profile } from '../core/features/console.ts'
import { followPlan } from '../core/features/plans/planning.ts'
import { confirmOf, operator } from '../hosts/cli/plans/plan-cli.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import { startCuttingProxy } from '../proof/cutting-proxy.ts'
import { startRedis } from '../servers/redis.ts'

const HOUR = 3_600_000
const KINDS: readonly HarnessFactory[] = [redisHarness, mysqlHarness, dynamodbHarness]
const CONSOLES = [
  ['in one thread', {}],
  ['in rooms', { roomFile: ROOM_FILE }],
] as const
const reason = 'an attempt'

/** Two locks in a place of their own, and another address of it that only the server itself can give away: a tunnel. */
async function twoWays(harness: HarnessFactory) {
  const h = await harness.open()
  onTestFinished(() => h.close())
  for (const name of ['a', 'b']) await h.hold(name, `owner-${name}`, HOUR)
  const { locks } = await listAll(h.store)
  const { address } = h.store
  const port = /127\.0\.0\.1:(\d+)/.exec(address)?.[1] ?? ''
  const { port: tunnel } = await startCuttingProxy(Number(port))
  const tunnelled = address.replace(`127.0.0.1:${port}`, `127.0.0.1:${tunnel}`)
  const lock = (name: string) => {
    const found = locks.find(({ key }) => key === h.keyOf(name))
    if (!found) throw new Error(`there is no lock ${name}`)
    return { id: found.id, fence: found.fence }
  }
  const left = async () => (await listAll(h.store)).locks.length
  return { address, tunnelled, lock, left, keyOf: h.keyOf }
}

type Console = ReturnType<typeof openConsole>

/** The console knew this store, and has closed it. */
async function closedStore({ ask, folder }: Console, address: string, rules: Parameters<typeof profile>[0]) {
  const { storeId } = await ask('stores.add', { profile: profile({ name: 'Billing', address, ...rules }) })
  const kept = () => JSON.parse(readFileSync(join(folder, 'stores.json'), 'utf8')).stores
  await expect.poll(() => kept()[0].serverIds.length).toBeGreaterThan(0)
  await ask('stores.setOpen', { storeId, open: false })
  return storeId
}

describe.each(
  KINDS.flatMap(harness => CONSOLES.map(([how, more]) => ({ harness, kind: harness.kind, how, more }))),
)('another entry for a $kind server, $how', ({ harness, more }) => {
  it('needs the name of the production store and a reason, and says so', async () => {
    const { address, tunnelled, lock, left } = await twoWays(harness)
    const c = openConsole(undefined, {}, more)
    await closedStore(c, address, { production: true })
    const { storeId } = await c.ask('stores.add', { profile: profile({ name: 'Copy', address: tunnelled }) })
    const entry = () => c.list()?.stores.find(each => each.storeId === storeId)
    await expect.poll(entry).toMatchObject({
      ...{ production: true, productionName: 'Billing', rulesFrom: ['Billing'] },
      own: { production: false, readOnly: false },
    })
    const release = (typed: object) => c.ask('locks.release', { storeId, ...lock('a'), ...typed })
    const unnamed = 'REFUSED: The name of this production store was not typed'
    await expect(release({})).rejects.toThrow(unnamed)
    await expect(release({ confirm: 'Copy', reason })).rejects.toThrow(unnamed)
    await expect(release({ confirm: 'Billing' })).rejects.toThrow('needs a reason')
    const plan = await c.ask('plans.create', { storeIds: [storeId] })
    const apply = (confirm: string) =>
      c.ask('plans.apply', { planId: plan.planId, confirm: [confirm], reason })
    await expect(apply(`Copy 2-${plan.code}`)).rejects.toThrow(`"Billing 2-${plan.code}", were not typed`)
    expect(await left()).toBe(2)
    expect(await release({ confirm: 'Billing', reason })).toMatchObject({ outcome: 'released' })
  })

  it('changes nothing in a store that is set to read-only', async () => {
    const { address, tunnelled, lock, left, keyOf } = await twoWays(harness)
    const c = openConsole(undefined, {}, { ...more, plans: { comeBackMs: 20 } })
    const billing = await closedStore(c, address, {})
    const { storeId } = await c.ask('stores.add', { profile: profile({ name: 'Copy', address: tunnelled }) })
    const { action } = await c.ask('locks.release', { storeId, ...lock('a') })
    const plan = await c.ask('plans.create', { storeIds: [storeId] })
    const undo = await c.ask('plans.undo', { of: action })
    await c.ask('stores.edit', {
      storeId: billing,
      profile: profile({ name: 'Billing', address, readOnly: true }),
    })
    const held = { key: keyOf('c'), forMs: 60_000, mode: 'once' as const, reason }
    const attempts: readonly (readonly [MethodName, object])[] = [
      ['locks.release', { ...lock('b'), reason }],
      ['holds.take', held],
      ['plans.apply', { planId: plan.planId, confirm: ['Copy 1'], reason }],
      ['plans.apply', { planId: undo.planId, confirm: ['Copy 1'], reason }],
    ]
    for (const [method, input] of attempts) {
      const store = method === 'plans.apply' ? {} : { storeId }
      await expect(c.ask(method, { ...store, ...input } as never)).rejects.toThrow(
        'REFUSED: The store Copy is on the same server as Billing, which is set to read-only: nothing was changed. To allow changes, edit Billing in the list of stores',
      )
    }
    expect(await left()).toBe(1)
  })

  it('says in a test of the connection whose rules will apply', async () => {
    const { address, tunnelled } = await twoWays(harness)
    const c = openConsole(undefined, {}, more)
    const storeId = await closedStore(c, address, { readOnly: true })
    const test = (passwordOf?: string) =>
      c.ask('stores.test', { profile: profile({ name: 'Copy', address: tunnelled }), passwordOf })
    expect((await test()).rulesFrom).toEqual(['Billing'])
    // The store itself is no other store.
    expect((await test(storeId)).rulesFrom).toEqual([])
  })
})

describe('the command line', () => {
  it.each(KINDS)('asks for name and reason before a release in a production $kind store', async harness => {
    const { address, tunnelled, lock, left, keyOf } = await twoWays(harness)
    const o = operator()
    const c = openConsole(o.env.LOCKKEEPER_DATA_DIR)
    await closedStore(c, address, { production: true })
    const { id, fence } = lock('a')
    for (const way of [address, tunnelled]) {
      const release = (...more: string[]) => o.run('release', way, id, '--fence', fence, ...more)
      const unnamed = { code: 6, stderr: expect.stringContaining('--confirm "Billing"') }
      expect(await release()).toMatchObject(unnamed)
      expect(await release('--confirm', 'Copy', '--reason', reason)).toMatchObject(unnamed)
      const unexplained = { code: 6, stderr: expect.stringContaining('needs a reason') }
      expect(await release('--confirm', 'Billing')).toMatchObject(unexplained)
      const hold = await o.run('hold', way, keyOf('c'), '--for', '1m', '--once', '--reason', reason)
      expect(hold).toMatchObject(unnamed)
    }
    expect(await left()).toBe(2)
    const named = ['--confirm', 'Billing', '--reason', reason]
    expect(await o.run('release', tunnelled, id, '--fence', fence, ...named)).toMatchObject({ code: 0 })
    expect(await left()).toBe(1)
  })

  it.each(KINDS)('prints the name of the production $kind store to confirm a plan', async harness => {
    const { address, tunnelled, left } = await twoWays(harness)
    const o = operator()
    const early = await o.plan(tunnelled)
    const c = openConsole(o.env.LOCKKEEPER_DATA_DIR)
    await closedStore(c, address, { production: true })
    const [, code] = /2-(\w+)$/.exec(confirmOf(early)) ?? []
    expect(await o.apply(confirmOf(early))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--confirm "Billing 2-${code}"`),
    })
    const confirm = confirmOf(
      await o.run('release-all', tunnelled, '--plan', o.file('b.plan'), '--watch', '0'),
    )
    expect(confirm).toMatch(/^Billing 2-/)
    expect(await left()).toBe(2)
  })

  it.each(['127.1', '0x7f000001', '2130706433', '0177.0.0.1', '0', '１２７.０.０.１'])(
    'changes nothing in a read-only store spelled %s',
    async host => {
      const { address, lock, left } = await twoWays(redisHarness)
      const o = operator()
      const c = openConsole(o.env.LOCKKEEPER_DATA_DIR, {}, {})
      // Never open: nothing but the names of its host tells which server it is.
      await c.ask('stores.add', { profile: profile({ address, readOnly: true }) })
      await c.close()
      const { id, fence } = lock('a')
      const spelled = address.replace('127.0.0.1', host)
      expect(await o.run('release', spelled, id, '--fence', fence)).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('set to read-only'),
      })
      expect(await left()).toBe(2)
    },
  )
})

it('an account that may not ask its server who it is keeps to rules by name, and may change what has none', async () => {
  const { address, tunnelled, lock } = await twoWays(redisHarness)
  const admin = new Redis({ port: inject('redisPort') })
  onTestFinished(() => admin.disconnect())
  await admin.call('ACL', ['SETUSER', 'uninformed', 'on', '>pass', '~*', '&*', '+@all', '-info'])
  const asUser = (text: string) => text.replace('redis://', 'redis://uninformed@')
  const c = openConsole()
  const add = (name: string, text: string, rules: object = {}) =>
    c.ask('stores.add', { profile: profile({ name, address: asUser(text), ...rules }), password: 'pass' })
  await add('Billing', address, { readOnly: true })
  const spelled = await add('Spelled', address.replace('127.0.0.1', 'localhost'))
  const tunnel = await add('Tunnel', tunnelled)
  const release = (storeId: string) => c.ask('locks.release', { storeId, ...lock('a') })
  await expect(release(spelled.storeId)).rejects.toThrow('read-only')
  expect(await release(tunnel.storeId)).toMatchObject({ outcome: 'released' })
})

it('the rules of a closed store hold for its replica once that is promoted, and for no other server', async () => {
  const primary = await startRedis()
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  const unrelated = await startRedis()
  for (const server of [primary, replica, unrelated]) onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: replica.port })
  onTestFinished(() => client.disconnect())
  await expect.poll(() => client.info('replication')).toContain('master_link_status:up')
  const c = openConsole()
  const at = (port: number) => `redis://127.0.0.1:${port}/0`
  await closedStore(c, at(primary.port), { readOnly: true })
  await primary.stop('SIGKILL')
  await client.replicaof('NO', 'ONE')
  const copy = await c.ask('stores.add', { profile: profile({ name: 'Copy', address: at(replica.port) }) })
  const release = (storeId: string) => c.ask('locks.release', { storeId, id: 'any', fence: 'any' })
  await expect(release(copy.storeId)).rejects.toThrow('on the same server as Billing')
  const other = await c.ask('stores.add', {
    profile: profile({ name: 'Other', address: at(unrelated.port) }),
  })
  expect(await release(other.storeId)).toMatchObject({ outcome: 'gone' })
})

it('a store forgets its server when its address leads elsewhere, and only then', async () => {
  const { address } = await twoWays(redisHarness)
  const c = openConsole()
  const storeId = await closedStore(c, address, { readOnly: true })
  const kept = () => JSON.parse(readFileSync(join(c.folder, 'stores.json'), 'utf8')).stores[0].serverIds
  const edit = (to: string) =>
    c.ask('stores.edit', { storeId, profile: profile({ name: 'Billing', readOnly: true, address: to }) })
  await edit(`${address}?match=pipeline_lock:*`)
  expect(kept()).not.toEqual([])
  await edit('redis://127.0.0.1:1/0')
  expect(kept()).toEqual([])
})

it('a list that cannot be read refuses every change in a console, and in no other way', async () => {
  const { address, lock, left } = await twoWays(redisHarness)
  const folder = dataFolder()
  mkdirSync(join(folder, 'stores.json'))
  const c = openConsole(folder, { stores: [address] })
  await expect.poll(() => c.list()?.stores[0]?.revision).toBe(1)
  const storeId = c.list()?.stores[0]?.storeId ?? ''
  expect(await c.ask('locks.inspect', { storeId, id: lock('a').id })).toMatchObject({ lock: lock('a') })
  await expect(c.ask('locks.release', { storeId, ...lock('a') })).rejects.toThrow(
    'REFUSED: The rules of stores cannot be read, so nothing was changed',
  )
  expect(await left()).toBe(2)
})

it('a server that does not answer who it is is not changed, although everything else gets through', async () => {
  const { address, lock, left } = await twoWays(redisHarness)
  const down = new StoreError('STORE_UNREACHABLE', 'The server does not answer')
  const silent = vi.spyOn(RedisStore.prototype, 'serverIds').mockRejectedValue(down)
  onTestFinished(() => silent.mockRestore())
  const c = openConsole()
  const { storeId } = await c.ask('stores.add', { profile: profile({ address }) })
  const release = () => c.ask('locks.release', { storeId, ...lock('a') })
  await expect(release()).rejects.toThrow('STORE_UNREACHABLE: The server does not answer')
  expect(await left()).toBe(2)
  silent.mockRestore()
  expect(await release()).toMatchObject({ outcome: 'released' })
})

it.each([
  [{ readOnly: true }, /on the same server as Billing, which is set to read-only/],
  [{ production: true }, /"Billing 1-\w+", were not typed: the rest of the plan was not applied/],
])(
  'a plan that begins in an outage asks the server who it is before it changes anything: %o',
  async (rules, refusal) => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const client = new Redis({ port: server.port })
    onTestFinished(() => client.disconnect())
    await client.set('pipeline_lock:acme:a', 'run-1', 'PX', HOUR)
    const { port: tunnel } = await startCuttingProxy(server.port)
    const before = openConsole()
    const address = `redis://127.0.0.1:${server.port}/0`
    await closedStore(before, address, rules)
    const copy = profile({ name: 'Copy', address: `redis://127.0.0.1:${tunnel}/0` })
    const { storeId } = await before.ask('stores.add', { profile: copy })
    const { planId, code } = await before.ask('plans.create', { storeIds: [storeId] })
    // Another machine has kept nothing of the copy's server.
    await before.ask('stores.remove', { storeId })
    await before.close()
    server.freeze()
    const c = openConsole(before.folder, {}, { plans: { comeBackMs: 20, patienceMs: 600_000 } })
    await c.ask('stores.add', { profile: copy })
    const { known } = followPlan(c, planId)
    await c.ask('plans.apply', { planId, confirm: [`Copy 1-${code}`], reason })
    const trouble = () => known.plan?.progress.troubles[0]?.error.message
    await expect.poll(trouble).toMatch(/./)
    server.thaw()
    await expect.poll(trouble).toMatch(refusal)
    expect(await client.exists('pipeline_lock:acme:a')).toBe(1)
  },
)
