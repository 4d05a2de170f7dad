import { heldSinceOf, isPlausibleBeginning } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { LockTenure } from '../../../../shared/stats.ts'
import { holderGroup, namedHolder } from './named-holder.ts'

/** A tenure of a known store. */
export type StoreTenure = Omit<LockTenure, 'storeId'>

/** Ended tenures of one store; older ones are evicted in batches. */
const MOST_ENDED = 20_000
const BATCH = 1000
/** Batches whose longest tenure is remembered. */
const MOST_LONG = 200

type Beginning = {
  readonly offsetMs: number
  /** Nothing was missed since the reading before. */
  readonly seen: boolean
  /** Another holder was seen until here, whatever the record says. */
  readonly notBefore: number
}

/** The tenures of one store: open ones, and ended ones for as long as they are kept. */
export class TenureBook {
  readonly #open = new Map<string, StoreTenure>()
  readonly #ended: StoreTenure[] = []
  /** Longest tenure of each evicted batch. */
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

  /** Ended tenures until here were evicted; zero if none was. */
  get droppedUntil(): number {
    return this.#droppedUntil
  }

  /** At most how many tenures that reach beyond this time were evicted. */
  droppedSince(time: number): number {
    return this.#droppedUntil >= time ? this.#dropped : 0
  }

  /** `at` is by this machine's clock; the lock's times are by the store's. */
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

  /** Null if no tenure was open. */
  end(id: string, end: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    const tenure = this.#open.get(id)
    if (!tenure) return null
    this.#open.delete(id)
    const ended = { ...tenure, until: Math.max(at, tenure.from), end }
    this.add(ended)
    return ended
  }

  /** Forgets an open tenure, because an earlier process is now known to have seen its end. */
  forget(id: string): void {
    this.#open.delete(id)
  }

  /** Adds an open or an ended tenure. */
  add(tenure: StoreTenure): void {
    if (tenure.until === null) {
      this.#open.set(tenure.id, tenure)
      return
    }
    this.#ended.push(tenure)
    // In batches, because removing the first element of an array moves all the others.
    if (this.#ended.length > MOST_ENDED + BATCH) this.#drop(this.#ended.splice(0, BATCH))
  }

  #drop(batch: readonly StoreTenure[]): void {
    this.#dropped += batch.length
    for (const { until } of batch) this.#droppedUntil = Math.max(this.#droppedUntil, until ?? 0)
    const longest = longestOf(batch)
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

  /** The longest tenure that ended in a window. */
  longest(from: number, to: number): StoreTenure | null {
    const gone = this.#long.filter(({ until }) => until !== null && until > from && until <= to)
    return longestOf([...gone, ...this.ended(from, to)])
  }
}

function longestOf(tenures: readonly StoreTenure[]): StoreTenure | null {
  const lengths = tenures.map(tenure => lengthOf(tenure) ?? -1)
  const at = lengths.indexOf(lengths.reduce((most, ms) => Math.max(most, ms), 0))
  return tenures[at] ?? null
}

/** Null if its beginning or its end was not seen. */
export function lengthOf(tenure: StoreTenure): number | null {
  if (tenure.until === null || tenure.end === 'unseen' || tenure.begin === 'before') return null
  return tenure.until - tenure.from
}
