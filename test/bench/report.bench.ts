import { Redis } from 'ioredis'
import { afterAll, describe, expect, it } from 'vitest'
import { createCore } from '../../electron/core/compose.ts'
import type { Core } from '../../electron/core/dispatch.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { ReportFormat } from '../../shared/reports.ts'
import { temporaryFolder } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { flow, inTurns } from './measure.ts'
import { populateRedis } from './populate.ts'
import { megabytes, millis, printResults, record, times } from './table.ts'

const LOCKS = 100_000
const never = new AbortController().signal

type Run = { bytes: number; locks: number; held: number; peakRss: number }

/** Lets a report flow by: pieces are counted and dropped, as a file takes them. */
async function write(core: Core, storeId: string, as: ReportFormat): Promise<Run> {
  const now = Date.now()
  const request = { as, from: now - 3_600_000, to: now, storeIds: [storeId] }
  globalThis.gc?.()
  const before = process.memoryUsage()
  const run: Run = { bytes: 0, locks: 0, held: 0, peakRss: 0 }
  let pieces = 0
  for await (const event of core.handlers['reports.write'](request, never)) {
    if (event.type === 'done') run.locks = event.locks
    if (event.type !== 'piece') continue
    run.bytes += event.text.length
    if (++pieces % 40 !== 0) continue
    globalThis.gc?.()
    run.held = Math.max(run.held, process.memoryUsage().heapUsed - before.heapUsed)
    run.peakRss = Math.max(run.peakRss, process.memoryUsage().rss - before.rss)
  }
  return run
}

describe('a report of 100,000 locks flows by', () => {
  afterAll(() => printResults('A report, against listing the same store twice and keeping nothing'))

  it.each(['csv', 'json', 'md', 'html'] as const)('as %s', async as => {
    const server = await startRedis()
    const folder = await temporaryFolder('report-bench')
    const client = new Redis({ port: server.port })
    const address = `redis://127.0.0.1:${server.port}/0`
    const core = createCore({ dataFolder: folder.path })
    const store = await openStore(address, undefined)
    try {
      await populateRedis(client, 'locks', LOCKS)
      const { storeId } = await core.handlers['stores.open']({ address }, { signal: never, action: '' })
      // Once for the figures, once for the list.
      const floor = async () =>
        (await flow(store.list({}, never))).locks + (await flow(store.list({}, never))).locks
      const best = await inTurns(3, floor, () => write(core, storeId, as))
      const ratio = best.oursMs / best.floorMs
      record({
        what: `${as}, ${megabytes(best.ours.bytes)}`,
        floor: millis(best.floorMs),
        ours: millis(best.oursMs),
        ratio: times(ratio),
        held: megabytes(best.ours.held),
        'more RSS': megabytes(best.ours.peakRss),
      })
      expect([best.floorResult, best.ours.locks]).toEqual([2 * LOCKS, LOCKS])
      expect.soft(ratio).toBeLessThan(4)
      // All locks together weigh about 100 MB: what is held does not grow with them.
      expect.soft(best.ours.held).toBeLessThan(30e6)
    } finally {
      await store.close()
      await core.close()
      client.disconnect()
      await server.stop('SIGKILL')
      await folder.remove()
    }
  })
})
