import { expect, test } from 'vitest'
import { cliPlan } from './cli-plan.ts'
import { proving } from './prove.ts'
import { redisLocks } from './redis-locks.ts'
import { missingInAudit } from './trace.ts'
import type { Applied } from './truth.ts'

const LOCKS = 2000

/** What both say of each lock, in a fixed order. */
function pairs(both: readonly Applied[]): Record<string, number> {
  const [one, other] = both as [Applied, Applied]
  const theirs = new Map(other.entries.map(({ key, n }) => [key, other.results.get(n)?.is ?? 'pending']))
  const counts: Record<string, number> = {}
  for (const { key, n } of one.entries) {
    const pair = [one.results.get(n)?.is ?? 'pending', theirs.get(key) ?? 'not planned'].sort().join(' and ')
    counts[pair] = (counts[pair] ?? 0) + 1
  }
  return counts
}

test('two consoles that apply plans of the same locks release each of them once, and the other sees it gone', async () => {
  // Until both release some: otherwise one of them only came too late.
  for (let round = 1; ; round++) {
    expect(round).toBeLessThan(10)
    const { address, left } = await redisLocks(LOCKS)
    const consoles = await Promise.all([proving(address), proving(address)])
    const plans = await Promise.all(consoles.map(c => c.plan()))
    const ends = await Promise.all(consoles.map((c, i) => c.apply(plans[i] as (typeof plans)[number])))
    expect(pairs(ends)).toEqual({ 'gone and released': LOCKS })
    expect(await left()).toEqual(new Map())
    for (const [i, end] of ends.entries()) {
      expect(end.plan.progress).toMatchObject({ state: 'done', troubles: [], returned: 0 })
      expect(missingInAudit(consoles[i]?.folder ?? '', end)).toEqual([])
    }
    if (ends.every(({ plan }) => plan.progress.counts.released > 0)) return
  }
})

test('two command lines do the same', async () => {
  const { address, left } = await redisLocks(LOCKS)
  const clis = await Promise.all([cliPlan(address), cliPlan(address)])
  const runs = await Promise.all(clis.map(cli => cli.run(2000)))
  for (const run of runs) expect(run.code, run.stderr).toBe(0)
  expect(pairs(await Promise.all(clis.map(cli => cli.says())))).toEqual({ 'gone and released': LOCKS })
  expect(await left()).toEqual(new Map())
  for (const cli of clis) expect(missingInAudit(cli.folder, await cli.says())).toEqual([])
})
