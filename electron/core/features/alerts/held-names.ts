import type { StoreFacts } from '../../../../shared/alert-rule.ts'
import { holdsForMaintenance } from '../../../../shared/hold-words.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { isSameFence } from '../../stores/fence.ts'

/**
 * The names held in one store. A `name` is the key without what its format puts around it, and is compared as it is: to every lock
 * library, another case or another prefix is another lock.
 */
export type HeldNames = ReadonlyMap<string, WatchedLock>

export function heldNames(locks: Iterable<WatchedLock>, now: number): HeldNames {
  const names = new Map<string, WatchedLock>()
  for (const lock of locks) addHeldName(names, lock, now)
  return names
}

export function addHeldName(names: Map<string, WatchedLock>, lock: WatchedLock, now: number): void {
  if (isHeld(lock, now) && !isMaintenance(lock)) names.set(lock.name, lock)
}

/** A maintenance hold keeps jobs out, so no job runs under its name. */
export function isMaintenance({ owner }: WatchedLock): boolean {
  return holdsForMaintenance(owner) !== null
}

export type OtherStore = {
  readonly name: string
  readonly names: HeldNames
  /** What was read from a store that does not answer now begins no alert: it may have changed. */
  readonly isLive: boolean
}

/** The names that another holder has in another store. `isKnown`: the lock was found before, so an outage does not end it. */
export function* heldElsewhere(
  own: HeldNames,
  others: readonly OtherStore[],
  isKnown: (lock: WatchedLock) => boolean,
): StoreFacts<WatchedLock>['heldElsewhere'] {
  if (others.length === 0) return
  for (const [name, lock] of own) {
    const stores = others.filter(({ names, isLive }) => {
      const other = names.get(name)
      return other !== undefined && !isOneHolder(lock, other) && (isLive || isKnown(lock))
    })
    if (stores.length > 0) yield { lock, stores: stores.map(each => each.name) }
  }
}

/**
 * Whether two locks of one name in two stores are the same lock: one record seen through two connections, or one holder that took
 * it everywhere on purpose, as Redlock does with one token on several servers.
 */
export function isOneHolder(a: WatchedLock, b: WatchedLock): boolean {
  if (a.format !== b.format || a.key !== b.key) return false
  return (a.owner !== null && a.owner === b.owner) || isSameFence(a.fence, b.fence)
}
