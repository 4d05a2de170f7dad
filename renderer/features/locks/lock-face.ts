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

export const FACES = {
  expired: { word: 'expired', icon: 'alert', tone: 'danger' },
  endless: { word: 'endless', icon: 'endless', tone: 'endless' },
  expiring: { word: 'expiring', icon: 'half', tone: 'warn' },
  ended: { word: 'ended', icon: 'again', tone: 'warn' },
  held: { word: 'held', icon: 'ring', tone: 'calm' },
  released: { word: 'released', icon: 'dash', tone: 'faint' },
  unknown: { word: 'unknown', icon: 'question', tone: 'faint' },
  gone: { word: 'gone', icon: 'cross', tone: 'faint' },
} as const satisfies Record<Face['word'], Face>

/** How a lock looks at a given store time. Color never stands alone: an icon and a word go with it. */
export function faceOf(lock: Lock, now: number, gone: boolean): Face {
  if (gone) return FACES.gone
  if (isUnconfirmed(lock, now)) return FACES.ended
  const state = stateAt(lock, now)
  if (lock.lease.kind === 'never' && state !== 'expired') return FACES.endless
  return FACES[state]
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
  const { lease } = lock
  if (gone) return words.gone
  if (lease.kind === 'released') return words.free
  if (lease.kind !== 'deadline') return words[lease.kind]
  const left = remainingMs(lock, now)
  if (left === null) return words.unknown
  if (left > 0) return t.duration(left)
  if (isUnconfirmed(lock, now)) return words.ended
  return lease.afterwards === 'released' ? words.free : words.ago(-left)
}

/** The filter for locks that look so. */
export function filterOf(word: Face['word']): string {
  return `state:${word === 'endless' ? 'no-expiry' : word}`
}
