import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, inject, it, onTestFinished } from 'vitest'
import type { Stats } from '../../shared/stats.ts'
import { Database, RECHARGE } from '../core/stores/mysql/database.ts'
import { CLI } from '../hosts/cli/run-cli.ts'
import { ask, letIn, openScreen } from '../hosts/web/web-client.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { startRedis } from '../servers/redis.ts'
import { megabytes, printResults, record, times } from './table.ts'

/** Half an hour; LOCKKEEPER_SOAK_MINUTES for a shorter look at whether it still runs. */
const MINUTES = Number(process.env['LOCKKEEPER_SOAK_MINUTES'] ?? 30)
const LOOK_MS = 5000
/** Kept for a tenth of the time, so that forgetting is at work as well as remembering. */
const HISTORY_HOURS = MINUTES / 60 / 10

afterAll(() => printResults('A console at work, in memory of its process'))

it(
  'watches three stores under churn and outages without growing',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-soak-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    let redis = await startRedis()
    onTestFinished(() => redis.stop('SIGKILL'))
    const database = await Database.create()
    onTestFinished(() => database.drop())
    await database.plain.query(RECHARGE)
    const endpoint = inject('dynamodbEndpoint')
    const table = await TestTable.create(endpoint)
    onTestFinished(() => table.drop())

    const churn = fork(
      fileURLToPath(new URL('./soak-churn.mjs', import.meta.url)),
      [
        JSON.stringify({
          redis: { port: redis.port },
          mysql: { port: database.port, database: database.name },
          dynamodb: { endpoint, table: table.name },
        }),
      ],
      { execArgv: [] },
    )
    onTestFinished(() => void churn.kill('SIGKILL'))
    await once(churn, 'message')

    const console = await startConsole(folder, [
      `redis://127.0.0.1:${redis.port}/0`,
      `mysql://root@127.0.0.1:${database.port}/${database.name}`,
      `dynamodb://eu-west-1/${table.name}?endpoint=${encodeURIComponent(endpoint)}`,
    ])
    const looks: { rss: number; disk: number; stats: Stats }[] = []
    const startedAt = Date.now()
    const outages = [0.35, 0.6].map(part => startedAt + part * MINUTES * 60_000)
    while (Date.now() - startedAt < MINUTES * 60_000) {
      await sleep(LOOK_MS)
      if (outages[0] !== undefined && Date.now() > outages[0]) {
        outages.shift()
        const { port } = redis
        await redis.stop('SIGKILL')
        await sleep(Math.min(10_000, MINUTES * 1000))
        redis = await startRedis({ port })
      }
      looks.push({ rss: rssOf(console.pid), disk: sizeOf(folder), stats: await console.look() })
    }

    // The first fifth is warming up; afterwards, the middle of one part is compared with that of another.
    const rss = (from: number, to: number) =>
      median(looks.slice(Math.floor(from * looks.length), Math.ceil(to * looks.length)).map(look => look.rss))
    const [early, late] = [rss(0.2, 0.4), rss(0.8, 1)]
    const last = looks.at(-1)?.stats.overall
    record({
      what: `${MINUTES} minutes, ${looks.length} looks`,
      'warmed up': megabytes(early),
      'at the end': megabytes(late),
      peak: megabytes(Math.max(...looks.map(look => look.rss))),
      ratio: times(late / early),
      'history on disk': megabytes(Math.max(...looks.map(look => look.disk))),
      locks: last?.total ?? 0,
      'seen in the window': last ? last.flows.taken + last.flows.freed + last.flows.lapsed : 0,
    })
    expect(late / early).toBeLessThan(1.25)
    expect(Math.max(...looks.map(look => look.disk))).toBeLessThan(100 * 1024 * 1024)
    expect(last?.flows.taken).toBeGreaterThan(0)
    // It was watched to the end, the store that was killed twice included.
    expect(looks.at(-1)?.stats.stores.map(({ status }) => status)).toEqual(['live', 'live', 'live'])
  },
  MINUTES * 60_000 + 300_000,
)

/** The built console in a process of its own, with a page that looks at everything. */
async function startConsole(folder: string, stores: readonly string[]) {
  const child = spawn(process.execPath, ['--', CLI, 'console', '--web', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      LOCKKEEPER_DATA_DIR: folder,
      LOCKKEEPER_STORES: stores.join(' '),
      LOCKKEEPER_HISTORY_HOURS: String(HISTORY_HOURS),
      LOCKKEEPER_METRICS_TOKEN: 'soak',
      AWS_ACCESS_KEY_ID: 'ours',
      AWS_SECRET_ACCESS_KEY: 'ours',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let address = ''
  for await (const line of createInterface({ input: child.stdout })) {
    address = /http:\S+/.exec(line)?.[0] ?? ''
    if (address !== '') break
  }
  child.stdout.resume()
  const port = Number(new URL(address).port)
  const session = await letIn({ port, launchAddress: () => address })
  const { client } = await openScreen(port, session)
  const ignore = () => {}
  await new Promise<void>(resolve => {
    client.open(
      'stores.watch',
      {},
      ({ stores: entries }) => {
        if (!entries.every(each => each.revision > 0)) return
        for (const { storeId } of entries) client.open('locks.watch', { storeId }, ignore, ignore)
        resolve()
      },
      ignore,
    )
  })
  client.open('alerts.watch', {}, ignore, ignore)
  return {
    pid: child.pid ?? 0,
    /** As the statistics screen and a Prometheus would ask. */
    async look(): Promise<Stats> {
      const to = Date.now()
      const [read] = await Promise.all([
        client.call('stats.read', {}),
        client.call('stats.history', { from: to - 600_000, to, points: 600 }),
        client.call('stats.tenures', { from: to - 60_000, to }),
        ask(port, { path: '/metrics', headers: { Authorization: 'Bearer soak' } }),
      ])
      if (!read.ok) throw new Error(read.error.message)
      return read.value
    },
  }
}

function rssOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce(
      (sum, entry) =>
        sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN
}
