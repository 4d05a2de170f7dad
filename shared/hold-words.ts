import { sayDuration } from './duration.ts'
import type { HoldMode, MaintenanceHold } from './holds.ts'
import { isoTime } from './lease.ts'

/** Sentences about maintenance holds, for the screen and the command line. Nothing here is safe to print before escaping. */

/** What choosing a mode means, in one sentence. */
export const MODE_CONSEQUENCES: Readonly<Record<HoldMode, string>> = {
  renewed:
    'The lock is renewed while Lockkeeper runs, and ends within a minute after Lockkeeper is closed or cannot reach the store.',
  once: 'The lock is taken for the whole time at once, and stays until then even if Lockkeeper is closed.',
}

/** Whether it keeps nobody out any more though it should: it was lost, or nobody renewed it. */
export function endedEarly({ ended, until }: MaintenanceHold): boolean {
  return ended?.how === 'lost' || (ended?.how === 'ran-out' && until !== null && ended.at < until)
}

/** Of a hold that has ended: how, and what is known of why. */
export function holdEndSentence(hold: MaintenanceHold): string {
  const { ended, other, key } = hold
  if (!ended) return ''
  const why = ended.message === null ? '' : ` ${ended.message}`
  switch (ended.how) {
    case 'released':
      return `${key} is released: whoever wants it can have it.${why}`
    case 'ran-out':
      return endedEarly(hold)
        ? `The hold on ${key} ended before its time.${why} The job that it kept out may be running.`
        : `The time of the hold on ${key} was over.${why}`
    case 'given-up':
      return `${key} was not taken.${why}${other === null ? '' : ` It is held by ${other}.`}`
    case 'lost':
      return `The hold on ${key} was lost.${why}${other === null ? '' : ` It is held by ${other}.`} The job that it kept out may be running.`
  }
}

/** Of one that goes on, at a moment of the local clock. */
export function holdSentence(hold: MaintenanceHold, now: number): string {
  const { key, state, until, waitsUntil, other } = hold
  if (state === 'ended') return holdEndSentence(hold)
  if (state === 'waiting') {
    const who = other === null ? '' : `, which is held by ${other}`
    return `Waiting for ${key}${who}: ${sayDuration(Math.max(0, (waitsUntil ?? now) - now), { tenths: false })} left`
  }
  return `Holding ${key}: ${sayDuration(Math.max(0, (until ?? now) - now), { tenths: false })} left`
}

/** For the command line, which says all times in UTC. */
export function utc(time: number): string {
  const iso = isoTime(time)
  return iso === null ? String(time) : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}
