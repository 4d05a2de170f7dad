import type { LockStore } from '../../electron/core/stores/types.ts'
import type { ListPage } from '../../shared/locks.ts'

const never = new AbortController().signal

/** Every page of a listing in one. */
export async function listAll(
  store: LockStore,
  limit?: number,
  signal: AbortSignal = never,
): Promise<ListPage & { pages: number }> {
  const all = {
    locks: [],
    unrecognised: [],
    companions: 0,
    problems: [],
    scanned: 0,
    pages: 0,
  } as ListPage & { pages: number }
  for await (const page of store.list(limit === undefined ? {} : { limit }, signal)) {
    all.locks.push(...page.locks)
    all.unrecognised.push(...page.unrecognised)
    all.companions += page.companions
    all.problems.push(...page.problems)
    all.scanned += page.scanned
    all.pages++
  }
  return all
}
