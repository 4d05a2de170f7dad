import { countedAs, expiresAtOf, heldSinceOf, isoTime } from '../../../../shared/lease.ts'
import { judgement, noteSentence } from '../../../../shared/lock-words.ts'
import type { Lock, Note, Story, WatchedLock } from '../../../../shared/locks.ts'
import type { ReportLock } from '../../../../shared/report-document.ts'
import { namedHolder } from '../stats/named-holder.ts'

type Seen = Lock | WatchedLock

/** Instead of what may be a secret. */
const HIDDEN = '•••'
/** Numbers and times as records write them. */
const NUMERIC = /^[\d\s.:+TZ-]+$/

/**
 * A lock as a report tells it. By default it has nothing that only its holder or only a release may know: of a token the hash,
 * no fence, and none of the record's other fields, because they may hold anything.
 */
export function reportLock(store: string, lock: Seen, now: number, withTokens: boolean): ReportLock {
  return {
    ...lockFacts(store, lock, now, withTokens),
    lease: lock.lease.kind,
    observedAt: isoTime(lock.observedAt),
    ...(withTokens ? { owner: lock.owner, fence: lock.fence, fields: lock.fields } : {}),
  }
}

export function lockFacts(store: string, lock: Seen, now: number, withTokens: boolean) {
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

/** The same sentence that the inspector says, of a holder who may be named. */
export function publicJudgement(lock: Seen, story: Story | null, now: number): string {
  const { holder } = namedHolder(lock)
  const lease = lock.lease.kind === 'session' ? { ...lock.lease, session: HIDDEN } : lock.lease
  return judgement(
    { ...lock, lease, owner: null, holder: holder === null ? null : { label: holder } },
    story,
    now,
  )
}

/** Some notes quote what a record has where something else should be. */
function publicNote(note: Note): Note {
  switch (note.code) {
    case 'implausible-expiry':
      return NUMERIC.test(note.raw) ? note : { ...note, raw: HIDDEN }
    case 'wrong-type':
      return NUMERIC.test(note.found) ? note : { ...note, found: 'something else' }
    default:
      return note
  }
}
