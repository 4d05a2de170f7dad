import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { WatchEvent } from '../../shared/locks.ts'
import { Database, RECHARGE } from '../core/stores/mysql/database.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import {
  endlessBulk,
  endlessKeys,
  endlessPacket,
  endlessResponse,
  floodingArrays,
  type HostileServer,
  loopingCursor,
} from '../servers/hostile.ts'
import { startRedis } from '../servers/redis.ts'
import { ConsoleProcess, IdleProcess } from './console-process.ts'
import { populateRedis } from './populate.ts'
import { megabytes, millis, printResults, record } from './table.ts'

/** A built checkout to measure, and an older one to compare it with. */
const OURS = process.env['LOCKKEEPER_TREE'] ?? fileURLToPath(new URL('../..', import.meta.url))
const BASE = process.env['LOCKKEEPER_BASE_TREE']
const TREES = Object.entries({ ...(BASE && { base: BASE }), ours: OURS })

const MANY = 100_000
const CHANGES = 60
/** A change that is not seen by then counts as missed; after a few in a row the rest would be, too. */
const SEEN_MS = 5000
const MOST_MISSED = 3
const BESIDE_MS = 15_000
const IDLE_MS = 10_000
const IDLE_STORES = 10

const MOST_STALL_MS = 20
const MOST_MEMORY = 500 * 1024 ** 2
const MOST_PER_STORE = 25 * 1024 ** 2

afterAll(() => printResults('A console beside bad stores'))

const isOurs = (name: string) => name === 'ours'

/** A private Redis with `count` locks. */
async function redisWith(count: number): Promise<{ client: Redis; port: number; address: string }> {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  if (count > 0) await populateRedis(client, 'locks', count)
  return { client, port: server.port, address: `redis://127.0.0.1:${server.port}/0` }
}

async function hostile(start: Promise<HostileServer>): Promise<HostileServer> {
  const server = await start
  onTestFinished(() => server.close())
  return server
}

async function storeIdOf(console: ConsoleProcess, address: string): Promise<string> {
  const find = () => console.stores.find(each => each.address === address && each.revision > 0)?.storeId
  await expect.poll(() => find() ?? console.ended, { timeout: 60_000 }).toBeTruthy()
  return find() ?? ''
}

async function follow(
  console: ConsoleProcess,
  address: string,
  onEvent: (event: WatchEvent) => void = () => {},
): Promise<void> {
  const storeId = await storeIdOf(console, address)
  console.client.open('locks.watch', { storeId, intervalMs: 100 }, onEvent, () => {})
}

describe.each(TREES)('%s', (name, tree) => {
  it('reads many locks without standing still', async () => {
    const small = await redisWith(1)
    const large = await redisWith(MANY)
    const console = await ConsoleProcess.start(tree, [small.address])
    await follow(console, small.address)
    // Loading a client for the first time takes its own time.
    const idle = new IdleProcess()
    await sleep(3000)
    await Promise.all([console.stallMs(), idle.stallMs()])
    const profile = {
      name: 'Large',
      address: large.address,
      colour: 'teal',
      production: false,
      readOnly: false,
    }
    const added = await console.client.call('stores.add', { profile } as never)
    expect(added).toMatchObject({ ok: true })
    let locks = 0
    let passes = 0
    await follow(console, large.address, event => {
      if ('locks' in event) locks += event.locks.length
      if (event.type === 'pass') passes++
    })
    await expect.poll(() => locks >= MANY || console.ended !== null, { timeout: 120_000 }).toBe(true)
    await expect.poll(() => passes > 0 || console.ended !== null, { timeout: 120_000 }).toBe(true)
    await sleep(5000)
    const [stall, idleStall] = await Promise.all([console.stallMs(), idle.stallMs()])
    record({
      tree: name,
      what: 'stall of a process that does nothing beside it',
      value: millis(idleStall ?? NaN),
    })
    record({
      tree: name,
      what: `stall, ${MANY} Redis locks`,
      value: stall === null ? (console.ended ?? 'hangs') : millis(stall),
      most: millis(MOST_STALL_MS),
    })
    if (isOurs(name)) expect.soft(stall).toBeLessThanOrEqual(MOST_STALL_MS)
  })

  it("shows another store's changes as quickly beside a store that floods", async () => {
    const alone = await changes(tree, [])
    recordChanges(name, 'alone', alone)
    const large = await redisWith(MANY)
    const floods: Record<string, string> = {
      [`beside ${MANY} Redis locks`]: large.address,
      'beside flooding arrays': `redis://127.0.0.1:${(await hostile(floodingArrays())).port}/0`,
      'beside an endless response': dynamo(await hostile(endlessResponse())),
    }
    for (const [what, address] of Object.entries(floods)) {
      const beside = await changes(tree, [address])
      recordChanges(name, what, beside)
      if (!isOurs(name)) continue
      expect.soft(beside.ended, what).toBe(null)
      expect.soft(beside.seen, what).toBe(CHANGES)
      for (const part of [0.5, 0.99])
        expect
          .soft(percentile(beside.ms, part), what)
          .toBeLessThanOrEqual(1.2 * percentile(alone.ms, part) + 20)
    }
  })

  it('takes little memory beside servers that send too much', async () => {
    const real = await redisWith(0)
    const tokens = await redisWith(0)
    for (let first = 0; first < 6000; first += 200) {
      const batch = tokens.client.pipeline()
      for (let i = first; i < first + 200; i++)
        batch.set(`pipeline_lock:acme:${i}`, `${i}`.padEnd(60_000, 'x'), 'PX', 3_600_000)
      await batch.exec()
    }
    const redisAt = ({ port }: HostileServer) => `redis://127.0.0.1:${port}/0`
    const servers: Record<string, string> = {
      'no store': '',
      '6000 tokens of 60 kB': tokens.address,
      'flooding arrays': redisAt(await hostile(floodingArrays())),
      'an endless bulk': redisAt(await hostile(endlessBulk())),
      'an endless response': dynamo(await hostile(endlessResponse())),
      'an endless packet': `mysql://root@127.0.0.1:${(await hostile(endlessPacket())).port}/locks`,
      'endless keys': redisAt(await hostile(endlessKeys(real.port))),
      'a looping cursor': redisAt(await hostile(loopingCursor(real.port))),
    }
    for (const [what, address] of Object.entries(servers)) {
      const console = await ConsoleProcess.start(tree, address === '' ? [] : [address])
      if (address !== '') await follow(console, address).catch(() => {})
      for (let waited = 0; waited < BESIDE_MS && console.ended === null; waited += 100) await sleep(100)
      const { peakBytes, ended } = console
      record({
        tree: name,
        what: `peak memory, ${what}`,
        value: ended ?? megabytes(peakBytes),
        'until then': megabytes(peakBytes),
        most: megabytes(MOST_MEMORY),
      })
      await console.stop()
      if (!isOurs(name)) continue
      expect.soft(ended, what).toBe(null)
      expect.soft(peakBytes, what).toBeLessThanOrEqual(MOST_MEMORY)
    }
  })
})

