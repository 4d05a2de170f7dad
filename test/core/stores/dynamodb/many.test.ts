import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import { keepNothing, never, words } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/list-all.ts'
import {
  type DynamoProxy,
  errorAnswer,
  type Fate,
  leavingOut,
  startDynamoProxy,
  throttled,
} from '../../../servers/dynamodb-proxy.ts'
import { type TableItem, TestTable } from '../../../servers/dynamodb-table.ts'

const KEYS = Array.from({ length: 120 }, (_, i) => `k${i}`)
const lock = (key: string): TableItem => ({
  lock_key: { S: key },
  owner_id: { S: `holder of ${key}` },
  expires_at: { N: '4000000000' },
  acquired_at: { N: '1700000000' },
})
const denied = errorAnswer(
  'com.amazon.coral.service#AccessDeniedException',
  'no identity-based policy allows it',
)

describe('many items of a DynamoDB table', () => {
  let table: TestTable
  let proxy: DynamoProxy
  let store: DynamoStore
  let fate: (operation: string) => Fate
  let asked: string[]

  beforeEach(async () => {
    table = await TestTable.create(inject('dynamodbEndpoint'))
    await table.putMany(KEYS.map(lock))
    asked = []
    fate = () => 'pass'
    proxy = await startDynamoProxy(table.endpoint, operation => {
      asked.push(operation)
      return fate(operation)
    })
    store = new DynamoStore(table.address({ endpoint: proxy.endpoint }))
  })
  afterEach(async () => {
    await store.close()
    await proxy.close()
    await table.drop()
  })

  const count = (operation: string) => asked.filter(each => each === operation).length
  const left = async () => (await listAll(store)).locks.map(({ key }) => key).sort()
  const look = async (ids: readonly string[]) =>
    (await store.look(ids, never)).map(each => {
      if (!each.ok) return each.error.message
      return each.value.is === 'lock' ? each.value.lock.owner : each.value.is
    })
  const holders = (keys: readonly string[]) => keys.map(key => `holder of ${key}`)

  it('are read a hundred at a time, and what they cost is counted', async () => {
    expect(await look([...KEYS, 'none', ...KEYS])).toEqual([...holders(KEYS), 'absent', ...holders(KEYS)])
    expect(count('BatchGetItem')).toBe(2)
    expect(count('GetItem')).toBe(0)
    expect(store.spent().units).toBeGreaterThanOrEqual(120)
  })

  it('are asked for again when DynamoDB left some out', async () => {
    fate = operation => (operation === 'BatchGetItem' && count('BatchGetItem') < 4 ? leavingOut(30) : 'pass')
    expect(await look([...KEYS.slice(0, 98), 'none'])).toEqual([...holders(KEYS.slice(0, 98)), 'absent'])
    expect(count('BatchGetItem')).toBe(4)
  })

  it('fail alone as throttled when DynamoDB leaves them out for ever', async () => {
    fate = operation =>
      operation === 'BatchGetItem' && count('BatchGetItem') > 1 ? leavingOut(0) : leaving()
    function leaving(): Fate {
      return asked.at(-1) === 'BatchGetItem' ? leavingOut(7) : 'pass'
    }
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks.slice(0, 10), keepNothing, never)
    expect(words(settled)).toEqual([...Array(7).fill('released'), ...Array(3).fill('STORE_ERROR')])
    expect(settled[8]).toMatchObject({
      error: { message: expect.stringContaining('throttles'), uncertain: false },
    })
    expect(await left()).toHaveLength(113)
  })

  it('fail alone as throttled when whole requests are throttled', async () => {
    fate = operation => (operation === 'BatchGetItem' ? throttled : 'pass')
    const all = await look(KEYS.slice(0, 10))
    expect(new Set(all)).toEqual(new Set([expect.stringContaining('throttles')]))
  })

  it('are read one by one for an account that may not read in batches, which is asked once', async () => {
    fate = operation => (operation === 'BatchGetItem' ? denied : 'pass')
    expect(await look(KEYS.slice(0, 10))).toEqual(holders(KEYS.slice(0, 10)))
    expect(await look(KEYS.slice(0, 10))).toEqual(holders(KEYS.slice(0, 10)))
    expect(count('BatchGetItem')).toBe(1)
  })

  it('are read although one of them is a key that DynamoDB refuses', async () => {
    const tooLong = 'x'.repeat(3000)
    const all = await look(['k1', tooLong, 'k2'])
    expect([all[0], all[2]]).toEqual(holders(['k1', 'k2']))
    expect(all[1]).toMatch(/2048|size/i)
  })

  it('are distinguished by number, in any notation', async () => {
    const numbers = await TestTable.create(table.endpoint, [['lock_key', 'N']])
    const long = '12345678901234567890123456789012345678'
    await numbers.put({ lock_key: { N: '1' }, owner_id: { S: 'one' } })
    await numbers.put({ lock_key: { N: '-250' }, owner_id: { S: 'less' } })
    await numbers.put({ lock_key: { N: long }, owner_id: { S: 'long' } })
    const other = new DynamoStore(numbers.address({ format: 'conditional-put' }))
    const ids = ['1', '1.0', '10E-1', '01', '-2.5E2', long, long.replace(/8$/, '9'), '0', '-0']
    const looked = await other.look(ids, never)
    expect(
      looked.map(each => each.ok && (each.value.is === 'lock' ? each.value.lock.owner : each.value.is)),
    ).toEqual(['one', 'one', 'one', 'one', 'less', 'long', 'absent', 'absent', 'absent'])
    await other.close()
    await numbers.drop()
  })

  it('are released when a throttled delete succeeds later, and fail when it does not', async () => {
    // Every third delete is throttled once; from the fortieth on all are.
    fate = operation => {
      if (operation !== 'DeleteItem') return 'pass'
      const nth = count('DeleteItem')
      return nth > 40 || nth % 3 === 0 ? throttled : 'pass'
    }
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks.slice(0, 40), keepNothing, never)
    const said = words(settled)
    expect(new Set(said)).toEqual(new Set(['released', 'STORE_ERROR']))
    expect(settled.some(each => !each.ok && each.error.uncertain)).toBe(false)
    const failed = locks.slice(0, 40).filter((_, i) => said[i] === 'STORE_ERROR')
    fate = () => 'pass'
    expect(await left()).toEqual([...failed, ...locks.slice(40)].map(({ key }) => key).sort())
    expect(said.filter(word => word === 'released')).toHaveLength(27)
  })

  it('are uncertain where the connection was cut in the middle, and sent once', async () => {
    fate = operation => {
      if (operation !== 'DeleteItem') return 'pass'
      const nth = count('DeleteItem')
      return nth === 5 ? 'lose-answer' : nth === 9 ? 'cut-answer' : 'pass'
    }
    const { locks } = await listAll(store)
    const settled = await store.releaseMany(locks, keepNothing, never)
    const unsure = settled.filter(each => !each.ok && each.error.uncertain)
    expect(unsure).toHaveLength(2)
    expect(words(settled).filter(word => word === 'released')).toHaveLength(118)
    expect(count('DeleteItem')).toBe(120)
    expect(await left()).toEqual([])
  })

  it('are unchanged when the read is cut off', async () => {
    const { locks } = await listAll(store)
    fate = operation => (operation === 'BatchGetItem' ? 'lose-answer' : 'pass')
    await expect(store.releaseMany(locks, keepNothing, never)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      uncertain: false,
    })
    expect(count('DeleteItem')).toBe(0)
  })
})
