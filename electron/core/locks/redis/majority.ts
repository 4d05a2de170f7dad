import { badInput, StoreError } from '../../lib/errors.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import type { CurrentHolder } from '../types.ts'
import { type Votes, valuesOf } from './votes.ts'

/** Expiries that are closer belong to one acquisition or renewal. */
const SAME_END_MS = 1000

/** Fewer than three cannot lose one and still have a majority. */
const FEWEST = 3

/** More than half of the servers. */
export class Majority {
  readonly needed: number

  constructor(readonly all: number) {
    this.needed = Math.floor(all / 2) + 1
  }

  /** Whether a majority gave this answer. */
  is<T extends { readonly is: string }>(votes: Votes<T>, outcome: T['is']): boolean {
    return count(votes, outcome) >= this.needed
  }

  /** Whether enough servers gave this answer to leave no majority for any other. */
  isPrevented<T extends { readonly is: string }>(votes: Votes<T>, outcome: T['is']): boolean {
    return count(votes, outcome) > this.all - this.needed
  }

  /** The holder named by a majority, with the expiry at which that majority ends; null if there is none. */
  holder(found: readonly (CurrentHolder | null)[]): CurrentHolder | null {
    const byEnd = this.#naming(found).sort((a, b) => endOf(b) - endOf(a) || 0)
    return byEnd[this.needed - 1] ?? null
  }

  /** Whether a majority names one holder with one expiry. Otherwise a renewal may be in flight, and the missing answers matter. */
  isAgreed(found: readonly (CurrentHolder | null)[]): boolean {
    const [first, ...others] = this.#naming(found).map(endOf)
    return first !== undefined && others.every(end => end === first || Math.abs(end - first) <= SAME_END_MS)
  }

  /** Whether the silent servers could complete a majority for a holder that some have named. */
  isOpen(found: readonly (CurrentHolder | null)[]): boolean {
    const silent = this.all - found.length
    const known = found.filter(each => each !== null)
    return known.some(one => {
      const agreed = known.filter(each => each.owner === one.owner).length
      return agreed < this.needed && agreed + silent >= this.needed
    })
  }

  #naming(found: readonly (CurrentHolder | null)[]): CurrentHolder[] {
    const known = found.filter(each => each !== null)
    const named = known.map(one => known.filter(each => each.owner === one.owner))
    return named.find(each => each.length >= this.needed) ?? []
  }

  /** Fails closed: without a majority of answers the holder is unknown. */
  check(votes: Votes<unknown>, uncertain: boolean): void {
    const errors = errorsOf(votes)
    // Bad input and an abort are not votes: they are the same on every server.
    const refused = errors.find(({ code }) => code === 'BAD_INPUT' || code === 'ABORTED')
    // The aborted request may have left a lock behind.
    if (refused && uncertain && errors.some(each => each.uncertain))
      throw new StoreError(refused.code, refused.message, { cause: refused, uncertain })
    if (refused) throw refused
    const [first] = errors
    if (!first || errors.length <= this.all - this.needed) return
    const answered = valuesOf(votes).length
    throw new StoreError(
      first.code === 'STORE_DENIED' ? 'STORE_DENIED' : 'STORE_UNREACHABLE',
      `${answered === 0 ? 'None' : `Only ${answered}`} of ${this.all} Redis servers answered, and a lock needs ${this.needed}: ${first.message}`,
      { cause: first, uncertain },
    )
  }
}

function count<T extends { readonly is: string }>(votes: Votes<T>, outcome: T['is']): number {
  return valuesOf(votes).filter(each => each.is === outcome).length
}

function errorsOf(votes: Votes<unknown>): StoreError[] {
  return votes.flatMap(each => (each?.ok === false ? [each.error] : []))
}

function endOf({ expiresAt }: CurrentHolder): number {
  return expiresAt ?? Number.POSITIVE_INFINITY
}

/** Throws unless these servers can vote. */
export function checkServers(addresses: readonly RedisAddress[]): void {
  if (addresses.length < FEWEST)
    throw badInput('A lock over several Redis servers needs at least three of them')
  // A server named twice would have two votes.
  const places = addresses.map(({ hosts, group }) => JSON.stringify([hosts, group]))
  if (new Set(places).size < places.length)
    throw badInput('The same Redis server is named twice; each has one vote')
  if (new Set(addresses.map(each => each.format)).size > 1)
    throw badInput('The Redis servers of one lock must have the same format')
}