it('takes little memory for each idle store', async () => {
  const redis = await redisWith(0)
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  const tables = await Promise.all(
    Array.from({ length: IDLE_STORES }, async () => {
      const table = await TestTable.create(inject('dynamodbEndpoint'))
      onTestFinished(() => table.drop())
      return table
    }),
  )
  // As addresses are listed.
  const endpoint = inject('dynamodbEndpoint')
  const names = await mysqlDatabases(database.port)
  const stores: Record<string, string[]> = {
    redis: Array.from({ length: IDLE_STORES }, (_, i) => `redis://127.0.0.1:${redis.port}/${i}`),
    mysql: names.map(each => `mysql://root@127.0.0.1:${database.port}/${each}`),
    dynamodb: tables.map(table => `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}`),
  }
  const perStore = new Map<string, number>()
  for (const [name, tree] of TREES) {
    const none = await idleBytes(tree, [])
    record({ tree: name, what: 'idle memory, no store', value: megabytes(none) })
    for (const [kind, addresses] of Object.entries(stores)) {
      const each = ((await idleBytes(tree, addresses)) - none) / IDLE_STORES
      perStore.set(`${name} ${kind}`, each)
      const base = perStore.get(`base ${kind}`)
      record({
        tree: name,
        what: `idle memory of a ${kind} store`,
        value: megabytes(each),
        ...(base !== undefined && { most: megabytes(base + MOST_PER_STORE) }),
      })
      if (isOurs(name) && base !== undefined)
        expect.soft(each, kind).toBeLessThanOrEqual(base + MOST_PER_STORE)
    }
  }
})

function dynamo({ port }: HostileServer): string {
  return `dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:${port}`
}

type Changes = { readonly ms: number[]; readonly seen: number; readonly ended: string | null }

/** How long changes in one store take to a screen that follows it, with other stores open. */
async function changes(tree: string, others: readonly string[]): Promise<Changes> {
  const quiet = await redisWith(0)
  const console = await ConsoleProcess.start(tree, [quiet.address, ...others])
  const waiting = new Map<string, (at: number) => void>()
  await follow(console, quiet.address, event => {
    if (!('locks' in event)) return
    for (const { owner } of event.locks) waiting.get(owner ?? '')?.(performance.now())
  })
  for (const address of others) await follow(console, address).catch(() => {})
  await sleep(3000)
  const ms: number[] = []
  let missed = 0
  for (let i = 0; i < CHANGES && missed < MOST_MISSED && console.ended === null; i++) {
    const owner = `run-${i}`
    const startedAt = performance.now()
    const seen = new Promise<number>(resolve => waiting.set(owner, resolve))
    await quiet.client.set('pipeline_lock:acme:one', owner, 'PX', 3_600_000)
    const at = await Promise.race([seen, sleep(SEEN_MS, null)])
    missed = at === null ? missed + 1 : 0
    if (at !== null) ms.push(at - startedAt)
    // Out of step with the polls.
    await sleep(40 + ((i * 37) % 100))
  }
  const { ended } = console
  await console.stop()
  return { ms, seen: ms.length, ended }
}

function recordChanges(name: string, what: string, { ms, seen, ended }: Changes): void {
  const sayMs = (part: number) => (ms.length > 0 ? millis(percentile(ms, part)) : '')
  record({
    tree: name,
    what: `a change, ${what}`,
    value: ended ?? sayMs(0.5),
    p99: sayMs(0.99),
    seen: `${seen} of ${CHANGES}`,
  })
}

function percentile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.POSITIVE_INFINITY
}

async function idleBytes(tree: string, addresses: readonly string[]): Promise<number> {
  const console = await ConsoleProcess.start(tree, addresses)
  for (const address of addresses) await storeIdOf(console, address)
  await sleep(IDLE_MS)
  const bytes = console.residentBytes()
  await console.stop()
  return bytes
}

/** Databases with a table of locks each. */
async function mysqlDatabases(port: number): Promise<string[]> {
  const connection = await createConnection({
    host: '127.0.0.1',
    port,
    user: 'root',
    multipleStatements: true,
  })
  const names = Array.from({ length: IDLE_STORES }, (_, i) => `bench_${process.pid}_${i}`)
  for (const name of names) await connection.query(`CREATE DATABASE ${name}; USE ${name}; ${RECHARGE}`)
  onTestFinished(async () => {
    for (const name of names) await connection.query(`DROP DATABASE ${name}`)
    await connection.end()
  })
  return names
}
