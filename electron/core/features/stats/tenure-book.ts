import { heldSinceOf, isPlausibleBeginning } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { LockTenure } from '../../../../shared/stats.ts'
import { holderGroup, namedHolder } from './named-holder.ts'

/** A tenure without the store that it is in. */
export type StoreTenure = Omit<LockTenure, 'storeId'>

/** Of tenures that ended, in one store. */
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
export class TenureBook {
  readonly #open = new Map<string, StoreTenure>()
  readonly #ended: StoreTenure[] = []
  /** The longest of each lot that had to go. */
  readonly #long: StoreTenure[] = []
  readonly #keepMs: number
  #dropped = 0
  #droppedUntil = 0

  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  get open(): ReadonlyMap<string, StoreTenure> {
    return this.#open
  }

  /** Until here, tenures that ended had to go because there were too many; zero when none had to. */
  get droppedUntil(): number {
    return this.#droppedUntil
  }

  /** How many that reached into a time after this had to go, at most. */
  droppedSince(time: number): number {
    return this.#droppedUntil >= time ? this.#dropped : 0
  }

  /** Times are ours; the lock's are the store's. */
  begin(lock: WatchedLock, at: number, { offsetMs, seen, notBefore }: Beginning): StoreTenure {
    const since = heldSinceOf(lock)
    const from = since === null ? at : since.at - offsetMs
    const stored = since?.exact === true && isPlausibleBeginning(from, at) && from >= notBefore
    const tenure: StoreTenure = {
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
    this.#open.set(lock.id, tenure)
    return tenure
  }

  renewed(lock: WatchedLock): void {
    const tenure = this.#open.get(lock.id)
    if (tenure) this.#open.set(lock.id, { ...tenure, renewals: tenure.renewals + 1 })
  }

  /** Null when nobody was known to hold it. */
  end(id: string, end: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    const tenure = this.#open.get(id)
    if (!tenure) return null
    this.#open.delete(id)
    const ended = { ...tenure, until: Math.max(at, tenure.from), end }
    this.add(ended)
    return ended
  }

  /** One that was kept as held, and is now known to have ended. */
  forget(id: string): void {
    this.#open.delete(id)
  }

  /** One that was kept: still held as far as is known, or ended. */
  add(tenure: StoreTenure): void {
    if (tenure.until === null) {
      this.#open.set(tenure.id, tenure)
      return
    }
    this.#ended.push(tenure)
    // Many at a time: taking the first of an array away moves all the others.
    if (this.#ended.length > MOST_ENDED + AT_A_TIME) this.#drop(this.#ended.splice(0, AT_A_TIME))
  }

  #drop(lot: readonly StoreTenure[]): void {
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

  *within(from: number, to: number, id?: string): Iterable<StoreTenure> {
    for (const tenure of this.#ended)
      if ((id === undefined || tenure.id === id) && tenure.from <= to && (tenure.until ?? to) >= from)
        yield tenure
    const open = id === undefined ? this.#open.values() : [this.#open.get(id)]
    for (const tenure of open) if (tenure && tenure.from <= to) yield tenure
  }

  *ended(from: number, to: number): Iterable<StoreTenure & { readonly until: number }> {
    for (const tenure of this.#ended)
      if (tenure.until !== null && tenure.until > from && tenure.until <= to)
        yield { ...tenure, until: tenure.until }
  }

  /** Of those that ended in a window, the one that had been held longest. */
  longest(from: number, to: number): StoreTenure | null {
    const gone = this.#long.filter(({ until }) => until !== null && until > from && until <= to)
    return longestOf([...gone, ...this.ended(from, to)])
  }
}

function longestOf(tenures: readonly StoreTenure[]): StoreTenure | null {
  let longest: StoreTenure | null = null
  let ms = -1
  for (const tenure of tenures) {
    const own = lengthOf(tenure) ?? -1
    if (own <= ms) continue
    longest = tenure
    ms = own
  }
  return longest
}

/** Null when its beginning or its end was not seen. */
export function lengthOf(tenure: StoreTenure): number | null {
  if (tenure.until === null || tenure.end === 'unseen' || tenure.begin === 'before') return null
  return tenure.until - tenure.from
}
