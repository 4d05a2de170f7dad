import { HOUR_MS } from '../../../../shared/duration.ts'
import { attentionRank, heldSinceOf, remainingMs } from '../../../../shared/lease.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import { ATTENTION } from '../../../../shared/report-document.ts'

type Why = (typeof ATTENTION)[number]

/** A lock that is there and needs somebody's attention; `now` is its store's time. */
export type Needy = {
  readonly storeId: string
  readonly lock: Lock | WatchedLock
  readonly now: number
  readonly why: readonly Why[]
}

/** So long is long for a lock, whatever it is for. */
export const LONG_MS = 2 * HOUR_MS
const BY_RANK: readonly Why[] = ['expired', 'endless', 'expiring']

/** Keeps the neediest of any number of locks, and counts the others. */
export class Attention {
  readonly #most: number
  readonly #alerted: ReadonlySet<string>
  #kept: Needy[] = []
  #count = 0

  /** `alerted` has what `nameOf` calls a lock. */
  constructor(most: number, alerted: ReadonlySet<string>) {
    this.#most = most
    this.#alerted = alerted
  }

  see(storeId: string, lock: Lock | WatchedLock, now: number): void {
    const why = this.#why(storeId, lock, now)
    if (why.length === 0) return
    this.#count++
    this.#kept.push({ storeId, lock, now, why })
    // Sorting at every lock would cost more than keeping a few too many.
    if (this.#kept.length >= 4 * this.#most) this.#cut()
  }

  result(): { locks: readonly Needy[]; more: number } {
    this.#cut()
    return { locks: this.#kept, more: this.#count - this.#kept.length }
  }

  #cut(): void {
    this.#kept = this.#kept.sort(byNeed).slice(0, this.#most)
  }

  #why(storeId: string, lock: Lock | WatchedLock, now: number): Why[] {
    const rank = BY_RANK[attentionRank(lock, now)]
    const since = heldSinceOf(lock)
    const isHeld = attentionRank(lock, now) < 5
    return [
      ...(rank === undefined ? [] : [rank]),
      ...(isHeld && since !== null && now - since.at >= LONG_MS ? (['held-long'] as const) : []),
      ...(this.#alerted.has(nameOf(storeId, lock.id)) ? (['alert'] as const) : []),
    ]
  }
}

export function nameOf(storeId: string, lockId: string): string {
  return `${storeId} ${lockId}`
}

/** What the first reason is, then what ends first, then what is held longest. */
function byNeed(a: Needy, b: Needy): number {
  return (
    weight(a) - weight(b) ||
    compare(remainingMs(a.lock, a.now) ?? Infinity, remainingMs(b.lock, b.now) ?? Infinity) ||
    compare(heldSinceOf(a.lock)?.at ?? Infinity, heldSinceOf(b.lock)?.at ?? Infinity) ||
    compare(a.lock.key, b.lock.key)
  )
}

function weight({ why: [first] }: Needy): number {
  return first === undefined ? ATTENTION.length : ATTENTION.indexOf(first)
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
