import { type Filter, matches } from '../../../../shared/filter.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import type { ReportLock } from '../../../../shared/report-document.ts'
import { toFailure } from '../../lib/errors.ts'
import { reportLock } from './public-lock.ts'
import type { AskedStore } from './sources.ts'

export function fits(
  filter: Filter,
  { open, name }: AskedStore,
  lock: Lock | WatchedLock,
  now: number,
): boolean {
  if (filter.terms.length === 0) return true
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, now)
}

/** A part of the list. `failed` says why something of this store is not in it. */
export type Listed = {
  readonly locks: readonly ReportLock[]
  readonly unrecognised: number
  readonly failed: readonly string[]
}

/**
 * Every lock of a store that fits, in pages as the store gives them: nothing is kept. A store that fails in the middle ends with
 * why; what was read of it stays true.
 */
export async function* listLocks(
  asked: AskedStore,
  filter: Filter,
  withTokens: boolean,
  signal: AbortSignal,
): AsyncIterable<Listed> {
  const { store, watcher, redact, signal: storeSignal } = asked.open
  try {
    for await (const page of store.list({}, storeSignal)) {
      const locks = page.locks.flatMap(each => {
        const story = watcher.storyOf(each.id)
        const lock = story ? { ...each, watched: story } : each
        const isWanted = fits(filter, asked, lock, lock.observedAt)
        return isWanted ? [reportLock(asked.name, lock, lock.observedAt, withTokens)] : []
      })
      const failed = page.problems.map(({ where, message }) => redact(`${where}: ${message}`))
      yield { locks, unrecognised: page.unrecognised.length, failed }
    }
  } catch (error) {
    if (signal.aborted) throw error
    yield { locks: [], unrecognised: 0, failed: [redact(toFailure(error).message)] }
  }
}
