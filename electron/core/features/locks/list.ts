import type { ListEvent, Problem } from '../../../../shared/locks.ts'
import type { LockStore } from '../../stores/types.ts'

/** One pass over a store. `complete` is true only if nothing was left out, for whatever reason. */
export async function* listStore(
  store: LockStore,
  limit: number | undefined,
  redacted: (problem: Problem) => Problem,
  signal: AbortSignal,
): AsyncIterable<ListEvent> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let complete = true
  // One more than asked for tells a limit that cut something off from one that just fitted.
  for await (const page of store.list(limit === undefined ? {} : { limit: limit + 1 }, signal)) {
    if (page.locks.length > left || page.problems.length > 0) complete = false
    const locks = page.locks.slice(0, left)
    left -= locks.length
    yield { type: 'page', ...page, problems: page.problems.map(redacted), locks }
  }
  yield { type: 'done', complete, serverTime: (await store.clock(signal)).serverTime }
}
