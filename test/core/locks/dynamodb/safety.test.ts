import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { LeaseClock } from '../../../../electron/core/locks/dynamodb/lease-clock.ts'
import { isFree, isLive } from '../../../../electron/core/locks/dynamodb/lock-item.ts'
import {
  createDynamoProvider,
  type DynamoProvider,
} from '../../../../electron/core/locks/dynamodb/provider.ts'
import type { Taken } from '../../../../electron/core/locks/provider.ts'
import type { DynamoAddress } from '../../../../shared/address.ts'
import {
  denyWrites,
  errorAnswer,
  type Fate,
  startDynamoProxy,
  throttled,
} from '../../../servers/dynamodb-proxy.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal
const MINUTE = 60_000
const HOUR = 3_600_000

let table: TestTable
const closing: (() => Promise<void>)[] = []

beforeEach(async () => {
  table = await TestTable.create(inject('dynamodbEndpoint'))
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closing.splice(0).reverse()) await close()
  await table.drop()
})

function open(address: Partial<DynamoAddress> = {}, fencing?: boolean): DynamoProvider {
  const provider = createDynamoProvider(table.address(address), { format: null, fencing })
  closing.push(() => provider.close())
  return provider
}
/** Through a proxy that decides what becomes of each operation. */
async function through(decide: (operation: string) => Fate, fencing?: boolean): Promise<DynamoProvider> {
  const proxy = await startDynamoProxy(table.endpoint, decide)
  closing.push(() => proxy.close())
  return open({ endpoint: proxy.endpoint }, fencing)
}
/** Once, the next time that this is asked for; everything else passes. */
function next(operation: string, fate: Fate): (asked: string) => Fate {
  let left = 1
  return asked => (asked === operation && left-- > 0 ? fate : 'pass')
}
const wish = (owner: string, ttlMs = MINUTE) => ({ owner, ttlMs, metadata: null })
async function taken(provider: DynamoProvider, name: string, owner = 'ours'): Promise<Taken> {
  const answer = await provider.take(name, wish(owner), never)
  if (answer.is !== 'taken') throw new Error(`${name} was not free`)
  return answer
}
const now = () => Math.floor(Date.now() / 1000)
const put = (name: string, end: number) =>
  table.put({
    lock_key: { S: name },
    owner_id: { S: 'theirs' },
    expires_at: { N: String(end) },
    acquired_at: { N: '1' },
  })

