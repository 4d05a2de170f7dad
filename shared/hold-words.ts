import { sayDuration } from './duration.ts'
import type { HoldMode, MaintenanceHold } from './holds.ts'
import { isoTime } from './lease.ts'

/** Sentences about maintenance holds, for the screen and the command line. Escape them before printing. */

/** The effect of each mode. */
export const MODE_CONSEQUENCES: Readonly<Record<HoldMode, string>> = {
  renewed:
    'Lockkeeper renews the lock while it runs. The lock ends within a minute after Lockkeeper closes or cannot reach the store.',
  once: 'The lock is acquired for the whole time, and stays until then even if Lockkeeper closes.',
}

/** Whether it ended before its time: it was lost or not renewed. */
export function endedEarly({ ended, until }: MaintenanceHold): boolean {
  return ended?.how === 'lost' || (ended?.how === 'ran-out' && until !== null && ended.at < until)
}

/** How a hold ended, and why. */
export function holdEndSentence(hold: MaintenanceHold): string {
  const { ended, other, key } = hold
  if (!ended) return ''
  const why = ended.message === null ? '' : ` ${ended.message}`
  switch (ended.how) {
    case 'released':
      return `Released ${key}.${why}`
    case 'ran-out':
      return endedEarly(hold)
        ? `The hold on ${key} ended early.${why} The job it blocked may be running.`
        : `The hold on ${key} ended on time.${why}`
    case 'given-up':
      return `${key} was not acquired.${why}${other === null ? '' : ` It is held by ${other}.`}`
    case 'lost':
      return `The hold on ${key} was lost.${why}${other === null ? '' : ` It is held by ${other}.`} The job it blocked may be running.`
  }
}

/** The status of a hold at a time of the local clock. */
export function holdSentence(hold: MaintenanceHold, now: number): string {
  const { key, state, until, waitsUntil, other } = hold
  if (state === 'ended') return holdEndSentence(hold)
  if (state === 'waiting') {
    const who = other === null ? '' : `, which is held by ${other}`
    return `Waiting for ${key}${who}: ${sayDuration(Math.max(0, (waitsUntil ?? now) - now), { tenths: false })} left`
  }
  return `Holding ${key}: ${sayDuration(Math.max(0, (until ?? now) - now), { tenths: false })} left`
}

/** For the command line, which prints times in UTC. */
export function utc(time: number): string {
  const iso = isoTime(time)
  return iso === null ? String(time) : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

/** The owner of a lock held for maintenance: every reader of the record sees that it is a hold, and whose. */
const PREFIX = 'lockkeeper:'
const OWNER = /^lockkeeper:([\w.-]{1,48})@([\w.-]{1,80}):[0-9a-f]{6,32}$/

/** `secret` distinguishes the holds of one operator. */
export function holdOwner(user: string, host: string, secret: string): string {
  return `${PREFIX}${plain(user, 48)}@${plain(host, 80)}:${secret}`
}

/** `user@host` of a maintenance hold; null for another owner. */
export function holdsForMaintenance(owner: string | null): string | null {
  const match = owner === null ? null : OWNER.exec(owner)
  return match ? `${match[1]}@${match[2]}` : null
}

/** Only characters that every format, shell and table can carry. */
function plain(text: string, most: number): string {
  return text.replace(/[^\w.-]+/g, '-').slice(0, most) || 'unknown'
}
