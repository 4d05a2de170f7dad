import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import { startRedis } from '../servers/redis.ts'
import { flow } from './measure.ts'
import { populatePages, populateRedis } from './populate.ts'
import { megabytes, millis, printResults, record } from './table.ts'

const PAGES = 99_000
const PAGE_BYTES = 20_000
const LOCKS = 1000
const SLOW_MICROS = 2000
const ALONE_MS = 5000
const never = new AbortController().signal

const MOST_BYTES = 20 * 1024 ** 2
const MOST_P99 = 1.5

afterAll(() => printResults(`Redis with ${PAGES} pages of ${PAGE_BYTES} bytes and ${LOCKS} locks`))

type Pings = { readonly p50: number; readonly p99: number; readonly max: number; readonly count: number }

/** A second client in a process of its own. */
function pinging(port: number): { latest(): Promise<Pings> } {
  const script = fileURLToPath(new URL('./ping-process.mjs', import.meta.url))
  const child: ChildProcess = fork(script, [String(port)], { execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    async latest() {
      const answer = once(child, 'message')
      child.send('latest')
      const [pings] = await answer
      return pings as Pings
    },
  }
}

/** What the server has spent so far. */
async function spent(client: Redis): Promise<{ bytes: number; micros: number }> {
  const info = await client.info('everything')
  const number = (pattern: RegExp) => [...info.matchAll(pattern)].reduce((sum, [, n]) => sum + Number(n), 0)
  return {
    bytes: number(/total_net_output_bytes:(\d+)/g),
    micros: number(/cmdstat_(?:scan|time|eval|eval_ro|evalsha|evalsha_ro):calls=\d+,usec=(\d+)/g),
  }
}

it('a listing is hardly felt by a server full of other data', async () => {
  const server = await startRedis({ args: ['--slowlog-log-slower-than', String(SLOW_MICROS)] })
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  await populatePages(client, PAGES, PAGE_BYTES)
  await populateRedis(client, 'locks', LOCKS)
  const others = pinging(server.port)
  await sleep(1000)
  await others.latest()
  await sleep(ALONE_MS)
  const alone = await others.latest()
  record({
    what: "a second client's ping, alone",
    p50: millis(alone.p50),
    p99: millis(alone.p99),
    max: millis(alone.max),
  })
  const store = await openStore(`redis://127.0.0.1:${server.port}/0`, undefined)
  onTestFinished(() => store.close())
  for (const what of ['the first listing', 'another listing']) {
    await store.clock(never)
    await client.slowlog('RESET')
    await others.latest()
    const before = await spent(client)
    const startedAt = performance.now()
    const { locks } = await flow(store.list({}, never))
    const tookMs = performance.now() - startedAt
    const after = await spent(client)
    const pings = await others.latest()
    const slow = (await client.slowlog('GET', 100)) as unknown as [number, number, number, string[]][]
    const ours = slow.filter(([, , , [name = '']]) =>
      /^(SCAN|EVAL|EVALSHA|EVAL_RO|EVALSHA_RO|TIME)$/i.test(name),
    )
    record({
      what: `${what}, ${millis(tookMs)}`,
      p50: millis(pings.p50),
      p99: millis(pings.p99),
      max: millis(pings.max),
      'server time': millis((after.micros - before.micros) / 1000),
      read: megabytes(after.bytes - before.bytes),
      'slow commands': ours.length,
      slowest: millis(Math.max(0, ...ours.map(([, , micros]) => micros)) / 1000),
    })
    expect.soft(locks).toBe(LOCKS)
    expect.soft(after.bytes - before.bytes).toBeLessThan(MOST_BYTES)
    expect.soft(ours.length).toBe(0)
    expect.soft(pings.p99).toBeLessThan(MOST_P99 * alone.p99)
  }
})