describe('setup', () => {
  const notThere = errorAnswer('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'No such table')
  const inUse = errorAnswer('com.amazonaws.dynamodb.v20120810#ResourceInUseException', 'Being deleted')

  it('makes the table after all when the one that was in the way is gone', async () => {
    const fresh = new TestTable(table.endpoint)
    closing.push(() => fresh.drop())
    let created = 0
    const proxy = await startDynamoProxy(table.endpoint, operation =>
      operation === 'CreateTable' && ++created === 1 ? inUse : 'pass',
    )
    closing.push(() => proxy.close())
    const provider = open({ endpoint: proxy.endpoint, table: fresh.name })
    await provider.setup(never)
    await taken(provider, 'A')
  })

  it('looks now and then, and not as often as it can, whether somebody else has made the table', async () => {
    const asked: string[] = []
    const provider = await through(operation => {
      asked.push(operation)
      return operation === 'CreateTable' ? inUse : notThere
    })
    const enough = AbortSignal.timeout(1000)
    await expect(provider.setup(enough)).rejects.toMatchObject({ code: 'ABORTED' })
    expect(asked).toContain('CreateTable')
    // Two every 250 ms, and one to begin with; a slow machine asks less often.
    expect(asked.length).toBeLessThanOrEqual(11)
  })

  it('makes the table once, whoever asks at the same time', async () => {
    const fresh = new TestTable(table.endpoint)
    closing.push(() => fresh.drop())
    const providers = Array.from({ length: 6 }, () => open({ table: fresh.name }))
    await Promise.all(providers.map(provider => provider.setup(never)))
    await taken(providers[0] as DynamoProvider, 'A')
    expect(await fresh.all()).toHaveLength(1)
  })

  it('lets expired items be removed by the store, and does without where that is refused', async () => {
    const fresh = new TestTable(table.endpoint)
    closing.push(() => fresh.drop())
    const asked: string[] = []
    const proxy = await startDynamoProxy(table.endpoint, operation => {
      asked.push(operation)
      if (operation !== 'UpdateTimeToLive') return 'pass'
      return errorAnswer('com.amazon.coral.service#AccessDeniedException', 'not authorized')
    })
    closing.push(() => proxy.close())
    await open({ endpoint: proxy.endpoint, table: fresh.name }).setup(never)
    expect(asked.filter(each => each === 'UpdateTimeToLive')).toHaveLength(1)
    asked.length = 0
    // A table that is there is left as it is.
    await open({ endpoint: proxy.endpoint, table: fresh.name }).setup(never)
    expect(asked).toEqual(['DescribeTable'])
  })

  it.each([
    [[['LockID', 'S']]],
    [[['lock_key', 'N']]],
    [
      [
        ['lock_key', 'S'],
        ['region', 'S'],
      ],
    ],
  ])('refuses a table with the key %j', async keys => {
    const foreign = await TestTable.create(table.endpoint, keys as [string, 'S' | 'N'][])
    closing.push(() => foreign.drop())
    await expect(open({ table: foreign.name }).setup(never)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
    await expect(open({ table: foreign.name }).take('A', wish('ours'), never)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      uncertain: false,
    })
  })

  it('is missed where there is no table', async () => {
    await expect(open({ table: 'no-such-table' }).take('A', wish('ours'), never)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('a lock in DynamoDB', () => {
  it.each(['', 'x'.repeat(2049), '\ud800', 'lockkeeper:fencing:A'])('cannot be called %j', async name => {
    const provider = open()
    expect(() => provider.keyOf(name)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    await expect(provider.take(name, wish('ours'), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })

  it('may have a name of all the bytes that there are', async () => {
    await taken(open(), 'x'.repeat(2048))
    const fenced = open({}, true)
    expect(() => fenced.keyOf('x'.repeat(2048))).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    await taken(fenced, 'y'.repeat(2048 - 'lockkeeper:fencing:'.length))
    expect(fenced.nameOf('lockkeeper:fencing:y')).toBeNull()
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e126])('has no metadata that is %d', async value => {
    const asked = { owner: 'ours', ttlMs: MINUTE, metadata: { value } }
    await expect(open().take('A', asked, never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })

  it('has metadata apart from its own attributes, whatever they are called', async () => {
    const metadata = { owner_id: 'x', expires_at: 1, lock_key: 'y', lockkeeper_mark: 'z', __proto__x: 'p' }
    await open().take('A', { owner: 'ours', ttlMs: MINUTE, metadata }, never)
    expect(await table.get({ lock_key: { S: 'A' } })).toMatchObject({
      lock_key: { S: 'A' },
      owner_id: { S: 'ours' },
      metadata_owner_id: { S: 'x' },
      metadata_expires_at: { N: '1' },
    })
  })

  it('is not taken for a time that has no end', async () => {
    for (const ttlMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e17])
      await expect(open().take('A', wish('ours', ttlMs), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
    expect(await table.all()).toEqual([])
  })

  it('is of this format or of none', () => {
    const make = () => createDynamoProvider(table.address(), { format: 'terraform', fencing: undefined })
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })

  it('has no fencing number unless one is asked for', async () => {
    expect((await taken(open(), 'A')).fencing).toBeNull()
    expect(await table.all()).toHaveLength(1)
  })

  it('that has run out is lost to its holder, and its item is removed', async () => {
    const provider = open()
    const { mark } = await taken(provider, 'A')
    const item = await table.get({ lock_key: { S: 'A' } })
    await table.put({ ...item, expires_at: { N: String(now() - 10) } })
    expect(await provider.letGo('A', { owner: 'ours', mark }, never)).toEqual({ is: 'lost', holder: null })
    expect(await table.all()).toEqual([])
  })

  it('is its holder’s until the second in which it ends is certainly over', () => {
    const item = { expires_at: { N: '1000' } }
    expect(isFree(item, { earliest: 1_000_999, latest: 1_002_000 })).toBe(false)
    expect(isFree(item, { earliest: 1_001_000, latest: 1_001_000 })).toBe(true)
    // And not to be relied upon once that second may have begun.
    expect(isLive(item, { earliest: 999_000, latest: 1_000_000 })).toBe(true)
    expect(isLive(item, { earliest: 999_000, latest: 1_000_001 })).toBe(false)
  })
})

describe('a clock that is wrong', () => {
  it.each([-HOUR, HOUR])('here by %i ms makes no difference', async wrongMs => {
    await put('held', now() + 600)
    await put('gone', now() - 600)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs })
    const provider = open()
    expect(await provider.take('held', wish('ours'), never)).toMatchObject({ is: 'held' })
    const lock = await taken(provider, 'gone')
    vi.useRealTimers()
    expect(Math.abs(lock.expiresAt - MINUTE - Date.now())).toBeLessThan(MINUTE)
  })

  it.each([-HOUR, HOUR])('is set by %i ms while a program runs, without a difference', async wrongMs => {
    const provider = open()
    const { mark } = await taken(provider, 'ours')
    await put('held', now() + 600)
    await put('gone', now() - 600)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs })
    expect(await provider.read('held', never)).not.toBeNull()
    expect(await provider.take('held', wish('ours'), never)).toMatchObject({ is: 'held' })
    expect(await provider.extend('ours', { owner: 'ours', mark }, MINUTE, never)).toMatchObject({
      is: 'extended',
    })
    const lock = await taken(provider, 'gone')
    vi.useRealTimers()
    expect(Math.abs(lock.expiresAt - MINUTE - Date.now())).toBeLessThan(MINUTE)
  })

  it('of the store is the one that counts', async () => {
    await put('A', now() + 600)
    const provider = await through(() => ({ shiftClockMs: HOUR }))
    expect(await provider.read('A', never)).toBeNull()
    const lock = await taken(provider, 'A')
    expect(lock.expiresAt).toBeGreaterThan(Date.now() + HOUR)
  })

  it('is read before the first lock is asked for, and then no more', async () => {
    const asked: string[] = []
    const provider = await through(operation => {
      asked.push(operation)
      return 'pass'
    })
    await taken(provider, 'A')
    await taken(provider, 'B')
    expect(asked).toEqual(['GetItem', 'PutItem', 'PutItem'])
  })

  it('is asked for again after ours was set, and when too much time has passed', () => {
    const clock = new LeaseClock()
    expect(clock.isFresh).toBe(false)
    expect(() => clock.time()).toThrow(expect.objectContaining({ code: 'STORE_ERROR' }))
    const here = clock.localNow()
    clock.observe(5_000_000, here, here, 1000)
    expect(clock.isFresh).toBe(true)
    const { earliest, latest } = clock.time()
    expect(earliest).toBeLessThanOrEqual(5_000_000 + clock.localNow() - here)
    expect(latest).toBeGreaterThanOrEqual(5_001_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    expect(clock.isFresh).toBe(false)
    vi.useRealTimers()
    // Two hours ago: two clocks may be seconds apart by now.
    const aged = new LeaseClock()
    aged.observe(5_000_000, here - 2 * HOUR, here - 2 * HOUR, 1000)
    expect(aged.isFresh).toBe(false)
  })

  it('is not mixed with what was known before a sleep that is shorter than a second', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const clock = new LeaseClock()
    const here = clock.localNow()
    // The store's second has just begun: its time is known to a tenth of one.
    clock.observe(5_000_000, here, here, 1000)
    clock.observe(5_000_000, here + 900, here + 900, 1000)
    vi.setSystemTime(Date.now() + 850)
    expect(clock.isFresh).toBe(false)
    clock.noticeJump()
    clock.observe(5_001_000, here + 900, here + 900, 1000)
    // Within this second, and not at the beginning of it, as it was before.
    const { earliest, latest } = clock.time()
    expect(latest - earliest).toBeGreaterThanOrEqual(1000)
    // What was asked before a jump and answered after it says nothing.
    vi.setSystemTime(Date.now() + 5000)
    clock.observe(5_002_000, here + 900, here + 900, 1000)
    expect(clock.known).toBe(false)
  })
})

describe('an emulator that sends no Date header, as DynamoDB Local', () => {
  const withoutDate = async (warn?: (message: string) => void) => {
    const proxy = await startDynamoProxy(table.endpoint, () => 'no-date')
    closing.push(() => proxy.close())
    const address = table.address({ endpoint: proxy.endpoint })
    const provider = createDynamoProvider(address, { format: null, fencing: undefined, warn })
    closing.push(() => provider.close())
    return provider
  }

  it('grants, renews and releases locks by the local clock', async () => {
    const provider = await withoutDate()
    const asked = Date.now()
    const { mark, expiresAt } = await taken(provider, 'A')
    expect(expiresAt).toBeGreaterThanOrEqual(asked + MINUTE)
    expect(await provider.take('A', wish('other'), never)).toMatchObject({ is: 'held' })
    expect(await provider.read('A', never)).toMatchObject({ owner: 'ours' })
    const claim = { owner: 'ours', mark }
    expect(await provider.extend('A', claim, MINUTE, never)).toMatchObject({ is: 'extended' })
    expect(await provider.letGo('A', claim, never)).toEqual({ is: 'released' })
    expect(await provider.read('A', never)).toBeNull()
  })

  it('warns once that locks end by the clocks of the programs', async () => {
    const warnings: string[] = []
    const provider = await withoutDate(message => warnings.push(message))
    await taken(provider, 'A')
    await taken(provider, 'B')
    expect(warnings).toEqual([expect.stringMatching(/sends no Date header.*clock of this machine/s)])
  })

  it('leaves a lock to a holder whose clock is some seconds behind', async () => {
    const provider = await withoutDate()
    await put('just over', now() - 1)
    await put('long over', now() - 600)
    expect(await provider.take('just over', wish('ours'), never)).toMatchObject({ is: 'held' })
    await taken(provider, 'long over')
  })

  it('asks for the time again as soon as there may be one', () => {
    const warn = vi.fn()
    const clock = new LeaseClock(warn)
    clock.observeNone()
    expect(clock.isFresh).toBe(true)
    expect(Math.abs(clock.time().latest - Date.now())).toBeLessThan(MINUTE)
    const here = clock.localNow()
    clock.observe(5_000_000, here, here, 1000)
    expect(clock.time().latest).toBeLessThan(6_000_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    expect(clock.noticeJump()).toBe(true)
    expect(clock.isFresh).toBe(false)
    clock.observeNone()
    expect(clock.isFresh).toBe(true)
    expect(warn).toHaveBeenCalledOnce()
  })
})

describe('an answer that is lost', () => {
  it('to an acquisition is made up for by a look: the lock is ours', async () => {
    const provider = await through(next('PutItem', 'lose-answer'))
    const { mark } = await taken(provider, 'A')
    expect(await provider.letGo('A', { owner: 'ours', mark }, never)).toEqual({ is: 'released' })
  })

  it('to an acquisition that was refused is made up for by a look: the lock is another’s', async () => {
    await put('A', now() + 600)
    const provider = await through(next('PutItem', 'lose-answer'))
    expect(await provider.take('A', wish('ours'), never)).toMatchObject({
      is: 'held',
      holder: { owner: 'theirs' },
    })
  })

  it('to an acquisition is uncertain where nothing is to be seen of it', async () => {
    const provider = await through(
      next('PutItem', errorAnswer('com.amazonaws.dynamodb.v20120810#InternalServerError', 'oops', 500)),
    )
    await expect(provider.take('A', wish('ours'), never)).rejects.toMatchObject({ uncertain: true })
  })

  it.each(['extend', 'letGo'] as const)('to %s is uncertain', async what => {
    const provider = await through(next(what === 'extend' ? 'UpdateItem' : 'DeleteItem', 'lose-answer'))
    const { mark } = await taken(provider, 'A')
    const claim = { owner: 'ours', mark }
    const done =
      what === 'extend' ? provider.extend('A', claim, MINUTE, never) : provider.letGo('A', claim, never)
    await expect(done).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: true })
  })

  it('is none where the store is throttled: the same is sent again', async () => {
    const provider = await through(next('PutItem', throttled))
    await taken(provider, 'A')
  })

  it('is none where the account may not write', async () => {
    const provider = await through(denyWrites)
    await expect(provider.take('A', wish('ours'), never)).rejects.toMatchObject({
      code: 'STORE_DENIED',
      uncertain: false,
    })
  })
})

describe('a fencing number', () => {
  it('that somebody else has drawn meanwhile is drawn again, with the lock taken anew', async () => {
    let draws = 0
    const provider = await through(operation => {
      if (operation !== 'UpdateItem' || draws++ > 0) return 'pass'
      return errorAnswer('com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', 'no')
    }, true)
    const lock = await taken(provider, 'A')
    expect(lock.fencing).toBe(1)
    expect(draws).toBe(2)
    expect(await provider.letGo('A', { owner: 'ours', mark: lock.mark }, never)).toEqual({ is: 'released' })
  })

  it('whose answer is lost leaves no lock behind, and is never given twice', async () => {
    const provider = await through(next('UpdateItem', 'lose-answer'), true)
    await expect(provider.take('A', wish('ours'), never)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      uncertain: false,
    })
    expect(await provider.read('A', never)).toBeNull()
    expect((await taken(provider, 'A')).fencing).toBe(2)
  })

  it('is greater for a later holder while many take it and let it go', async () => {
    const providers = Array.from({ length: 4 }, () => open({}, true))
    const numbers: number[] = []
    await Promise.all(
      providers.map(async (provider, i) => {
        for (let left = 10; left > 0; ) {
          const lock = await provider.take('A', wish(`run-${i}`), never)
          if (lock.is === 'held') continue
          left--
          numbers.push(lock.fencing ?? 0)
          await provider.letGo('A', { owner: `run-${i}`, mark: lock.mark }, never)
        }
      }),
    )
    expect(numbers).toHaveLength(40)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })
})
