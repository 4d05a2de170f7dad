import { isUnconfirmed, stateAt } from '../../../shared/lease.ts'
import type { Lock } from '../../../shared/locks.ts'
import type { IconName } from '../../ui/Icon.tsx'
import type { Words } from '../../words/en.ts'

export type Face = {
  readonly word: keyof Words['table']['states']
  readonly icon: IconName
  readonly tone: 'danger' | 'endless' | 'warn' | 'calm' | 'faint'
}

/** How a lock looks at a moment of its store's time. Colour is never alone: an icon and a word go with it. */
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
