import { type Filter, matches } from '../../../../shared/filter.ts'
import { heldSinceOf } from '../../../../shared/lease.ts'
import type { Lock } from '../../../../shared/lock.ts'
import type { ReportRequest } from '../../../../shared/report.ts'
import type { AttentionLock } from '../../../../shared/report-document.ts'
import type { Attention } from './attention.ts'
import { iso } from './iso.ts'
import { lockFacts, publicJudgement } from './public-lock.ts'
import type { AskedStore, ReportSources, Window } from './sources.ts'
import { type EndedHold, sayEnded, storyOf, whyEnded } from './stories.ts'

const MOST_ENDED = 100

type Found = { readonly locks: AttentionLock[]; readonly more: number }

/** Locks that are there and need attention. One that was taken after the window is none of it. */
export function presentLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, AskedStore>,
  { locks, more }: ReturnType<Attention['result']>,
  { from, to, now }: Window,
  { withTokens = false }: ReportRequest,
): Found {
  return {
    locks: locks.flatMap(({ storeId, lock, now: storeNow, why }) => {
      const asked = byId.get(storeId)
      const since = heldSinceOf(lock)
      const offsetMs = storeNow - now
      if (!asked || (since?.exact && since.at - offsetMs > to)) return []
      const story = asked.open.watcher.storyOf(lock.id)
      return {
        ...lockFacts(asked.name, lock, storeNow, withTokens),
        ended: false,
        why: [...why],
        says: publicJudgement(lock, story, storeNow),
        ...storyOf(holdsOf(sources, storeId, lock.id, from, to)),
      }
    }),
    more,
  }
}

/** What ended in the window and not as it should, what somebody released in it, and what there were alerts about. */
export function endedLocks(
  sources: ReportSources,
  byId: ReadonlyMap<string, AskedStore>,
  known: Parameters<typeof whyEnded>[1],
  { from, to }: Pick<Window, 'from' | 'to'>,
  filter: Filter,
): Found {
  const found: { hold: EndedHold; why: AttentionLock['why'] }[] = []
  for (const [storeId, asked] of byId) {
    const book = sources.observatory.get(storeId)?.observation.holds
    for (const ended of book?.ended(from, to) ?? []) {
      const hold = { storeId, ...ended }
      const why = whyEnded(hold, known)
      if (why.length > 0 && fitsEnded(filter, asked, hold)) found.push({ hold, why })
    }
  }
  // What there was trouble with first, then what was held longest.
  found.sort((a, b) => urgency(a.why) - urgency(b.why) || lengthOf(b.hold) - lengthOf(a.hold))
  const shown = found.slice(0, MOST_ENDED)
  return {
    locks: shown.map(({ hold, why }) => ({
      store: byId.get(hold.storeId)?.name ?? '',
      ...{ key: hold.key, format: hold.format, state: 'released' as const },
      ...{ holder: hold.holder, ownerHash: hold.ownerHash },
      ...{ since: iso(hold.from), sinceExact: hold.begin === 'stored', expiresAt: null, notes: [] },
      ...{ ended: true, why: [...why], says: sayEnded(hold, why) },
      ...storyOf(holdsOf(sources, hold.storeId, hold.id, from, to)),
    })),
    more: found.length - shown.length,
  }
}

function urgency(why: AttentionLock['why']): number {
  return why.includes('alert') || why.includes('released-here') ? 0 : 1
}

function lengthOf({ from, until }: EndedHold): number {
  return until - from
}

function holdsOf({ observatory }: ReportSources, storeId: string, id: string, from: number, to: number) {
  const holds = [...(observatory.get(storeId)?.observation.holds.within(from, to, id) ?? [])]
  return holds.sort((a, b) => a.from - b.from)
}

/** A hold that is over as the filter sees it: free, and as old as it became. */
function fitsEnded(filter: Filter, { open, name }: AskedStore, hold: EndedHold): boolean {
  const lock: Lock = {
    ...{ id: hold.id, key: hold.key, name: hold.key, format: hold.format, owner: hold.holder, holder: null },
    ...{ acquiredAt: hold.from, acquiredAtSource: 'stored', lease: { kind: 'released' }, deadlines: [] },
    ...{ state: 'released', fence: '', fields: {}, notes: [], observedAt: hold.until },
  }
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, hold.until)
}
