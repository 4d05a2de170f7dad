import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, expect, inject, it } from 'vitest'
import { FULL_SPEED, proving } from '../proof/prove.ts'
import { inTurns } from './measure.ts'
import { megabytes, millis, printResults, record, times } from './table.ts'

const LOCKS = 50_000
const DATABASE = 4094
/** As many as a plan takes together. */
const BATCH = 200
/** Each batch of a plan is on disk before and after: the copies, the audit and the journal, each of them twice. */
const FLUSHES = 6
const LINE = `${'x'.repeat(399)}\n`

const FILL = `for i = ARGV[1], ARGV[2] do
  redis.call('SET', 'lock:order-' .. i, string.format('%08x-0000-4000-8000-000000000000', i), 'PX', 3600000)
end`
const COMPARE_AND_DELETE = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`

afterAll(() =>
  printResults(`Releasing ${LOCKS} Redis locks by a plan, against the plain client's guarded deletes`),
)

it('a plan costs a few plain deletes, and the disk that its traces need', async () => {
  const port = inject('redisPort')
  const client = new Redis({ port, db: DATABASE })
  client.defineCommand('letGo', { numberOfKeys: 1, lua: COMPARE_AND_DELETE })
  const bare = client as unknown as { letGo(key: string, token: string): Promise<number> }
  const folder = await mkdtemp(join(tmpdir(), 'lockkeeper-bench-'))
  const fill = async () => {
    await client.flushdb()
    for (let first = 0; first < LOCKS; first += 10_000) await client.eval(FILL, 0, first, first + 9999)
  }
  const floor = async (after: () => Promise<void>) => {
    let released = 0
    for (let first = 0; first < LOCKS; first += BATCH) {
      const answers = await Promise.all(
        Array.from({ length: BATCH }, (_, i) => {
          const serial = (first + i).toString(16).padStart(8, '0')
          return bare.letGo(`lock:order-${first + i}`, `${serial}-0000-4000-8000-000000000000`)
        }),
      )
      released += answers.filter(answer => answer === 1).length
      await after()
    }
    return released
  }
  const c = await proving(`redis://127.0.0.1:${port}/${DATABASE}`)
  try {
    let rss = 0
    const ours = async () => {
      const plan = await c.plan()
      const before = process.memoryUsage.rss()
      const sample = () => {
        rss = Math.max(rss, process.memoryUsage.rss() - before)
      }
      const sampling = setInterval(sample, 100)
      const startedAt = performance.now()
      const end = await c.apply(plan, FULL_SPEED)
      const ms = performance.now() - startedAt
      clearInterval(sampling)
      sample()
      return { ms, released: end.plan.progress.counts.released }
    }
    const bareOnly = await inTurns(2, () => floor(async () => {}), ours, fill)
    const flushed = join(folder, 'lines')
    const handle = await open(flushed, 'a')
    const withDisk = await inTurns(
      1,
      () =>
        floor(async () => {
          for (let flush = 0; flush < FLUSHES; flush++) {
            await handle.appendFile(LINE.repeat(BATCH))
            await handle.datasync()
          }
        }),
      async () => {},
      fill,
    ).finally(() => handle.close())
    const { ms, released } = bareOnly.ours
    const row = (what: string, floorMs: number) =>
      record({ what, floor: millis(floorMs), ours: millis(ms), ratio: times(ms / floorMs) })
    row('against the deletes alone', bareOnly.floorMs)
    row('against the deletes and as many flushed lines', withDisk.floorMs)
    record({ what: 'locks a second', ours: Math.round(LOCKS / (ms / 1000)) })
    record({ what: 'memory it grew by at most (RSS)', ours: megabytes(rss) })
    expect([bareOnly.floorResult, released, withDisk.floorResult]).toEqual([LOCKS, LOCKS, LOCKS])
    expect.soft(ms / withDisk.floorMs).toBeLessThan(12)
  } finally {
    await client.flushdb()
    client.disconnect()
    await rm(folder, { recursive: true, force: true })
  }
})
