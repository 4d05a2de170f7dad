import { heldSinceOf, isPlausibleBeginning } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Hold } from '../../../../shared/stats.ts'
import { holderGroup, namedHolder } from './named-holder.ts'

/** A hold without the store that it is in. */
export type KeptHold = Omit<Hold, 'storeId'>

/** Of holds that ended, in one store. */
const MOST_ENDED = 20_000
const AT_A_TIME = 1000
/** Of those that had to go, the longest are remembered. */
const MOST_LONG = 200

type Beginning = {
  readonly offsetMs: number
  /** Nothing was missed since the reading before. */
  readonly seen: boolean
  /** Until here another one was seen to hold it, whatever the record says. */
  readonly notBefore: number
}

/** Who held what, and when, in one store: what is held now, and what ended while it is kept. */
export class HoldBook {
  readonly #open = new Map<string, KeptHold>()
  readonly #ended: KeptHold[] = []
  /** The longest of each lot that had to go. */
  readonly #long: KeptHold[] = []
  readonly #keepMs: number
  #dropped = 0
  #droppedUntil = 0

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  get open(): ReadonlyMap<string, KeptHold> {
    return this.#open
  }

  /** Until here, holds that ended had to go because there were too many; zero when none had to. */
  get droppedUntil(): number {
    return this.#droppedUntil
  }

  /** How many that reached into a time after this had to go, at most. */
  droppedSince(time: number): number {
    return this.#droppedUntil >= time ? this.#dropped : 0
  }

  /** Times are ours; the lock's are the store's. */
  begin(lock: WatchedLock, at: number, { offsetMs, seen, notBefore }: Beginning): KeptHold {
    const since = heldSinceOf(lock)
    const from = since === null ? at : since.at - offsetMs
    const stored = since?.exact === true && isPlausibleBeginning(from, at) && from >= notBefore
    const hold: KeptHold = {
      id: lock.id,
      key: lock.key,
      format: lock.format,
      ...namedHolder(lock),
      group: holderGroup(lock),
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
    if (this.#ended.length > MOST_ENDED + AT_A_TIME) this.#drop(this.#ended.splice(0, AT_A_TIME))
  }

  #drop(lot: readonly KeptHold[]): void {
    this.#dropped += lot.length
    for (const { until } of lot) this.#droppedUntil = Math.max(this.#droppedUntil, until ?? 0)
    const longest = longestOf(lot)
    if (longest) this.#long.push(longest)
    if (this.#long.length > MOST_LONG) this.#long.shift()
  }

  prune(now: number): void {
    const oldest = now - this.#keepMs
    const keep = this.#ended.findIndex(({ until }) => (until ?? now) >= oldest)
    if (keep !== 0) this.#ended.splice(0, keep < 0 ? this.#ended.length : keep)
    if ((this.#long[0]?.until ?? now) < oldest) this.#long.shift()
    if (this.#droppedUntil > 0 && this.#droppedUntil < oldest) {
      this.#dropped = 0
      this.#droppedUntil = 0
    }
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

  /** Of those that ended in a window, the one that had been held longest. */
  longest(from: number, to: number): KeptHold | null {
    const gone = this.#long.filter(({ until }) => until !== null && until > from && until <= to)
    return longestOf([...gone, ...this.ended(from, to)])
  }
}

function longestOf(holds: readonly KeptHold[]): KeptHold | null {
  let longest: KeptHold | null = null
  let ms = -1
  for (const hold of holds) {
    const own = lengthOf(hold) ?? -1
    if (own <= ms) continue
    longest = hold
    ms = own
  }
  return longest
}

/** Null when its beginning or its end was not seen. */
export function lengthOf(hold: KeptHold): number | null {
  if (hold.until === null || hold.end === 'unseen' || hold.begin === 'before') return null
  return hold.until - hold.from
}
