import { type Filter, matches } from '../../../../shared/filter.ts'
import { countedAs, expiresAtOf, heldSinceOf, isoTime } from '../../../../shared/lease.ts'
import { judgement, noteSentence } from '../../../../shared/lock-words.ts'
import type { Lock, Note, Story, WatchedLock } from '../../../../shared/locks.ts'
import type { ReportLock } from '../../../../shared/report-document.ts'
import { toFailure } from '../../lib/errors.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { ReportedStore, ReportScope } from './sources.ts'

type AnyLock = Lock | WatchedLock

/** Shown instead of a possible secret. */
const HIDDEN = '•••'
/** Numbers and times as records write them. */
const NUMERIC = /^[\d\s.:+TZ-]+$/

/**
 * A lock as a report lists it. Without tokens it has nothing that only its holder or only a release may know: the hash of a token,
 * no fence, and none of the record's other fields, which may hold anything.
 */
function reportLock(store: string, lock: AnyLock, withTokens: boolean): ReportLock {
  return {
    ...lockFacts(store, lock, lock.observedAt, withTokens),
    lease: lock.lease.kind,
    observedAt: isoTime(lock.observedAt),
    ...(withTokens ? { owner: lock.owner, fence: lock.fence, fields: lock.fields } : {}),
  }
}

export function lockFacts(store: string, lock: AnyLock, now: number, withTokens: boolean) {
  const since = heldSinceOf(lock)
  return {
    store,
    key: lock.key,
    format: lock.format,
    state: countedAs(lock, now),
    ...namedHolder(lock),
    since: isoTime(since?.at ?? null),
    sinceExact: since?.exact ?? false,
    expiresAt: isoTime(expiresAtOf(lock.lease)),
    notes: lock.notes.map(note => noteSentence(withTokens ? note : publicNote(note))),
  }
}

/** The sentence of the inspector, without the name of a holder who must not be named. */
export function publicJudgement(lock: AnyLock, story: Story | null, now: number): string {
  const { holder } = namedHolder(lock)
  const lease = lock.lease.kind === 'session' ? { ...lock.lease, session: HIDDEN } : lock.lease
  return judgement(
    { ...lock, lease, owner: null, holder: holder === null ? null : { label: holder } },
    story,
    now,
  )
}

/** Some notes quote the record. */
function publicNote(note: Note): Note {
  if (note.code === 'implausible-expiry' && !NUMERIC.test(note.raw)) return { ...note, raw: HIDDEN }
  if (note.code === 'wrong-type' && !NUMERIC.test(note.found)) return { ...note, found: 'something else' }
  return note
}

export function fits(filter: Filter, { open, name }: ReportedStore, lock: AnyLock, now: number): boolean {
  if (filter.terms.length === 0) return true
  const subject = { lock, storeName: name, storeKind: open.store.kind, production: open.production }
  return matches(filter, subject, now)
}

/**
 * Every lock of a store that fits, in pages as the store gives them: nothing is kept. `failed` is why locks are missing. A store
 * that fails in the middle ends with the reason; the pages before stay true.
 */
export async function* listLocks(
  reported: ReportedStore,
  { filter, request }: ReportScope,
  signal: AbortSignal,
) {
  const { store, watcher, redact, signal: storeSignal } = reported.open
  try {
    for await (const page of store.list({}, storeSignal)) {
      const locks = page.locks
        .map(lock => {
          const watched = watcher.storyOf(lock.id)
          return watched ? { ...lock, watched } : lock
        })
        .filter(lock => fits(filter, reported, lock, lock.observedAt))
        .map(lock => reportLock(reported.name, lock, request.withTokens === true))
      const failed = page.problems.map(({ where, message }) => redact(`${where}: ${message}`))
      yield { locks, unrecognised: page.unrecognised.length, failed }
    }
  } catch (error) {
    if (signal.aborted) throw error
    yield { locks: [], unrecognised: 0, failed: [redact(toFailure(error).message)] }
  }
}
