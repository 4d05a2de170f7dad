import { describe, expect, it } from 'vitest'
import { isFree, isLive } from '../../../../electron/core/locks/dynamodb/lock-item.ts'
import { createDynamoProvider } from '../../../../electron/core/locks/dynamodb/provider.ts'
import type { Provider } from '../../../../electron/core/locks/provider.ts'
import {
  denyWrites,
  errorAnswer,
  type Fate,
  startDynamoProxy,
  throttled,
} from '../../../servers/dynamodb-proxy.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { closing, freshTables, never, now, open, put, request, table, taken, through } from './place.ts'

const MINUTE = 60_000

freshTables()

/** Once, the next time that this is asked for; everything else passes. */
function next(operation: string, fate: Fate): (asked: string) => Fate {
  let left = 1
  return asked => (asked === operation && left-- > 0 ? fate : 'pass')
}

describe('setup', () => {
  const notThere = errorAnswer('com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'No such table')
  const inUse = errorAnswer('com.amazonaws.dynamodb.v20120810#ResourceInUseException', 'Being deleted')

  it('creates the table once an old table of that name has been deleted', async () => {
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

  it('polls at intervals while another process creates the table', async () => {
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

  it('creates the table once when several processes ask at the same time', async () => {
    const fresh = new TestTable(table.endpoint)
    closing.push(() => fresh.drop())
    const providers = Array.from({ length: 6 }, () => open({ table: fresh.name }))
    await Promise.all(providers.map(provider => provider.setup(never)))
    await taken(providers[0] as Provider, 'A')
    expect(await fresh.all()).toHaveLength(1)
  })

  it('turns on removal of expired items by the store, and works without it where that is refused', async () => {
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
    await expect(open({ table: foreign.name }).take('A', request('ours'), never)).rejects.toMatchObject({
      code: 'STORE_ERROR',
      uncertain: false,
    })
  })

  it('is required where the table is missing', async () => {
    await expect(open({ table: 'no-such-table' }).take('A', request('ours'), never)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('a lock in DynamoDB', () => {
  it.each(['', 'x'.repeat(2049), '\ud800', 'lockkeeper:fencing:A'])('cannot be called %j', async name => {
    const provider = open()
    expect(() => provider.keyOf(name)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
    await expect(provider.take(name, request('ours'), never)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })

  it('may have a name of the full key length', async () => {
    await taken(open(), 'x'.repeat(2048))
    const fenced = open({}, { fencing: true })
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
      await expect(open().take('A', request('ours', ttlMs), never)).rejects.toMatchObject({
        code: 'BAD_INPUT',
      })
    expect(await table.all()).toEqual([])
  })

  it('exists in this format only', () => {
    const make = () => createDynamoProvider(table.address(), { format: 'terraform', fencing: undefined })
    expect(make).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }))
  })

  it('has no fencing number unless one is asked for', async () => {
    expect((await taken(open(), 'A')).fencing).toBeNull()
    expect(await table.all()).toHaveLength(1)
  })

  it('that has expired is lost to its holder, and its item is removed', async () => {
    const provider = open()
    const { mark } = await taken(provider, 'A')
    const item = await table.get({ lock_key: { S: 'A' } })
    await table.put({ ...item, expires_at: { N: String(now() - 10) } })
    expect(await provider.release('A', { owner: 'ours', mark }, never)).toEqual({ is: 'lost', holder: null })
    expect(await table.all()).toEqual([])
  })

  it('stays with its holder until its last second is certainly over', () => {
    const item = { expires_at: { N: '1000' } }
    expect(isFree(item, { earliest: 1_000_999, latest: 1_002_000 })).toBe(false)
    expect(isFree(item, { earliest: 1_001_000, latest: 1_001_000 })).toBe(true)
    // And not to be relied upon once that second may have begun.
    expect(isLive(item, { earliest: 999_000, latest: 1_000_000 })).toBe(true)
    expect(isLive(item, { earliest: 999_000, latest: 1_000_001 })).toBe(false)
  })
})

describe('a lost answer', () => {
  it('to an acquisition is resolved by a read: the lock is ours', async () => {
    const provider = await through(next('PutItem', 'lose-answer'))
    const { mark } = await taken(provider, 'A')
    expect(await provider.release('A', { owner: 'ours', mark }, never)).toEqual({ is: 'released' })
  })

  it('to a refused acquisition is resolved by a read: another holds the lock', async () => {
    await put('A', now() + 600)
    const provider = await through(next('PutItem', 'lose-answer'))
    expect(await provider.take('A', request('ours'), never)).toMatchObject({
      is: 'held',
      holder: { owner: 'theirs' },
    })
  })

  it('to an acquisition is uncertain while the item is absent', async () => {
    const provider = await through(
      next('PutItem', errorAnswer('com.amazonaws.dynamodb.v20120810#InternalServerError', 'oops', 500)),
    )
    await expect(provider.take('A', request('ours'), never)).rejects.toMatchObject({ uncertain: true })
  })

  it.each(['extend', 'release'] as const)('to %s is uncertain', async what => {
    const provider = await through(next(what === 'extend' ? 'UpdateItem' : 'DeleteItem', 'lose-answer'))
    const { mark } = await taken(provider, 'A')
    const proof = { owner: 'ours', mark }
    const done =
      what === 'extend' ? provider.extend('A', proof, MINUTE, never) : provider.release('A', proof, never)
    await expect(done).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: true })
  })

  it('is not assumed when the store throttles: the request is sent again', async () => {
    const provider = await through(next('PutItem', throttled))
    await taken(provider, 'A')
  })

  it('is not assumed when the account may not write', async () => {
    const provider = await through(denyWrites)
    await expect(provider.take('A', request('ours'), never)).rejects.toMatchObject({
      code: 'STORE_DENIED',
      uncertain: false,
    })
  })
})

describe('a fencing number', () => {
  it('that another holder has drawn is drawn again, and the lock acquired again', async () => {
    let draws = 0
    const provider = await through(
      operation => {
        if (operation !== 'UpdateItem' || draws++ > 0) return 'pass'
        return errorAnswer('com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', 'no')
      },
      { fencing: true },
    )
    const lock = await taken(provider, 'A')
    expect(lock.fencing).toBe(1)
    expect(draws).toBe(2)
    expect(await provider.release('A', { owner: 'ours', mark: lock.mark }, never)).toEqual({ is: 'released' })
  })

  it('whose answer is lost leaves no lock behind, and is never given twice', async () => {
    const provider = await through(next('UpdateItem', 'lose-answer'), { fencing: true })
    await expect(provider.take('A', request('ours'), never)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      uncertain: false,
    })
    expect(await provider.read('A', never)).toBeNull()
    expect((await taken(provider, 'A')).fencing).toBe(2)
  })

  it('rises with every holder while many acquire and release', async () => {
    const providers = Array.from({ length: 4 }, () => open({}, { fencing: true }))
    const numbers: number[] = []
    await Promise.all(
      providers.map(async (provider, i) => {
        for (let left = 10; left > 0; ) {
          const lock = await provider.take('A', request(`run-${i}`), never)
          if (lock.is === 'held') continue
          left--
          numbers.push(lock.fencing ?? 0)
          await provider.release('A', { owner: `run-${i}`, mark: lock.mark }, never)
        }
      }),
    )
    expect(numbers).toHaveLength(40)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
  })
})
