import { heldSinceOf, isRepresentable } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/lock.ts'
import type { Hold } from '../../../../shared/stats.ts'
import { namedHolder } from './named-holder.ts'

/** A hold without the store that it is in. */
export type KeptHold = Omit<Hold, 'storeId'>

/** Of holds that ended, in one store. */
const MOST_ENDED = 20_000
const AT_A_TIME = 1000
/** What a record says of its beginning is believed up to this. */
const LONGEST_HOLD_MS = 3650 * 86_400_000

/** Who held what, and when, in one store: what is held now, and what ended while it is kept. */
export class HoldBook {
  readonly #open = new Map<string, KeptHold>()
  readonly #ended: KeptHold[] = []
  readonly #keepMs: number
  #dropped = 0

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  get open(): ReadonlyMap<string, KeptHold> {
    return this.#open
  }

  /** Those that ended and are no longer kept because there were too many. */
  get dropped(): number {
    return this.#dropped
  }

  /** `seen` is whether nothing was missed since the reading before. Times are ours; the lock's are the store's. */
  begin(lock: WatchedLock, at: number, offsetMs: number, seen: boolean): KeptHold {
    const since = heldSinceOf(lock)
    const from = since === null ? at : since.at - offsetMs
    const stored =
      since?.exact === true && isRepresentable(from) && from <= at + 1000 && at - from < LONGEST_HOLD_MS
    const hold: KeptHold = {
      id: lock.id,
      key: lock.key,
      format: lock.format,
      ...namedHolder(lock),
      from: stored ? Math.min(from, at) : at,
      begin: stored ? 'stored' : seen ? 'seen' : 'before',
      until: null,
      end: 'held',
      renewals: lock.watched.renewals,
    }
    this.#open.set(lock.id, hold)
    return hold
  }

  renewed(lock: WatchedLock): void {
    const hold = this.#open.get(lock.id)
    if (hold) this.#open.set(lock.id, { ...hold, renewals: hold.renewals + 1 })
  }

  /** Null when nobody was known to hold it. */
  end(id: string, end: Exclude<Hold['end'], 'held'>, at: number): KeptHold | null {
    const hold = this.#open.get(id)
    if (!hold) return null
    this.#open.delete(id)
    const ended = { ...hold, until: Math.max(at, hold.from), end }
    this.add(ended)
    return ended
  }

  /** One that was kept as held, and is now known to have ended. */
  forget(id: string): void {
    this.#open.delete(id)
  }

  /** One that was kept: still held as far as is known, or ended. */
  add(hold: KeptHold): void {
    if (hold.until === null) {
      this.#open.set(hold.id, hold)
      return
    }
    this.#ended.push(hold)
    // Many at a time: taking the first of an array away moves all the others.
    if (this.#ended.length <= MOST_ENDED + AT_A_TIME) return
    this.#ended.splice(0, AT_A_TIME)
    this.#dropped += AT_A_TIME
  }

  prune(now: number): void {
    const keep = this.#ended.findIndex(({ until }) => (until ?? now) >= now - this.#keepMs)
    if (keep !== 0) this.#ended.splice(0, keep < 0 ? this.#ended.length : keep)
  }

  *within(from: number, to: number, id?: string): Iterable<KeptHold> {
    for (const hold of this.#ended)
      if ((id === undefined || hold.id === id) && hold.from <= to && (hold.until ?? to) >= from) yield hold
    const open = id === undefined ? this.#open.values() : [this.#open.get(id)]
    for (const hold of open) if (hold && hold.from <= to) yield hold
  }

  *ended(from: number, to: number): Iterable<KeptHold & { readonly until: number }> {
    for (const hold of this.#ended)
      if (hold.until !== null && hold.until > from && hold.until <= to) yield { ...hold, until: hold.until }
  }
}
