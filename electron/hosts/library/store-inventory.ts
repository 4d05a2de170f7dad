import { type StoreAddress, showAddress } from '../../../shared/address.ts'
import { expiresAtOf, refusedUntil } from '../../../shared/lease.ts'
import type { Lock } from '../../../shared/locks.ts'
import { StoreError } from '../../core/lib/errors.ts'
import { LOCAL_CLOCK_ERROR_MS } from '../../core/locks/dynamodb/lease-clock.ts'
import type { Inventory, Provider } from '../../core/locks/provider.ts'
import type { ActiveLock, ReleaseAllOptions, ReleasedAll } from '../../core/locks/types.ts'
import { LockLimit, tooManyLocks } from '../../core/stores/lock-limit.ts'
import type { LockStore } from '../../core/stores/types.ts'

const AT_ONCE = 200

/** Reads a store like the console does, over a connection of its own. */
export class StoreInventory implements Inventory {
  readonly #addresses: readonly StoreAddress[]

  /** Several addresses are masters that vote. */
  constructor(
    addresses: readonly StoreAddress[],
    readonly provider: Provider,
  ) {
    this.#addresses = addresses.map(address => narrowed(address, provider))
  }

  async activeLocks(signal: AbortSignal): Promise<ActiveLock[]> {
    const read = await this.#readEach(signal)
    const answered = read.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const failed = read.filter(each => each.status === 'rejected')
    const majority = Math.floor(this.#addresses.length / 2) + 1
    const votes = new Map<string, { readonly lock: Lock; count: number }>()
    for (const lock of answered.flatMap(({ locks, isOver }) => locks.filter(each => !isOver(each)))) {
      const id = JSON.stringify([lock.key, lock.owner])
      const vote = votes.get(id) ?? { lock, count: 0 }
      vote.count++
      votes.set(id, vote)
    }
    // Without a majority of answers the locks are unknown, and a failed server could complete a majority for one of them.
    const isOpen = [...votes.values()].some(
      ({ count }) => count < majority && count + failed.length >= majority,
    )
    if (failed[0] && (isOpen || answered.length < majority)) throw failed[0].reason
    return [...votes.values()]
      .filter(({ count }) => count >= majority)
      .flatMap(({ lock }) => {
        const key = this.provider.nameOf(lock.key)
        return key === null ? [] : [activeLock(key, lock)]
      })
  }

  async cleanupExpired(signal: AbortSignal): Promise<number> {
    let count = 0
    for (const address of this.#addresses)
      count += await inStore(address, async store => {
        const isOver = await overBy(store, signal)
        const expired = (await listAll(store, signal)).filter(isOver)
        let released = 0
        for (let start = 0; start < expired.length; start += AT_ONCE) {
          // With their fences: a lock that changed since is not touched.
          const answers = await store.releaseMany(
            expired.slice(start, start + AT_ONCE).map(({ id, fence }) => ({ id, fence })),
            async () => {},
            signal,
          )
          for (const answer of answers) {
            if (!answer.ok) throw answer.error
            if (answer.value.outcome === 'released') released++
          }
        }
        return released
      })
    return count
  }

  async releaseAll(options: ReleaseAllOptions): Promise<ReleasedAll> {
    const read = await this.#readEach(new AbortController().signal)
    // An empty plan would be refused.
    if (read.every(each => each.status === 'fulfilled' && each.value.locks.length === 0))
      return { released: 0, planId: null, unread: [], results: [] }
    const { releaseEverything } = await import('./release-all.ts')
    return releaseEverything(this.#addresses, key => this.provider.nameOf(key) ?? key, options)
  }

  /** The locks of each store and which of them have ended, or why the store cannot be read. */
  #readEach(signal: AbortSignal) {
    return Promise.allSettled(
      this.#addresses.map(address =>
        inStore(address, async store => {
          const isOver = await overBy(store, signal)
          const locks = (await listAll(store, signal)).filter(({ state }) => state !== 'released')
          return { locks, isOver }
        }),
      ),
    )
  }
}

/** The address narrowed to what this manager writes. */
function narrowed(address: StoreAddress, { format, selection }: Provider): StoreAddress {
  if (!selection) return { ...address, format }
  const { option, value } = selection
  return { ...address, format, [option]: address[option] ?? value() }
}

async function inStore<T>(address: StoreAddress, work: (store: LockStore) => Promise<T>): Promise<T> {
  const { openStore } = await import('../../core/stores/kinds/kinds.ts')
  const store = await openStore(showAddress(address), address.password ?? undefined)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** DynamoDB clients respect a lock throughout the second in which it ends. */
const LAST_SECOND_MS = 1000

/**
 * Whether a lock has certainly ended, by the rules of the programs that take locks: a key with a TTL is held until Redis removes
 * it, an implausible expiry does not count, and the error of the clock is in the holder's favour.
 */
async function overBy(store: LockStore, signal: AbortSignal): Promise<(lock: Lock) => boolean> {
  const { offsetMs, errorMs } = await store.clock(signal)
  const graceMs =
    (offsetMs === null ? LOCAL_CLOCK_ERROR_MS : errorMs) + (store.kind === 'dynamodb' ? LAST_SECOND_MS : 0)
  return ({ state, deadlines, notes, lease, observedAt }) =>
    state === 'expired' &&
    !deadlines.some(({ source }) => source === 'ttl') &&
    !notes.some(({ code }) => code === 'implausible-expiry') &&
    (expiresAtOf(lease) ?? observedAt) + graceMs <= observedAt
}

async function listAll(store: LockStore, signal: AbortSignal): Promise<Lock[]> {
  const locks: Lock[] = []
  const limit = new LockLimit()
  for await (const page of store.list({}, signal)) {
    const [problem] = page.problems
    // An unread part may be full of locks.
    if (problem) throw new StoreError(problem.code, `${problem.where}: ${problem.message}`)
    for (const lock of page.locks) {
      limit.add(lock)
      locks.push(lock)
    }
    if (limit.isPassed) throw tooManyLocks('this program can keep')
  }
  return locks
}

function activeLock(key: string, lock: Lock): ActiveLock {
  return {
    key,
    owner: lock.owner,
    label: lock.holder?.label ?? null,
    acquiredAt: lock.acquiredAt,
    expiresAt: refusedUntil(lock, lock.observedAt) ?? expiresAtOf(lock.lease),
    fields: lock.fields,
  }
}
