import { afterAll, describe, expect, it } from 'vitest'
import { dynamodbHarness } from '../contract/dynamodb-harness.ts'
import { memoryHarness } from '../contract/memory-harness.ts'
import { mysqlHarness } from '../contract/mysql-harness.ts'
import { race } from '../contract/race.ts'
import { redisHarness } from '../contract/redis-harness.ts'
import { printResults, record } from './table.ts'

const RELEASES = 10_000
/** Pauses about as long as a holder keeps its lock, so that it changes hands before, during and after a release. */
const PACE = { operators: 16, holderPauseMs: 8, operatorPauseMs: 6 }
/** Its holders share one connection and take turns, so they change more slowly. */
const MYSQL_PACE = { operators: 12, holderPauseMs: 1, operatorPauseMs: 60 }

describe('10,000 releases while the holders change as fast as they can', () => {
  afterAll(() => printResults('Releases in a race with the holders'))

  it.each([
    { ...redisHarness, pace: PACE },
    { ...mysqlHarness, pace: MYSQL_PACE },
    { ...dynamodbHarness, pace: PACE },
    { ...memoryHarness, pace: PACE },
  ])('$kind never removes a lock whose fence was not given', async ({ kind, open, pace }) => {
    const h = await open()
    try {
      const start = performance.now()
      const { removedWrongly, ...counts } = await race(h, RELEASES, pace)
      const seconds = (performance.now() - start) / 1000
      record({
        store: kind,
        ...counts,
        'removed wrongly': removedWrongly.length,
        'releases/s': Math.round(RELEASES / seconds),
        seconds: Number(seconds.toFixed(1)),
      })
      expect(removedWrongly).toEqual([])
      expect(counts.released + counts.changed + counts.gone).toBeGreaterThanOrEqual(RELEASES)
      // A race in which nobody ever changes hands, or nothing is ever released, would prove nothing.
      expect(Math.min(counts.released, counts.changed)).toBeGreaterThan(RELEASES / 20)
    } finally {
      await h.close()
    }
  })
})
