import { eachOf } from '../../electron/core/lib/concurrency.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import { Random } from '../random.ts'
import type { Arena } from './arenas.ts'
import { runCase } from './run-case.ts'

/** Cases at a time: most of them wait. */
const AT_ONCE = 24
/** More than all cases at a time may take together. */
const MOST_BYTES = 1_500_000_000

/** Runs seeded cases. Returns what is wrong, by seed: a single one is looked at with `count` 1. */
export async function runSeeds(arena: Arena, first: number, count: number): Promise<string[]> {
  const honest = await openStore(arena.address(arena.port, new Random(8)), undefined)
  const complaints: string[] = []
  const seeds = Array.from({ length: count }, (_, i) => first + i)
  const uncaught = (error: unknown) =>
    complaints.push(`uncaught, near ${started}: ${error instanceof Error ? error.stack : String(error)}`)
  let started = first
  process.on('uncaughtException', uncaught)
  process.on('unhandledRejection', uncaught)
  try {
    await eachOf(seeds, arena.atOnce ?? AT_ONCE, async seed => {
      started = seed
      const complaint = await runCase(arena, honest, seed).catch(error => `the test itself: ${error.stack}`)
      if (complaint !== null) complaints.push(`seed ${seed}: ${complaint}`)
      if (process.memoryUsage.rss() > MOST_BYTES) complaints.push(`seed ${seed}: too much memory`)
    })
  } finally {
    process.off('uncaughtException', uncaught)
    process.off('unhandledRejection', uncaught)
    await honest.close()
  }
  return complaints
}
