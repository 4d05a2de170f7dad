import type { z } from 'zod'
import { heldSinceOf, isPlausibleBeginning } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { type LockTenure, lockTenureSchema } from '../../../../shared/stats.ts'
import { holderGroup, namedHolder } from './named-holder.ts'

export const tenureSchema = lockTenureSchema.omit({ storeId: true })
export type StoreTenure = Readonly<z.infer<typeof tenureSchema>>
export type EndedTenure = StoreTenure & { readonly until: number }

/** Ended tenures of one store; older ones are evicted in batches. */
const MOST_ENDED = 20_000
const BATCH = 1000
/** Batches whose longest tenure is remembered. */
const MOST_LONG = 200

type Beginning = {
  readonly offsetMs: number
  /** Nothing was missed since the previous reading. */
  readonly seen: boolean
  /** Another holder was seen until this time, whatever the record says. */
  readonly notBefore: number
}

/** The tenures of one store: open ones, and ended ones for as long as they are kept. */
export class TenureBook {
  /** By lock. */
  readonly open = new Map<string, StoreTenure>()
  readonly #ended: StoreTenure[] = []
  /** Longest tenure of each evicted batch. */
  readonly #long: StoreTenure[] = []
  #dropped = 0
  /** Tenures that ended before this were evicted; zero if none was. */
  droppedUntil = 0

  constructor(readonly keepMs: number) {}

  /** The most tenures reaching beyond this time that may have been evicted. */
  droppedSince(time: number): number {
    return this.droppedUntil >= time ? this.#dropped : 0
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
    this.open.set(lock.id, tenure)
    return tenure
  }

  renewed(lock: WatchedLock): void {
    const tenure = this.open.get(lock.id)
    if (tenure) this.open.set(lock.id, { ...tenure, renewals: tenure.renewals + 1 })
  }

  /** Null if no tenure was open. */
  end(id: string, end: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    const tenure = this.open.get(id)
    if (!tenure) return null
    this.open.delete(id)
    const ended = { ...tenure, until: Math.max(at, tenure.from), end }
    this.add(ended)
    return ended
  }

  /** Adds an open or an ended tenure. */
  add(tenure: StoreTenure): void {
    if (tenure.until === null) {
      this.open.set(tenure.id, tenure)
      return
    }
    this.#ended.push(tenure)
    // In batches, because removing the first element of an array moves all the others.
    if (this.#ended.length > MOST_ENDED + BATCH) this.#drop(this.#ended.splice(0, BATCH))
  }

  #drop(batch: readonly StoreTenure[]): void {
    this.#dropped += batch.length
    this.droppedUntil = Math.max(this.droppedUntil, ...batch.map(({ until }) => until ?? 0))
    const longest = longestOf(batch)
    if (longest) this.#long.push(longest)
    if (this.#long.length > MOST_LONG) this.#long.shift()
  }

  prune(now: number): void {
    const oldest = now - this.keepMs
    const keep = this.#ended.findIndex(({ until }) => (until ?? now) >= oldest)
    if (keep !== 0) this.#ended.splice(0, keep < 0 ? this.#ended.length : keep)
    if ((this.#long[0]?.until ?? now) < oldest) this.#long.shift()
    if (this.droppedUntil > 0 && this.droppedUntil < oldest) {
      this.#dropped = 0
      this.droppedUntil = 0
    }
  }

  *within(from: number, to: number, id?: string): Iterable<StoreTenure> {
    for (const tenures of [this.#ended, this.open.values()])
      for (const tenure of tenures)
        if ((id === undefined || tenure.id === id) && tenure.from <= to && (tenure.until ?? to) >= from)
          yield tenure
  }

  ended(from: number, to: number): EndedTenure[] {
    return endedWithin(this.#ended, from, to)
  }

  /** The longest tenure that ended in a window. */
  longest(from: number, to: number): EndedTenure | null {
    return longestOf(endedWithin([...this.#long, ...this.#ended], from, to))
  }
}

function endedWithin(tenures: readonly StoreTenure[], from: number, to: number): EndedTenure[] {
  const isWithin = (tenure: StoreTenure): tenure is EndedTenure =>
    tenure.until !== null && tenure.until > from && tenure.until <= to
  return tenures.filter(isWithin)
}

/** The first of the longest. A tenure of unknown length is not compared. */
function longestOf<T extends StoreTenure>(tenures: readonly T[]): T | null {
  const most = Math.max(...tenures.map(tenure => lengthOf(tenure) ?? -1))
  return tenures.find(tenure => lengthOf(tenure) === most) ?? null
}

/** Null if its beginning or its end was not seen. */
export function lengthOf(tenure: StoreTenure): number | null {
  if (tenure.until === null || tenure.end === 'unseen' || tenure.begin === 'before') return null
  return tenure.until - tenure.from
}
