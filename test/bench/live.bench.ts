import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startRedis } from '../servers/redis.ts'
import { ConsoleProcess } from './console-process.ts'
import { populatePages, populateRedis } from './populate.ts'
import { megabytes, millis, printResults, record } from './table.ts'

/** A built checkout to measure, and an older one to compare it with. */
const OURS = process.env['LOCKKEEPER_TREE'] ?? fileURLToPath(new URL('../..', import.meta.url))
const BASE = process.env['LOCKKEEPER_BASE_TREE']
const TREES = Object.entries({ ...(BASE && { base: BASE }), ours: OURS })

const CHANGES = 100
const SEEN_MS = 30_000
const IDLE_MS = 60_000
const PAGES = 99_000
const PAGE_BYTES = 20_000
const LOCKS = 1000

const MOST_P50_MS = 100
const MOST_P95_MS = 250
const MOST_SHARE = 0.01
const MOST_BYTES_A_MINUTE = 1024 ** 2

afterAll(() => printResults('A console that watches Redis'))

async function redis(): Promise<{ client: Redis; address: string }> {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  return { client, address: `redis://127.0.0.1:${server.port}/0` }
}

const percentile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.POSITIVE_INFINITY

async function serverCost(client: Redis): Promise<{ seconds: number; bytes: number }> {
  const info = await client.info('everything')
  const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1])
  const seconds = number('used_cpu_user_main_thread') + number('used_cpu_sys_main_thread')
  return { seconds, bytes: number('total_net_output_bytes') }
}

/** The processor time of a process so far, in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

describe.each(TREES)('%s', (name, tree) => {
  it.each([1000, 10_000, 100_000])('shows a change among %i locks at once', async count => {
    const { client, address } = await redis()
    await populateRedis(client, 'locks', count)
    const console = await ConsoleProcess.start(tree, [address])
    const waiting = new Map<string, (at: number) => void>()
    let locks = 0
    const find = () => console.stores.find(each => each.address === address && each.revision > 0)?.storeId
    await expect.poll(() => find(), { timeout: 60_000 }).toBeTruthy()
    console.client.open(
      'locks.watch',
      { storeId: find() ?? '', intervalMs: 1000 },
      event => {
        if (!('locks' in event)) return
        locks += event.locks.length
        for (const { owner } of event.locks) waiting.get(owner ?? '')?.(performance.now())
      },
      () => {},
    )
    await expect.poll(() => locks >= count, { timeout: 120_000 }).toBe(true)
    await sleep(5000)
    const ms: number[] = []
    for (let i = 0; i < CHANGES; i++) {
      const seen = new Promise<number>(resolve => waiting.set(`changed-${i}`, resolve))
      const startedAt = performance.now()
      await client.set(`pipeline_lock:acme:${i}`, `changed-${i}`, 'PX', 3_600_000)
      const at = await Promise.race([seen, sleep(SEEN_MS, startedAt + SEEN_MS)])
      ms.push(at - startedAt)
      if (ms.filter(each => each >= 3000).length > 5) break
      await sleep(20 + ((i * 37) % 100))
    }
    await console.stop()
    const [p50, p95] = [percentile(ms, 0.5), percentile(ms, 0.95)]
    record({ tree: name, what: `a change among ${count} locks`, p50: millis(p50), p95: millis(p95) })
    if (name !== 'ours') return
    expect.soft(p50).toBeLessThan(MOST_P50_MS)
    expect.soft(p95).toBeLessThan(MOST_P95_MS)
  })

  it('costs the server next to nothing without a screen', async () => {
    const { client, address } = await redis()
    await populatePages(client, PAGES, PAGE_BYTES)
    await populateRedis(client, 'locks', LOCKS)
    const console = await ConsoleProcess.start(tree, [address])
    await sleep(20_000)
    const before = { ...(await serverCost(client)), ours: cpuOf(console.pid) }
    const startedAt = performance.now()
    await sleep(IDLE_MS)
    const after = { ...(await serverCost(client)), ours: cpuOf(console.pid) }
    const seconds = (performance.now() - startedAt) / 1000
    await console.stop()
    const share = (after.seconds - before.seconds) / seconds
    const ours = (after.ours - before.ours) / seconds
    const bytes = ((after.bytes - before.bytes) / seconds) * 60
    const percent = (part: number) => `${(100 * part).toFixed(2)} %`
    record({
      tree: name,
      what: `no screen, ${LOCKS} locks among ${PAGES} pages`,
      "the server's thread": percent(share),
      'read a minute': megabytes(bytes),
      'our core': percent(ours),
    })
    if (name !== 'ours') return
    expect.soft(share).toBeLessThan(MOST_SHARE)
    expect.soft(ours).toBeLessThan(MOST_SHARE)
    expect.soft(bytes).toBeLessThan(MOST_BYTES_A_MINUTE)
  })
})
