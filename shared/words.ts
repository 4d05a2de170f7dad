import { isoTime, sayDuration } from './lease.ts'
import type { FormatInfo, Lock, Note } from './lock.ts'

/** The one place where data becomes English sentences. Nothing here is safe to print before escaping. */

/** A store can hold a time that no calendar reaches (a TTL of 2^63 ms). It is said as it is. */
function sayTime(time: number): string {
  return isoTime(time) ?? `${time} ms after 1970, which no calendar reaches`
}

export function noteSentence(note: Note): string {
  switch (note.code) {
    case 'implausible-expiry':
      return `The expiry ${note.raw} is implausible: perhaps milliseconds were stored where seconds are meant.`
    case 'clocks-disagree':
      return note.ttlAt === null
        ? `The record says it ends at ${sayTime(note.storedAt)}, but the key has no TTL, so it will not go away by itself.`
        : `Two clocks disagree: the record says it ends at ${sayTime(note.storedAt)}, the key's TTL says ${sayTime(note.ttlAt)}.`
    case 'wrong-type':
      return `${note.field} is stored as ${note.found} where ${note.wanted} is expected, so its own system cannot use it.`
    case 'missing-field':
      return `${note.field} is missing.`
    case 'assumed-lease':
      return `The acquisition time is computed from the TTL, assuming the usual lease of ${sayDuration(note.leaseMs)}.`
    case 'weak-fence':
      return note.byDeadline
        ? 'The value may be the same for every holder, so a new holder is told apart by its deadline; a renewal counts as a change.'
        : 'The value may be the same for every holder and there is no deadline: a new holder cannot be told from this one.'
    case 'looks-like-cache':
      return 'Ordinary cache entries look the same: make sure that this key is a lock.'
    case 'zone-unknown':
      return `${note.field} carries no time zone; it is read as UTC.`
    case 'several-holders':
      return `${note.count} holders share it; a release ends all of them.`
    case 'waiters':
      return note.count === 1 ? '1 process is waiting for it.' : `${note.count} processes are waiting for it.`
  }
}

const NOTICES: Record<FormatInfo['holderNotices'], string> = {
  'at-once': 'A holder that is still alive notices at once.',
  'at-renewal': 'A holder that is still alive notices when it next renews.',
  'at-release': 'A holder that is still alive notices only when it releases.',
  never: 'A holder that is still alive is not told and works on.',
}

/** What releasing does, in the format's own terms. */
export function releaseConsequences(info: FormatInfo): string[] {
  return [
    info.release,
    info.notifies ?? 'Waiting processes poll, so nobody has to be told.',
    NOTICES[info.holderNotices],
    ...(info.holderMayCrash ? ['The holder may crash when it finds out.'] : []),
    ...(info.mayComeBack ? ['The holder may write the lock back.'] : []),
  ]
}

export function sayRemaining(lock: Pick<Lock, 'lease'>, remaining: number | null): string {
  switch (lock.lease.kind) {
    case 'never':
      return 'no expiry'
    case 'session':
      return 'with its session'
    case 'heartbeat':
      return 'while renewed'
    case 'released':
      return 'free'
    case 'unknown':
      return 'unknown'
    case 'deadline':
      if (remaining === null) return 'unknown'
      if (remaining > 0) return sayDuration(remaining)
      return lock.lease.afterwards === 'released' ? 'free' : `ended ${sayDuration(remaining)} ago`
  }
}
