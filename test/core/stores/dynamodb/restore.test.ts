import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import type { RecordCopy } from '../../../../electron/core/stores/types.ts'
import { codeOf, never, releaseAndKeep } from '../../../contract/ask.ts'
import { startDynamoProxy } from '../../../servers/dynamodb-proxy.ts'
import { type TableItem, TestTable } from '../../../servers/dynamodb-table.ts'

const stores: DynamoStore[] = []
const tables: TestTable[] = []

afterEach(async () => {
  await Promise.all(stores.splice(0).map(store => store.close()))
  await Promise.all(tables.splice(0).map(table => table.drop()))
})

async function place(keys?: Parameters<typeof TestTable.create>[1], format: string | null = null) {
  const table = await TestTable.create(inject('dynamodbEndpoint'), keys)
  tables.push(table)
  const store = new DynamoStore(table.address({ format }))
  stores.push(store)
  return { table, store }
}

async function released(store: DynamoStore, id: string): Promise<RecordCopy> {
  const lock = (await store.inspect(id, never))?.lock
  if (!lock) throw new Error('no lock')
  const { copy, outcome } = await releaseAndKeep(store, lock)
  expect(outcome).toBe('released')
  return copy as RecordCopy
}

const KEY = { lock_key: { S: 'orders' } }
const LOCK: TableItem = {
  ...KEY,
  owner_id: { S: 'owner-1' },
  expires_at: { N: '4000000000' },
  acquired_at: { N: '1700000000.000000000000000000000000001' },
}

describe('a restored item', () => {
  // Emulators hold no two lists or maps for equal, so that such an item is not released: the next test has them.
  const everyType: TableItem = {
    ...LOCK,
    bytes: { B: Uint8Array.of(0, 255, 39, 128) },
    yes: { BOOL: false },
    nothing: { NULL: true },
    // Sets have no order; a copy has one, which the emulator keeps.
    texts: { SS: ['a', 'b', '😀'] },
    numbers: { NS: ['1', '12345678901234567890123456789012345678', '3'] },
    blobs: { BS: [Uint8Array.of(1, 0), Uint8Array.of(2)] },
    empty: { S: '' },
    'a.b #:?"\'': { S: 'tab\tquote" \u0000 é漢' },
    constructor: { S: 'x' },
  }

  it('is the same in every type of attribute', async () => {
    const { table, store } = await place()
    await table.put(everyType)
    const before = await table.get(KEY)
    const copy = await released(store, 'orders')
    expect(await table.get(KEY)).toBeNull()
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await table.get(KEY)).toEqual(before)
  })

  it('has its lists, maps and foreign attributes again', async () => {
    const { table, store } = await place([['LockID', 'S']])
    const item: TableItem = {
      LockID: { S: 'bucket/state' },
      Info: { S: JSON.stringify({ ID: 'id-1', Who: 'me@host' }) },
      more: { L: [{ M: { deep: { L: [{ B: Uint8Array.of(1) }, { NULL: true }] } } }, { N: '0.1' }] },
    }
    await table.put(item)
    const before = await table.get({ LockID: { S: 'bucket/state' } })
    const copy = await released(store, 'bucket/state')
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await table.get({ LockID: { S: 'bucket/state' } })).toEqual(before)
  })

  it('is restored under a key of two parts', async () => {
    const keys = [
      ['lock_key', 'B'],
      ['part', 'N'],
    ] as const
    const { table, store } = await place(keys, 'conditional-put')
    const key: TableItem = { lock_key: { B: Uint8Array.of(255, 47, 0) }, part: { N: '7' } }
    await table.put({ ...LOCK, ...key })
    await table.put({ ...LOCK, ...key, part: { N: '8' } })
    const before = await table.get(key)
    const copy = await released(store, 'hex:ff2f00/7')
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await table.get(key)).toEqual(before)
  })

  it('does not replace an item that appeared before the write', async () => {
    const { table } = await place()
    await table.put(LOCK)
    const next = { ...LOCK, owner_id: { S: 'owner-2' } }
    let looks = 0
    let isRestoring = false
    const proxy = await startDynamoProxy(table.endpoint, operation => {
      if (!isRestoring || operation !== 'GetItem') return 'pass'
      // The first look is answered with what was before somebody came.
      return looks++ === 0 ? { status: 200, body: '{}' } : 'pass'
    })
    const store = new DynamoStore(table.address({ endpoint: proxy.endpoint }))
    stores.push(store)
    const copy = await released(store, 'orders')
    await table.put(next)
    isRestoring = true
    expect(await store.restore(copy, never)).toMatchObject({
      outcome: 'taken',
      current: { owner: 'owner-2' },
    })
    expect(looks).toBe(2)
    expect(await table.get(KEY)).toEqual(next)
    await proxy.close()
  })

  it('is uncertain when the answer is lost, and so is the error', async () => {
    const { table } = await place()
    await table.put(LOCK)
    const proxy = await startDynamoProxy(table.endpoint, operation =>
      operation === 'PutItem' ? 'lose-answer' : 'pass',
    )
    const store = new DynamoStore(table.address({ endpoint: proxy.endpoint }))
    stores.push(store)
    const copy = await released(store, 'orders')
    await expect(store.restore(copy, never)).rejects.toMatchObject({
      code: 'STORE_UNREACHABLE',
      message: expect.stringContaining('the restore may or may not have happened'),
      uncertain: true,
    })
    expect(await table.get(KEY)).toEqual(LOCK)
    await proxy.close()
  })
})

describe('a copy that is damaged', () => {
  let copy: RecordCopy
  let store: DynamoStore
  let table: TestTable

  beforeEach(async () => {
    ;({ table, store } = await place())
    await table.put(LOCK)
    copy = await released(store, 'orders')
  })

  const nested = (depth: number): unknown => (depth === 0 ? { S: 'x' } : { L: [nested(depth - 1)] })

  it.each<[string, unknown]>([
    ['two types', { more: { S: 'a', N: '1' } }],
    ['no type', { more: {} }],
    ['a type that is not', { more: { X: 'a' } }],
    ['bytes that are none', { more: { B: 'not base64!' } }],
    ['a number that is no text', { more: { N: 1 } }],
    ['a list of anything', { more: { L: [1] } }],
    ['a map that is a list', { more: { M: [] } }],
    ['too deep for anybody', { more: nested(5000) }],
    ['an attribute more', { more: { S: 'a' } }],
    ['another owner', { owner_id: { S: 'owner-2' } }],
    ['another key', { lock_key: { S: 'invoices' } }],
    ['a key of another type', { lock_key: { N: '1' } }],
  ])('is refused before anything is written: %s', async (_, change) => {
    const data = { ...(copy.data as object), ...(change as object) }
    expect(await codeOf(store.restore({ ...copy, data }, never))).toBe('BAD_INPUT')
    expect(await table.get(KEY)).toBeNull()
  })
})
