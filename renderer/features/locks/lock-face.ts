import { heldSinceOf, isUnconfirmed, remainingMs, stateAt } from '../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../shared/locks.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Words } from '../../words/en.ts'
import { t } from '../../words/words.ts'

export type Face = {
  readonly word: keyof Words['table']['states']
  readonly icon: IconName
  readonly tone: 'danger' | 'endless' | 'warn' | 'calm' | 'faint'
}

/** How a lock looks at a given store time. Color never stands alone: an icon and a word go with it. */
export function faceOf(lock: Lock, now: number, gone: boolean): Face {
  if (gone) return { word: 'gone', icon: 'cross', tone: 'faint' }
  if (isUnconfirmed(lock, now)) return { word: 'ended', icon: 'again', tone: 'warn' }
  const state = stateAt(lock, now)
  if (state === 'expired') return { word: 'expired', icon: 'alert', tone: 'danger' }
  if (lock.lease.kind === 'never') return { word: 'endless', icon: 'endless', tone: 'endless' }
  switch (state) {
    case 'expiring':
      return { word: 'expiring', icon: 'half', tone: 'warn' }
    case 'held':
      return { word: 'held', icon: 'ring', tone: 'calm' }
    case 'released':
      return { word: 'released', icon: 'dash', tone: 'faint' }
    case 'unknown':
      return { word: 'unknown', icon: 'question', tone: 'faint' }
  }
}

export function ageText(lock: WatchedLock, now: number): string {
  const since = heldSinceOf(lock)
  if (since === null) return t.table.ageUnknown
  const age = now - since.at
  // The tick is up to a second old.
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
