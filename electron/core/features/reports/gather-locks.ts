import type { Filter } from '../../../../shared/filter.ts'
import { heldSinceOf } from '../../../../shared/lease.ts'
import type { AttentionLock, ReportHead } from '../../../../shared/report-document.ts'
import type { ReportRequest } from '../../../../shared/reports.ts'
import { type Attention, nameOf } from './attention.ts'
import { endedLocks, type KnownOfLocks } from './ended-locks.ts'
import { storyIn } from './lock-history.ts'
import { lockFacts, publicJudgement } from './public-lock.ts'
import type { AskedStore, ReportSources, Window } from './sources.ts'

/** Locks that needed attention: those that are there, then those that ended. Each is one entry, with all its reasons. */
export function gatherLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, AskedStore>,
  needy: ReturnType<Attention['result']>,
  known: KnownOfLocks,
  window: Window,
  { filter, request }: { readonly filter: Filter; readonly request: ReportRequest },
): ReportHead['attention'] {
  const present = presentLocks(sources, byId, needy, window, request)
  const ended = endedLocks(sources, byId, known, window, filter, name => present.has(name))
  const locks = [...present].map(([name, lock]) => {
    const earlier = ended.told.get(name) ?? []
    return { ...lock, why: [...new Set([...lock.why, ...earlier])] }
  })
  return { locks: [...locks, ...ended.locks], more: needy.more + ended.more }
}

/** One that was taken after the window is none of it. */
function presentLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, AskedStore>,
  { locks }: ReturnType<Attention['result']>,
  { from, to, now }: Window,
  { withTokens = false }: ReportRequest,
): ReadonlyMap<string, AttentionLock> {
  const told = new Map<string, AttentionLock>()
  for (const { storeId, lock, now: storeNow, why } of locks) {
    const asked = byId.get(storeId)
    const since = heldSinceOf(lock)
    const offsetMs = storeNow - now
    if (!asked || (since?.exact && since.at - offsetMs > to)) continue
    const story = asked.open.watcher.storyOf(lock.id)
    told.set(nameOf(storeId, lock.id), {
      ...lockFacts(asked.name, lock, storeNow, withTokens),
      ended: false,
      why: [...why],
      says: publicJudgement(lock, story, storeNow),
      ...storyIn(sources, storeId, lock.id, from, to),
    })
  }
  return told
}
