import type { ListPage } from '../../shared/locks.ts'

export type Flow = { locks: number; firstPageMs: number; peakHeap: number }

/** Lets a listing flow by: pages are counted and dropped, as a screen with a filter would. */
export async function flow(pages: AsyncIterable<ListPage>): Promise<Flow> {
  const start = performance.now()
  const before = process.memoryUsage().heapUsed
  const seen: Flow = { locks: 0, firstPageMs: Number.POSITIVE_INFINITY, peakHeap: 0 }
  for await (const page of pages) {
    if (page.locks.length > 0) seen.firstPageMs = Math.min(seen.firstPageMs, performance.now() - start)
    seen.locks += page.locks.length
    seen.peakHeap = Math.max(seen.peakHeap, process.memoryUsage().heapUsed - before)
  }
  return seen
}

/** What a listing holds on to while it flows by, and what all its locks together weigh, both without garbage. */
export async function heapOf(
  list: () => AsyncIterable<ListPage>,
): Promise<{ flowing: number; whole: number }> {
  const before = liveHeap()
  let flowing = 0
  let pages = 0
  for await (const _ of list()) if (++pages % 10 === 0) flowing = Math.max(flowing, liveHeap() - before)
  const start = liveHeap()
  const all: ListPage[] = []
  for await (const page of list()) all.push(page)
  const whole = liveHeap() - start
  return { flowing, whole: all.length > 0 ? whole : 0 }
}

function liveHeap(): number {
  if (!globalThis.gc) throw new Error('run with --expose-gc')
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** Floor and ours in turns, so that a busy machine disturbs both; the quickest of each counts. `prepare` is not timed. */
export async function inTurns<A, B>(
  rounds: number,
  floor: () => Promise<A>,
  ours: () => Promise<B>,
  prepare: () => Promise<void> = async () => {},
): Promise<{ floorMs: number; oursMs: number; floorResult: A; ours: B }> {
  let floorMs = Number.POSITIVE_INFINITY
  let oursMs = Number.POSITIVE_INFINITY
  let quickest: { floorResult: A; ours: B } | null = null
  for (let round = 0; round < rounds; round++) {
    await prepare()
    const [theirTime, floorResult] = await timed(floor)
    await prepare()
    const [ourTime, result] = await timed(ours)
    floorMs = Math.min(floorMs, theirTime)
    if (ourTime < oursMs || quickest === null) quickest = { floorResult, ours: result }
    oursMs = Math.min(oursMs, ourTime)
  }
  if (quickest === null) throw new Error('no rounds')
  return { floorMs, oursMs, ...quickest }
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  globalThis.gc?.()
  const start = performance.now()
  const result = await work()
  return [performance.now() - start, result]
}
