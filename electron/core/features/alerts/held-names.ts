import { holdsForMaintenance } from '../../../../shared/hold-owner.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { isSameFence } from '../../stores/fence.ts'
import type { Found } from './check-lock.ts'

/**
 * The names that are held in one store. `name` is the key without what its format puts around it, and that is compared as it
 * is: to every lock library another case or another prefix is another lock.
 */
export type HeldNames = ReadonlyMap<string, WatchedLock>

export function heldNames(locks: Iterable<WatchedLock>, now: number): HeldNames {
  const names = new Map<string, WatchedLock>()
  for (const lock of locks) if (isHeld(lock, now) && !isMaintenance(lock)) names.set(lock.name, lock)
  return names
}

/** An operator who holds a name here, there or in both keeps jobs out: no job runs under it. */
export function isMaintenance({ owner }: WatchedLock): boolean {
  return holdsForMaintenance(owner) !== null
}

export type OtherStore = {
  readonly name: string
  readonly names: HeldNames
  /** What was read of one that does not answer now begins nothing: it may have changed. */
  readonly isLive: boolean
}

/** Tells of every name that somebody else holds elsewhere. `goesOn` is whether that is known already. */
export function checkNames(
  own: HeldNames,
  others: readonly OtherStore[],
  goesOn: (lock: WatchedLock) => boolean,
  found: Found,
): void {
  if (others.length === 0) return
  for (const [name, lock] of own) {
    const where = others.filter(({ names, isLive }) => {
      const other = names.get(name)
      return other !== undefined && !isOneHolder(lock, other) && (isLive || goesOn(lock))
    })
    if (where.length > 0) found('two-stores', lock, null, null, where.map(each => each.name).join(', '))
  }
}

/**
 * Whether two locks of one name in two stores are one and the same: a record that is seen through two connections, or a holder
 * that took it everywhere on purpose, as Redlock does with one token on several servers.
 */
export function isOneHolder(a: WatchedLock, b: WatchedLock): boolean {
  if (a.format !== b.format || a.key !== b.key) return false
  return (a.owner !== null && a.owner === b.owner) || isSameFence(a.fence, b.fence)
}
