import { HOUR_MS } from '../../../../shared/duration.ts'
import { StoreError } from '../../lib/errors.ts'
import type { DynamoAddress } from '../../stores/dynamodb/address.ts'
import { DynamoConnection } from '../../stores/dynamodb/connect.ts'
import { conditionalPut, FENCING_PREFIX } from '../../stores/dynamodb/formats/conditional-put.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { isText } from '../input.ts'
import type {
  AcquireRequest,
  Extension,
  Grant,
  Loss,
  OwnerProof,
  Provider,
  ProviderOptions,
  Refusal,
  Release,
} from '../provider.ts'
import type { CurrentHolder } from '../types.ts'
import { LeaseClock, LOCAL_CLOCK_ERROR_MS, type StoreTime } from './lease-clock.ts'
import { endAfter, holderOf, isFree, isLive, liveFrom, lostTo } from './lock-item.ts'
import { setUpTable } from './lock-table.ts'
import { LockItems } from './requests.ts'
import { take } from './take.ts'

const MAX_KEY_BYTES = 2048

/**
 * Locks in a table of DynamoDB, one item each, shared with the programs that take them by conditional writes. Times are the
 * store's, from the Date header of its answers, with the error on the safe side.
 */
export class DynamoProvider implements Provider {
  readonly kind = 'dynamodb'
  readonly format = conditionalPut.info.id
  readonly defaultTtlMs = HOUR_MS
  readonly pollMs = 2000
  readonly listen = null
  readonly #clock: LeaseClock
  readonly #connection: DynamoConnection
  readonly #items: LockItems
  readonly #fencing: boolean

  constructor(address: DynamoAddress, options: ProviderOptions) {
    chooseFormats([conditionalPut], options.format ?? address.format)
    this.#clock = new LeaseClock(() =>
      options.warn?.(
        `${this.#connection.server} sends no Date header: locks end by the clock of this machine, with a margin of ` +
          `${LOCAL_CLOCK_ERROR_MS / 1000} s, and the clocks of all programs that share the table must agree`,
      ),
    )
    this.#connection = new DynamoConnection(address, this.#clock)
    this.#items = new LockItems(this.#connection)
    // A number costs one more read and write.
    this.#fencing = options.fencing === true
  }

  keyOf(name: string): string {
    const bad = (what: string) => new StoreError('BAD_INPUT', what)
    if (name === '') throw bad('A lock needs a name')
    if (!isText(name)) throw bad('The name of the lock is no valid Unicode text')
    if (name.startsWith(FENCING_PREFIX))
      throw bad(`Names that begin with ${FENCING_PREFIX} are kept for fencing numbers`)
    const maxBytes = this.#fencing ? MAX_KEY_BYTES - FENCING_PREFIX.length : MAX_KEY_BYTES
    if (Buffer.byteLength(name) > maxBytes)
      throw bad(`The name of the lock is longer than the ${maxBytes} bytes that DynamoDB has for it`)
    return name
  }

  nameOf(key: string): string | null {
    return key === '' || key.startsWith(FENCING_PREFIX) ? null : key
  }

  setup(signal: AbortSignal): Promise<void> {
    return setUpTable(this.#connection, signal)
  }

  take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<Grant | Refusal> {
    return this.#use(name, request.owner, key =>
      take(this.#items, stop => this.#time(key, stop), key, request, this.#fencing, signal),
    )
  }

  extend(name: string, proof: OwnerProof, ttlMs: number, signal: AbortSignal): Promise<Extension | Loss> {
    return this.#use(name, proof.owner, async key => {
      const time = await this.#time(key, signal)
      const end = endAfter(time, ttlMs)
      const answer = await this.#items.extend(key, proof, liveFrom(time), end, signal)
      if (answer.done) return { is: 'extended', expiresAt: end * 1000 }
      return lostTo(answer.item ?? (await this.#items.get(key, signal)), proof, time)
    })
  }

  /**
   * Our own expired lock is `lost` even if it is still free: any program could have acquired it. Its item is removed all the same.
   */
  release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<Release | Loss> {
    return this.#use(name, proof.owner, async key => {
      const time = await this.#time(key, signal)
      const answer = await this.#items.remove(key, proof, signal)
      if (!answer.done) return lostTo(answer.item ?? (await this.#items.get(key, signal)), proof, time)
      const wasLive = answer.before !== null && isLive(answer.before, time)
      return wasLive ? { is: 'released' } : { is: 'lost', holder: null }
    })
  }

  read(name: string, signal: AbortSignal): Promise<CurrentHolder | null> {
    return this.#use(name, '', async key => {
      this.#clock.noticeJump()
      const item = await this.#items.get(key, signal)
      return item === null || isFree(item, this.#clock.time()) ? null : holderOf(item)
    })
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  /** Every answer carries the time; this request is cheap and needs no further permission. */
  async #time(key: string, signal: AbortSignal): Promise<StoreTime> {
    this.#clock.noticeJump()
    if (!this.#clock.isFresh) await this.#items.get(key, signal)
    return this.#clock.time()
  }

  async #use<T>(name: string, owner: string, work: (key: string) => Promise<T>): Promise<T> {
    if (!isText(owner)) throw new StoreError('BAD_INPUT', 'The owner is no valid Unicode text')
    return work(this.keyOf(name))
  }
}

export function createDynamoProvider(address: DynamoAddress, options: ProviderOptions): DynamoProvider {
  return new DynamoProvider(address, options)
}
