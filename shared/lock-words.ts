import { sayDuration } from './duration.ts'
import { heldSinceOf, holdersLookAlike, isoTime, isUnconfirmed, remainingMs, stateAt } from './lease.ts'
import type { FormatInfo, Lock, Note, Story, Watched } from './locks.ts'
import { plural, sayTimes } from './numbers.ts'
import { clip } from './safe-text.ts'

/** Sentences about locks. Escape them before printing. */

/** A store can hold a time beyond any calendar (a TTL of 2^63 ms). */
function sayTime(time: number): string {
  return isoTime(time) ?? `${time} ms after 1970, beyond any calendar`
}

export function noteSentence(note: Note, time: (at: number) => string = sayTime): string {
  switch (note.code) {
    case 'implausible-expiry':
      return `The expiry ${note.raw} is implausible: perhaps milliseconds were stored where seconds are meant.`
    case 'clocks-disagree':
      return note.ttlAt === null
        ? `The record says it ends at ${time(note.storedAt)}, but the key has no TTL, so it will not expire.`
        : `Two clocks disagree: the record says it ends at ${time(note.storedAt)}, the key's TTL says ${time(note.ttlAt)}.`
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
      return plural(note.count, 'process is waiting for it.', 'processes are waiting for it.')
  }
}

const NOTICES: Record<FormatInfo['holderNotices'], string> = {
  'at-once': 'A holder that is still alive notices at once.',
  'at-renewal': 'A holder that is still alive notices when it next renews.',
  'at-release': 'A holder that is still alive notices only when it releases.',
  never: "A holder that is still alive isn't notified and keeps running.",
}

/** What releasing does, in the format's own terms. */
export function releaseConsequences(info: FormatInfo): string[] {
  return [
    info.release,
    info.notifies ?? 'Waiters poll; no notification needed.',
    NOTICES[info.holderNotices],
    ...(info.holderMayCrash ? ['The holder may crash when it notices.'] : []),
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

/** The owner, which the lock's own system compares, then the holder's name if known. */
export function holderText(lock: Pick<Lock, 'owner' | 'holder'>): string {
  const label = lock.holder?.label
  if (lock.owner === null) return label ?? 'not recorded'
  return label === undefined || label === lock.owner ? lock.owner : `${lock.owner} (${label})`
}

/** Longer names are cut in a sentence: they are tokens. */
const NAMED = 100

/** A lock past its deadline is read again within this time, unless the store does not answer. */
const SOON_MS = 10_000

/** Whether a lock is stuck, in one or two sentences. `now` is the store's time. */
export function judgement(
  lock: Lock & { readonly watched?: Watched },
  story: Story | null,
  now: number,
): string {
  const watched = story ?? lock.watched
  const name = lock.holder?.label || lock.owner
  const who = name ? ` by ${clip(name, NAMED)}` : ''
  const unrecorded = name ? [] : ['its owner is not recorded']
  const held = `${who}${sayHeldFor(watched === undefined ? lock : { ...lock, watched }, now)}`
  const renewed =
    watched === undefined
      ? []
      : sayRenewals(watched, story?.lastRenewedAt ?? null, now, holdersLookAlike(lock))
  const left = remainingMs(lock, now)
  const holding = (...more: string[]) => `${[`Held${held}`, ...unrecorded, ...more].join('; ')}.`

  if (isUnconfirmed(lock, now)) {
    const since = -(left ?? 0)
    if (since < SOON_MS) return holding('its lease just ended', 'it is being read again')
    return holding(`its lease was to end ${sayAgo(since)}`, 'it has not been read since')
  }
  switch (stateAt(lock, now)) {
    case 'released':
      return name ? `Free; last held${who}.` : 'Free.'
    case 'unknown':
      return `${[`Perhaps held${held}`, ...unrecorded, 'when its lease ends is not known', ...renewed].join('; ')}.`
    case 'expired':
      return holding(
        `its lease ended ${sayAgo(left ?? 0)}`,
        ...(renewed.length > 0 ? renewed : notRenewed(watched, now)),
      )
    case 'expiring':
      return holding(...renewed, `its lease is nearly over, with ${sayLeft(left)} left`)
    case 'held':
      break
  }
  switch (lock.lease.kind) {
    case 'never':
      return `${holding(...renewed)} It never expires.`
    case 'session':
      return holding(`it ends with its session ${clip(lock.lease.session, NAMED)}`)
    case 'heartbeat': {
      const every = sayDuration(lock.lease.leaseMs, { tenths: false })
      // A live holder would have renewed within one lease.
      const silent = watched !== undefined && now - watched.heldSince > lock.lease.leaseMs
      return holding(
        `its holder has to renew it within ${every}`,
        ...(renewed.length > 0 || !silent ? renewed : notRenewed(watched, now)),
      )
    }
    default:
      return holding(...renewed, `its lease ends in ${sayLeft(left)}`)
  }
}

function sayHeldFor(lock: Parameters<typeof heldSinceOf>[0], now: number): string {
  const since = heldSinceOf(lock)
  // A time in the future, or less than a second ago, says nothing.
  if (since === null || !(now - since.at >= 1000)) return ''
  return ` for ${since.exact ? '' : 'at least '}${sayDuration(now - since.at, { coarse: true })}`
}

function sayRenewals(
  { renewals, heldSince }: Watched,
  lastRenewedAt: number | null,
  now: number,
  alike: boolean,
): string[] {
  if (renewals === 0) return []
  const last = lastRenewedAt === null ? '' : `, the last time ${sayAgo(now - lastRenewedAt)}`
  const what = alike ? 'renewed or re-acquired' : 'renewed'
  return [`${what} ${sayTimes(renewals)}${saySince(heldSince, now)}${last}`]
}

function notRenewed(watched: Watched | undefined, now: number): string[] {
  const ms = watched === undefined ? 0 : now - watched.heldSince
  return ms < 1000
    ? []
    : [`nothing has renewed it in the ${sayDuration(ms, { coarse: true })} it was watched`]
}

function sayAgo(ms: number): string {
  return Math.abs(ms) < 1000 ? 'just now' : `${sayDuration(ms, { coarse: true })} ago`
}

function sayLeft(ms: number | null): string {
  return ms !== null && ms < 1000 ? 'less than a second' : sayDuration(ms ?? Number.NaN, { tenths: false })
}

/** ` since 12:04 UTC`, with the date unless it is today's. */
function saySince(time: number, now: number): string {
  const [day = '', clock = ''] = isoTime(time)?.split('T') ?? []
  if (clock === '') return ''
  return ` since ${isoTime(now)?.startsWith(day) ? '' : `${day} `}${clock.slice(0, 5)} UTC`
}
