import type { StoreTest } from '../../../../shared/stores.ts'
import { toFailure } from '../../lib/errors.ts'
import type { LockStore } from '../../stores/types.ts'

/** A test ends after this many locks or this long, whichever comes first. */
const MOST_LOCKS = 2000
const LOOK_MS = 3000

/** Describes what a connection leads to, before anyone relies on it. Reads only. */
export async function testStore(
  store: LockStore,
  signal: AbortSignal,
): Promise<Omit<StoreTest, 'rulesFrom'>> {
  const { server } = await store.describe(signal)
  const askedAt = performance.now()
  const clock = await store.clock(signal)
  const latencyMs = performance.now() - askedAt
  const capabilities = await store.capabilities(signal)

  const counts = new Map<string, number>()
  const test = { unrecognised: 0, scanned: 0, complete: true, problems: [] as StoreTest['problems'] }
  // A signal, because a pattern without matches yields no page for a long time.
  const enough = AbortSignal.timeout(LOOK_MS)
  let locks = 0
  try {
    for await (const page of store.list({ limit: MOST_LOCKS + 1 }, AbortSignal.any([signal, enough]))) {
      for (const { format } of page.locks) counts.set(format, (counts.get(format) ?? 0) + 1)
      locks += page.locks.length
      test.unrecognised += page.unrecognised.length
      test.scanned += page.scanned
      test.problems.push(...page.problems)
      if (locks > MOST_LOCKS || enough.aborted) {
        test.complete = false
        break
      }
    }
  } catch (error) {
    if (signal.aborted || !enough.aborted || toFailure(error).code !== 'ABORTED') throw error
    test.complete = false
  }
  if (test.problems.length > 0) test.complete = false
  const formats = [...counts]
    .map(([format, count]) => ({ format, count }))
    .sort((a, b) => b.count - a.count || (a.format < b.format ? -1 : 1))
  return { server, latencyMs: Math.round(latencyMs * 10) / 10, clock, capabilities, formats, ...test }
}
