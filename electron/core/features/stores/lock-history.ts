import { expiresAtOf } from '../../../../shared/lease.ts'
import type { Lock, Note, Story, Tenure, Watched } from '../../../../shared/locks.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import { isSameFence } from '../../stores/fence.ts'

/** TTLs are rounded to milliseconds: a deadline that moved by less has not moved. */
export const SAME_DEADLINE_MS = 50
/** Per lock: a key that changes hands every second must not fill the memory. */
const MOST_TENURES = 50
/** Histories kept of locks that are gone, in case the key is acquired again. */
const MOST_ENDED = 5000

type LockHistory = {
  readonly firstSeenAt: number
  /** The last tenures; the last of them is open while the lock is held. */
  readonly tenures: { -readonly [K in keyof Tenure]: Tenure[K] }[]
  holders: number
  lastRenewedAt: number | null
  last: Lock
}

/** How a reading differs in its holder. `begun`: the lock was free before; `passed-on`: it was never seen free. */
export type HolderChange = 'same' | 'renewed' | 'begun' | 'passed-on' | 'freed'

/**
 * Who held each lock while it was watched. Records often do not tell: a TTL that is extended forever always looks young, and only
 * polling shows how long the lock has really been held.
 */
export class LockHistories {
  readonly #locks = new Map<string, LockHistory>()
  /** In the order in which they ended. */
  readonly #ended = new Set<string>()

  /** Records a lock that is new or has changed. */
  record(lock: Lock): { readonly watched: Watched; readonly change: HolderChange } {
    const history = this.#locks.get(lock.id)
    this.#ended.delete(lock.id)
    if (!history) {
      const fresh = { firstSeenAt: lock.observedAt, tenures: [], holders: 0, lastRenewedAt: null, last: lock }
      this.#locks.set(lock.id, fresh)
      this.#begin(fresh, lock)
      return { watched: watchedOf(fresh), change: lock.state === 'released' ? 'same' : 'begun' }
    }
    const change = this.#changeOf(history, lock)
    history.last = lock
    return { watched: watchedOf(history), change }
  }

  /** The lock is gone. */
  end(id: string, at: number): void {
    const history = this.#locks.get(id)
    if (!history) return
    this.#close(history, at)
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) {
      this.#ended.delete(oldest)
      this.#locks.delete(oldest)
    }
  }

  /** After a complete pass: locks that are not in `seen` are gone, even if they disappeared while polling was stopped. */
  endOthers(seen: ReadonlySet<string>, at: number, signal: AbortSignal): Promise<void> | undefined {
    return eachYielding(this.#locks.keys(), id => {
      if (!signal.aborted && !seen.has(id) && !this.#ended.has(id)) this.end(id, at)
    })
  }

  storyOf(id: string): Story | null {
    const history = this.#locks.get(id)
    if (!history) return null
    return { ...watchedOf(history), tenures: history.tenures.map(each => ({ ...each })) }
  }

  /** The last reading, also of a lock that is gone. */
  lastOf(id: string): Lock | null {
    return this.#locks.get(id)?.last ?? null
  }

  #changeOf(history: LockHistory, lock: Lock): HolderChange {
    const open = history.tenures.at(-1)
    const isHeld = open !== undefined && open.until === null
    if (lock.state === 'released') {
      this.#close(history, lock.observedAt)
      return isHeld ? 'freed' : 'same'
    }
    if (!isHeld || open.owner !== lock.owner) {
      this.#close(history, lock.observedAt)
      this.#begin(history, lock)
      return isHeld ? 'passed-on' : 'begun'
    }
    if (!isRenewed(history.last, lock)) return 'same'
    open.renewals++
    history.lastRenewedAt = lock.observedAt
    return 'renewed'
  }

  #begin(history: LockHistory, lock: Lock): void {
    history.holders++
    history.lastRenewedAt = null
    history.tenures.push({
      owner: lock.owner,
      label: lock.holder?.label ?? null,
      from: lock.observedAt,
      until: lock.state === 'released' ? lock.observedAt : null,
      renewals: 0,
    })
    if (history.tenures.length > MOST_TENURES) history.tenures.shift()
  }

  #close(history: LockHistory, at: number): void {
    const open = history.tenures.at(-1)
    if (open && open.until === null) open.until = at
  }
}

function watchedOf(history: LockHistory): Watched {
  const present = history.tenures.at(-1)
  return {
    firstSeenAt: history.firstSeenAt,
    heldSince: present?.from ?? history.firstSeenAt,
    renewals: present?.renewals ?? 0,
    lastRenewedAt: history.lastRenewedAt,
    holders: history.holders,
  }
}

/** Whether the same owner has a later expiry or another version. A lock closer to its expiry was not renewed. */
function isRenewed(before: Lock, now: Lock): boolean {
  if (before.lease.kind === 'heartbeat' && now.lease.kind === 'heartbeat')
    return before.lease.version !== now.lease.version
  const from = expiresAtOf(before.lease)
  const to = expiresAtOf(now.lease)
  return from !== null && to !== null && to - from > SAME_DEADLINE_MS
}

/** Whether a screen that has `a` may keep showing it, and release it by its fence, after `b` was read. */
export function isSameLock(a: Lock, b: Lock): boolean {
  if (a.state !== b.state || a.lease.kind !== b.lease.kind || !isSameFence(a.fence, b.fence)) return false
  if (a.lease.kind === 'heartbeat' && b.lease.kind === 'heartbeat' && a.lease.version !== b.lease.version)
    return false
  if (a.notes.length !== b.notes.length || !a.notes.every((note, i) => isSameNote(note, b.notes[i])))
    return false
  return Math.abs((expiresAtOf(a.lease) ?? 0) - (expiresAtOf(b.lease) ?? 0)) <= SAME_DEADLINE_MS
}

/** Times in notes are deadlines, which are compared separately. */
function isSameNote(a: Note, b: Note | undefined): boolean {
  const count = 'count' in a ? a.count : null
  return a.code === b?.code && count === (b && 'count' in b ? b.count : null)
}
