import type { WatchedStore } from '../../../electron/core/features/stats/histories.ts'
import { StoreHistory } from '../../../electron/core/features/stats/store-history.ts'
import type { LockEvent } from '../../../electron/core/features/stores/subscriber.ts'
import type { WatchedLock } from '../../../shared/locks.ts'
import type { Spent } from '../../../shared/stats.ts'
import { at } from '../../core/features/lock.ts'
import { aWatchedLock, byId } from '../../core/features/stats/a-watched-lock.ts'

/** A store as the histories has it, where everything that is seen is said by hand. */
export class ObservedStore implements WatchedStore {
  readonly history: StoreHistory
  locks: ReadonlyMap<string, WatchedLock> = new Map()
  spent: Spent = { requests: 0, units: null }
  /** What was told to whoever measures. */
  ended: (heldMs: number) => void = () => {}

  constructor(
    readonly storeId: string,
    readonly address = `memory:${storeId}`,
    readonly kind = 'memory',
  ) {
    this.history = new StoreHistory({
      keepMs: 3_600_000,
      keep: () => {},
      ended: heldMs => this.ended(heldMs),
      spent: () => this.spent,
    })
  }

  pass(locks: readonly WatchedLock[], unbroken = true): void {
    this.locks = byId(...locks)
    const now = Date.now()
    this.history.onPass({
      ...{ locks: this.locks, serverTime: now + 1500, offsetMs: 1500, errorMs: 1 },
      ...{ scanned: locks.length, tookMs: 40, unbroken },
    })
  }

  happens(what: LockEvent['what'], lock: WatchedLock): void {
    this.history.onEvents([{ what, lock }])
  }
}

const SHIFT = at(0)

/** A lock that began so long ago and ends in so long, by the clock of the store. */
export function lockOf(
  key: string,
  { agoMs, leftMs, ...more }: { agoMs: number | null; leftMs: number | null } & Partial<WatchedLock>,
): WatchedLock {
  const now = Date.now() + 1500
  const lock = aWatchedLock(now - SHIFT, {
    ...{ id: key, key, acquiredAt: agoMs === null ? null : now - agoMs, acquiredAtSource: 'stored' },
    ...(leftMs === null ? { lease: { kind: 'never' } } : { endsAt: now + leftMs - SHIFT }),
  })
  return { ...lock, ...more }
}
