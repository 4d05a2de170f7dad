import { expiresAtOf } from '../../../../shared/lease.ts'
import type { Lock, Story, Tenure, Watched } from '../../../../shared/locks.ts'

/** TTLs are read to the millisecond: a deadline that moved by less has not moved. */
export const SAME_DEADLINE_MS = 50
/** Of one lock; a key that changes hands every second must not fill the memory. */
const MOST_TENURES = 50
/** Locks that are gone, so that a key that is taken again keeps its story. */
const MOST_ENDED = 5000

type Told = {
  readonly firstSeenAt: number
  /** Mutable copies of the last owners; the last one is open while the lock is held. */
  readonly tenures: { -readonly [K in keyof Tenure]: Tenure[K] }[]
  holders: number
  lastRenewedAt: number | null
  last: Lock
}

/** What a look at a lock showed: nothing new of its holder, or a new one, with or without a moment of freedom before it. */
export type Turn = 'same' | 'renewed' | 'begun' | 'passed-on' | 'freed'

/**
 * What was seen of each lock while it was watched. A record often says nothing of it: a TTL that is extended for ever
 * looks young at every moment, and only somebody who kept looking knows how long it has really been held.
 */
export class LockHistories {
  readonly #told = new Map<string, Told>()
  /** In the order in which they ended. */
  readonly #ended = new Set<string>()

  /** Takes note of a lock that is new or no longer what it was. */
  see(lock: Lock): { readonly watched: Watched; readonly turn: Turn } {
    const told = this.#told.get(lock.id)
    this.#ended.delete(lock.id)
    if (!told) {
      const fresh = { firstSeenAt: lock.observedAt, tenures: [], holders: 0, lastRenewedAt: null, last: lock }
      this.#told.set(lock.id, fresh)
      this.#begin(fresh, lock)
      return { watched: watchedOf(fresh), turn: lock.state === 'released' ? 'same' : 'begun' }
    }
    const turn = this.#turn(told, lock)
    told.last = lock
    return { watched: watchedOf(told), turn }
  }

  /** The lock is not there any more. */
  end(id: string, at: number): void {
    const told = this.#told.get(id)
    if (!told) return
    this.#close(told, at)
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) {
      this.#ended.delete(oldest)
      this.#told.delete(oldest)
    }
  }

  /** After everything was looked at: what is not among `seen` is not there any more, also if nobody looked when it went. */
  endOthers(seen: ReadonlySet<string>, at: number): void {
    for (const id of this.#told.keys()) if (!seen.has(id) && !this.#ended.has(id)) this.end(id, at)
  }

  of(id: string): Story | null {
    const told = this.#told.get(id)
    if (!told) return null
    return { ...watchedOf(told), tenures: told.tenures.map(each => ({ ...each })) }
  }

  /** As it was seen last, also if it is gone. */
  lastOf(id: string): Lock | null {
    return this.#told.get(id)?.last ?? null
  }

  #turn(told: Told, lock: Lock): Turn {
    const open = told.tenures.at(-1)
    const isHeld = open !== undefined && open.until === null
    if (lock.state === 'released') {
      this.#close(told, lock.observedAt)
      return isHeld ? 'freed' : 'same'
    }
    if (!isHeld || open.owner !== lock.owner) {
      this.#close(told, lock.observedAt)
      this.#begin(told, lock)
      return isHeld ? 'passed-on' : 'begun'
    }
    if (!isRenewed(told.last, lock)) return 'same'
    open.renewals++
    told.lastRenewedAt = lock.observedAt
    return 'renewed'
  }

  #begin(told: Told, lock: Lock): void {
    told.holders++
    told.lastRenewedAt = null
    told.tenures.push({
      owner: lock.owner,
      label: lock.holder?.label ?? null,
      from: lock.observedAt,
      until: lock.state === 'released' ? lock.observedAt : null,
      renewals: 0,
    })
    if (told.tenures.length > MOST_TENURES) told.tenures.shift()
  }

  #close(told: Told, at: number): void {
    const open = told.tenures.at(-1)
    if (open && open.until === null) open.until = at
  }
}

function watchedOf(told: Told): Watched {
  const present = told.tenures.at(-1)
  return {
    firstSeenAt: told.firstSeenAt,
    heldSince: present?.from ?? told.firstSeenAt,
    renewals: present?.renewals ?? 0,
    lastRenewedAt: told.lastRenewedAt,
    holders: told.holders,
  }
}

/** The same owner, and a later end or another version. A lock that came nearer to its end was not renewed. */
function isRenewed(before: Lock, now: Lock): boolean {
  if (before.lease.kind === 'heartbeat' && now.lease.kind === 'heartbeat')
    return before.lease.version !== now.lease.version
  const from = expiresAtOf(before.lease)
  const to = expiresAtOf(now.lease)
  return from !== null && to !== null && to - from > SAME_DEADLINE_MS
}
