import { Redis } from 'ioredis'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { countLocks, FigureBuilder } from '../../electron/core/features/stats/figures.ts'
import { StoreHistory } from '../../electron/core/features/stats/store-history.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { WatchedLock } from '../../shared/locks.ts'
import { startRedis } from '../servers/redis.ts'
import { inTurns } from './measure.ts'
import { populateRedis } from './populate.ts'
import { millis, printResults, record, times } from './table.ts'

const LOCKS = 100_000
const never = new AbortController().signal

describe('statistics cost little beside the reading that they are made from', () => {
  afterAll(() =>
    printResults(`Statistics of ${LOCKS.toLocaleString('en')} locks, against one reading of them`),
  )

  it('counts, groups and observes', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const client = new Redis({ port: server.port })
    onTestFinished(() => client.disconnect())
    await populateRedis(client, 'locks', LOCKS)
    const store = await openStore(`redis://127.0.0.1:${server.port}/0`, undefined)
    onTestFinished(() => store.close())
    const locks = new Map<string, WatchedLock>()
    const reading = async () => {
      for await (const page of store.list({}, never))
        for (const lock of page.locks) {
          const at = lock.observedAt
          locks.set(lock.id, {
            ...lock,
            watched: { firstSeenAt: at, heldSince: at, renewals: 0, lastRenewedAt: null, holders: 1 },
          })
        }
      return locks.size
    }
    await reading()
    const now = Date.now()
    const history = new StoreHistory({
      keepMs: 86_400_000,
      keep: () => {},
      spent: () => ({ requests: 0, units: null }),
    })
    const work: [string, () => Promise<unknown>, number][] = [
      ['the counts of every pass', async () => countLocks(locks.values(), now).held, 0.1],
      [
        'a pass, observed',
        async () =>
          history.onPass({
            ...{ locks, serverTime: now, offsetMs: 0, errorMs: 0, scanned: LOCKS, tookMs: 1, unbroken: true },
          }),
        0.1,
      ],
      [
        'groups, for a screen',
        async () => {
          const builder = new FigureBuilder('s')
          for (const lock of locks.values()) builder.add(lock, now)
          return builder.figures(0).total
        },
        0.5,
      ],
    ]
    for (const [what, ours, bound] of work) {
      const best = await inTurns(3, reading, ours)
      const ratio = best.oursMs / best.floorMs
      record({ what, reading: millis(best.floorMs), ours: millis(best.oursMs), ratio: times(ratio) })
      expect.soft(ratio).toBeLessThan(bound)
    }
  })
})
