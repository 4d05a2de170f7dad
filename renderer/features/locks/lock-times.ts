import { heldSinceOf, isUnconfirmed, remainingMs } from '../../../shared/lease.ts'
import type { WatchedLock } from '../../../shared/locks.ts'
import { t } from '../../words/words.ts'

export function ageText(lock: WatchedLock, now: number): string {
  const since = heldSinceOf(lock)
  if (since === null) return t.table.ageUnknown
  const age = now - since.at
  // The tick is up to a second old: what began since then began now.
  if (age < -2000) return t.table.startsIn(-age)
  return since.exact ? t.span(Math.max(0, age)) : t.table.atLeast(Math.max(0, age))
}

export function remainingText(lock: WatchedLock, now: number, gone: boolean): string {
  const words = t.table.remaining
  if (gone) return words.gone
  switch (lock.lease.kind) {
    case 'never':
      return words.never
    case 'session':
      return words.session
    case 'heartbeat':
      return words.heartbeat
    case 'released':
      return words.free
    case 'unknown':
      return words.unknown
    case 'deadline': {
      const left = remainingMs(lock, now)
      if (left === null) return words.unknown
      if (left > 0) return t.duration(left)
      if (isUnconfirmed(lock, now)) return words.ended
      return lock.lease.afterwards === 'released' ? words.free : words.ago(-left)
    }
  }
}
