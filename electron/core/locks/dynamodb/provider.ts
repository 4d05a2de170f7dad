import { badInput } from '../../lib/errors.ts'
import type { DynamoAddress } from '../../stores/dynamodb/address.ts'
import { DynamoConnection } from '../../stores/dynamodb/connect.ts'
import { conditionalPut, FENCING_PREFIX } from '../../stores/dynamodb/formats/conditional-put.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { checkName, checkUnicode } from '../input.ts'
import type { Provider, ProviderOptions } from '../provider.ts'
import { withReadableAnswers } from '../readable.ts'
import { LeaseClock, LOCAL_CLOCK_ERROR_MS, type StoreTime } from './lease-clock.ts'
import { endAfter, holderOf, isFree, isLive, liveFrom, lostTo } from './lock-item.ts'
import { setUpTable } from './lock-table.ts'
import { LockItems } from './requests.ts'
import { take } from './take.ts'

const MAX_KEY_BYTES = 2048

/** Locks as items of a DynamoDB table. Times are the store's, from its Date headers, with the error on the safe side. */
export function createDynamoProvider(address: DynamoAddress, options: ProviderOptions): Provider {
  chooseFormats([conditionalPut], options.format ?? address.format)
  const clock = new LeaseClock(() =>
    options.warn?.(
      `${connection.server} sends no Date header: locks end by the clock of this machine, with a margin of ` +
        `${LOCAL_CLOCK_ERROR_MS / 1000} s, and the clocks of all programs that share the table must agree`,
    ),
  )
  const connection = new DynamoConnection(address, clock)
  const items = new LockItems(connection)
  // A number costs one more read and write.
  const fencing = options.fencing === true

  const keyOf = (name: string): string => {
    checkName(name)
    if (name.startsWith(FENCING_PREFIX))
      throw badInput(`Names that begin with ${FENCING_PREFIX} are kept for fencing numbers`)
    const maxBytes = fencing ? MAX_KEY_BYTES - FENCING_PREFIX.length : MAX_KEY_BYTES
    if (Buffer.byteLength(name) > maxBytes)
      throw badInput(`The name of the lock is longer than the ${maxBytes} bytes that DynamoDB has for it`)
    return name
  }
  const checked = (name: string, owner: string): string => {
    checkUnicode('owner', owner)
    return keyOf(name)
  }
  /** Every answer carries the time; this request is cheap and needs no further permission. */
  const timeNow = async (key: string, signal: AbortSignal): Promise<StoreTime> => {
    clock.noticeJump()
    if (!clock.isFresh) await items.get(key, signal)
    return clock.time()
  }

  return withReadableAnswers<Provider>(connection.server, {
    kind: 'dynamodb',
    format: conditionalPut.info.id,
    defaultTtlMs: conditionalPut.take.leaseMs,
    pollMs: conditionalPut.take.pollMs,
    listen: null,
    keyOf,
    nameOf: key => (key === '' || key.startsWith(FENCING_PREFIX) ? null : key),
    setup: signal => setUpTable(connection, signal),
    async take(name, request, signal) {
      const key = checked(name, request.owner)
      return take(items, () => timeNow(key, signal), key, request, fencing, signal)
    },
    async extend(name, proof, ttlMs, signal) {
      const key = checked(name, proof.owner)
      const time = await timeNow(key, signal)
      const end = endAfter(time, ttlMs)
      const answer = await items.extend(key, proof, liveFrom(time), end, signal)
      if (answer.done) return { is: 'extended', expiresAt: end * 1000 }
      return lostTo(answer.item ?? (await items.get(key, signal)), proof, time)
    },
    /** An expired lock of ours is `lost`, because any program could have acquired it. Its item is removed all the same. */
    async release(name, proof, signal) {
      const key = checked(name, proof.owner)
      const time = await timeNow(key, signal)
      const answer = await items.remove(key, proof, signal)
      if (!answer.done) return lostTo(answer.item ?? (await items.get(key, signal)), proof, time)
      const wasLive = answer.before !== null && isLive(answer.before, time)
      return wasLive ? { is: 'released' } : { is: 'lost', holder: null }
    },
    async read(name, signal) {
      clock.noticeJump()
      const item = await items.get(keyOf(name), signal)
      return item === null || isFree(item, clock.time()) ? null : holderOf(item)
    },
    close: async () => connection.close(),
  })
}
