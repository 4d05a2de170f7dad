import type { WatchedLock } from '../../../../shared/locks.ts'
import { namedHolder } from '../stats/named-holder.ts'

/** Nobody reads more of a key, or of what a server said. */
const LONGEST = 300
/** An id is what a lock is found by, and is cut only where nothing is to be found any more. */
const LONGEST_ID = 1000

/** What is said of a lock, in few words: a key can be as long as a store allows, and an alert outlasts its lock. */
export type Subject = {
  readonly id: string
  readonly key: string
  readonly holderName: string | null
}

export function subjectOf(lock: WatchedLock | Subject): Subject {
  if ('holderName' in lock) return lock
  const { holder } = namedHolder(lock)
  return { id: lock.id, key: shortened(lock.key), holderName: holder && shortened(holder) }
}

/** A copy: a part of a string would keep the whole of it in memory. */
export function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${copyOf(text.slice(0, LONGEST))}…`
}

/** Of a lock that is gone. */
export function shortenedId(id: string | null): string | null {
  return id === null || id.length <= LONGEST_ID ? id : copyOf(id.slice(0, LONGEST_ID))
}

function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
