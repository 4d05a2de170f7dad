import { afterEach, describe, expect, inject, it } from 'vitest'
import { StoreError } from '../../../../electron/core/lib/errors.ts'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import { lockSchema } from '../../../../shared/locks.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { denyWrites, startDynamoProxy } from '../../../servers/dynamodb-proxy.ts'
import { type TableItem, TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal
const SOON = { N: String(Math.floor(Date.now() / 1000) + 600) }
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function tableWith(
  keys: [string, 'S' | 'N' | 'B'][],
  items: TableItem[],
  more: Parameters<TestTable['address']>[0] = {},
): Promise<{ table: TestTable; store: DynamoStore }> {
  const table = await TestTable.create(inject('dynamodbEndpoint'), keys)
  closing.push(() => table.drop())
  for (const item of items) await table.put(item)
  const store = new DynamoStore(table.address(more))
  closing.push(() => store.close())
  return { table, store }
}

function lock(key: string, more: TableItem = {}): TableItem {
  return {
    lock_key: { S: key },
    owner_id: { S: 'run-1' },
    expires_at: SOON,
    acquired_at: { N: '1' },
    ...more,
  }
}

describe('a table', () => {
  it('that is missing is named in the error', async () => {
    const { table } = await tableWith([['lock_key', 'S']], [])
    const store = new DynamoStore(table.address({ table: 'no-such-table' }))
    closing.push(() => store.close())
    const failure = await listAll(store).catch(error => error)
    expect(failure).toBeInstanceOf(StoreError)
    expect(failure).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('no-such-table') })
  })

  it('recreated with another key is read by its new key', async () => {
    const { table, store } = await tableWith([['lock_key', 'S']], [lock('a')])
    expect((await listAll(store)).locks).toHaveLength(1)
    await table.dropTable()
    await expect(listAll(store)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await table.createTable([['id', 'N']])
    await table.put({ id: { N: '1' } })
    expect((await listAll(store)).unrecognised).toMatchObject([{ key: '1' }])
    expect(await store.inspect('1', never)).toMatchObject({ key: '1' })
  })

  it('recreated unnoticed is an error once, and then read by its new key', async () => {
    const { table, store } = await tableWith([['lock_key', 'S']], [lock('a')])
    expect((await listAll(store)).locks).toHaveLength(1)
    await table.dropTable()
    await table.createTable([['LockID', 'S']])
    await table.put({ LockID: { S: 'state' }, Info: { S: '{"ID":"uuid-1"}' } })
    await expect(listAll(store)).rejects.toMatchObject({ code: 'STORE_ERROR' })
    expect((await listAll(store)).locks).toMatchObject([{ key: 'state' }])
  })

  it('whose key belongs to no lock library shows its items as unrecognised, and names the key', async () => {
    const { store } = await tableWith([['user_id', 'S']], [{ user_id: { S: 'ana' }, owner_id: { S: 'x' } }])
    expect((await listAll(store)).unrecognised).toEqual([
      { key: 'ana', reason: "the table's key is user_id, which no known kind of lock uses" },
    ])
  })

  it('with a numeric key has numbers for ids', async () => {
    const { store } = await tableWith([['id', 'N']], [{ id: { N: '7.50' } }])
    expect((await listAll(store)).unrecognised).toMatchObject([{ key: '7.5' }])
    expect(await store.inspect('7.5', never)).toMatchObject({
      key: '7.5',
      lock: null,
      reason: "the table's key is id (a number), which no known kind of lock uses",
    })
    expect(await store.inspect('seven', never)).toBeNull()
    expect(await store.capabilities(never)).toContain('release')
  })

  it('with a binary key has hexadecimal ids, and is usable when pinned', async () => {
    const key = { lock_key: { B: Uint8Array.of(0xff, 0x01) } }
    const { table, store } = await tableWith([['lock_key', 'B']], [{ ...lock('x'), ...key }], {
      format: 'conditional-put',
    })
    const [found] = (await listAll(store)).locks
    expect(found).toMatchObject({ id: 'hex:ff01', key: 'hex:ff01', name: 'hex:ff01', owner: 'run-1' })
    expect((await store.inspect('hex:ff01', never))?.raw[0]).toMatchObject({
      label: 'lock_key',
      encoding: 'hex',
    })
    expect(await releaseLock(store, 'hex:ff01', found?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
    expect(await table.get(key)).toBeNull()
  })

  it('with a sort key has ids of two parts, each of which is released by itself', async () => {
    const item = (region: string) => ({ ...lock('a/b'), region: { S: region } })
    const keys: [string, 'S'][] = [
      ['lock_key', 'S'],
      ['region', 'S'],
    ]
    const { store } = await tableWith(keys, [item('eu/1'), item('us')], { format: 'conditional-put' })
    const { locks } = await listAll(store)
    expect(locks.map(each => each.id).sort()).toEqual(['a%2Fb/eu/1', 'a%2Fb/us'])
    const target = locks.find(each => each.id === 'a%2Fb/eu/1')
    expect(await releaseLock(store, 'a%2Fb/eu/1', target?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
    expect(await releaseLock(store, 'a%2Fb/us', target?.fence ?? '', never)).toMatchObject({
      outcome: 'changed',
    })
    expect((await listAll(store)).locks.map(each => each.id)).toEqual(['a%2Fb/us'])
  })

  it('of python_dynamodb_lock is not taken for anything else', async () => {
    const python = {
      lock_key: { S: 'job' },
      sort_key: { S: '-' },
      owner_name: { S: 'host-1' },
      record_version_number: { S: 'c0ffee' },
    }
    const keys: [string, 'S'][] = [
      ['lock_key', 'S'],
      ['sort_key', 'S'],
    ]
    const { store } = await tableWith(keys, [python])
    const { locks, unrecognised } = await listAll(store)
    expect(locks).toEqual([])
    expect(unrecognised).toMatchObject([
      { key: 'job/-', reason: expect.stringContaining('python_dynamodb_lock') },
    ])
  })
})

describe('an item', () => {
  it('with a hostile key is listed, inspected and released like any other', async () => {
    const key = 'pipe\nline\u001b[2J\u202egnp.exe\u0000 \'"$(id)'
    const { table, store } = await tableWith([['lock_key', 'S']], [lock(key)])
    const [found] = (await listAll(store)).locks
    expect(found?.id).toBe(key)
    const detail = await store.inspect(key, never)
    expect(detail?.release.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(await releaseLock(store, key, found?.fence ?? '', never)).toMatchObject({ outcome: 'released' })
    expect(await table.get({ lock_key: { S: key } })).toBeNull()
  })

  it('without some attributes is released only while they are absent', async () => {
    const item = { lock_key: { S: 'a' }, owner_id: { S: 'run-1' } }
    const { table, store } = await tableWith([['lock_key', 'S']], [item])
    const fence = (await store.inspect('a', never))?.lock?.fence ?? ''
    await table.put({ ...item, expires_at: SOON })
    expect(await releaseLock(store, 'a', fence, never)).toMatchObject({ outcome: 'changed' })
    await table.put(item)
    expect(await releaseLock(store, 'a', fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('with odd numbers and types is still a lock that keeps the schema', async () => {
    const odd = [
      lock('huge', { expires_at: { N: '1e30' } }),
      lock('tiny', { expires_at: { N: '-1e30' } }),
      lock('fraction', { expires_at: { N: '1701238167.25' } }),
      lock('milliseconds', { expires_at: { N: String(Date.now()) } }),
      lock('text', { expires_at: { S: 'soon' }, owner_id: { N: '5' } }),
      lock('null', { acquired_at: { NULL: true } }),
    ]
    const { table, store } = await tableWith([['lock_key', 'S']], odd)
    const { locks } = await listAll(store)
    expect(locks).toHaveLength(odd.length)
    for (const each of locks) {
      lockSchema.parse(each)
      expect(await releaseLock(store, each.id, each.fence, never)).toMatchObject({ outcome: 'released' })
    }
    expect(await table.get({ lock_key: { S: 'huge' } })).toBeNull()
  })

  it('with a map for an owner is a lock without a known owner', async () => {
    // Not released here: dynalite holds no map for equal to another, and DynamoDB does.
    const nested = lock('nested', { owner_id: { M: { b: { S: 'x' }, a: { L: [{ NULL: true }] } } } })
    const { store } = await tableWith([['lock_key', 'S']], [nested])
    const [found] = (await listAll(store)).locks
    expect(found).toMatchObject({
      owner: null,
      notes: [{ code: 'wrong-type', field: 'owner_id', found: 'a map' }],
    })
  })

  it('with an attribute called __proto__ does not hide the others', async () => {
    const evil = { ...lock('evil'), ...JSON.parse('{"__proto__":{"S":"x"},"constructor":{"S":"y"}}') }
    const { store } = await tableWith([['lock_key', 'S']], [lock('good'), evil])
    const { locks } = await listAll(store)
    expect(locks.map(each => [each.id, each.owner]).sort()).toEqual([
      ['evil', 'run-1'],
      ['good', 'run-1'],
    ])
  })

  it('of 380 KB is listed truncated, inspected with its size, and released', async () => {
    const { store } = await tableWith(
      [['lock_key', 'S']],
      [lock('big', { dump: { S: 'x'.repeat(380_000) } })],
    )
    const [found] = (await listAll(store)).locks
    expect(JSON.stringify(found).length).toBeLessThan(3000)
    const detail = await store.inspect('big', never)
    expect(detail?.raw.find(part => part.label === 'dump')?.size).toBe(380_000)
    expect(await releaseLock(store, 'big', found?.fence ?? '', never)).toMatchObject({ outcome: 'released' })
  })

  it('that is not a lock is not released, whatever the fence', async () => {
    const { table, store } = await tableWith([['lock_key', 'S']], [{ lock_key: { S: 'settings' } }])
    expect(await releaseLock(store, 'settings', 'x'.repeat(32), never)).toEqual({
      outcome: 'changed',
      current: null,
    })
    expect(await table.get({ lock_key: { S: 'settings' } })).not.toBeNull()
  })
})

describe('a Terraform table', () => {
  const id = 'bucket/network.tfstate'
  const items = [
    { LockID: { S: id }, Info: { S: JSON.stringify({ ID: 'uuid-1', Who: 'ana@laptop' }) } },
    { LockID: { S: `${id}-md5` }, Digest: { S: 'd41d8cd98f00b204e9800998ecf8427e' } },
    { LockID: { S: 'broken' }, Info: { S: '{' } },
  ]

  it('lists locks, counts digests, and reports unreadable items', async () => {
    const { store } = await tableWith([['LockID', 'S']], items)
    const { locks, companions, unrecognised, scanned } = await listAll(store)
    expect(locks).toMatchObject([{ id, format: 'terraform', owner: 'uuid-1', lease: { kind: 'never' } }])
    expect({ companions, scanned }).toEqual({ companions: 1, scanned: 3 })
    expect(unrecognised).toEqual([{ key: 'broken', reason: 'its Info is not JSON: {' }])
  })

  it('releases the lock and keeps the digest', async () => {
    const { table, store } = await tableWith([['LockID', 'S']], items)
    const fence = (await store.inspect(id, never))?.lock?.fence ?? ''
    expect(await releaseLock(store, id, fence, never)).toMatchObject({ outcome: 'released' })
    expect(await table.get({ LockID: { S: id } })).toBeNull()
    expect(await table.get({ LockID: { S: `${id}-md5` } })).not.toBeNull()
  })

  it('does not give up a digest', async () => {
    const { table, store } = await tableWith([['LockID', 'S']], items)
    expect(await releaseLock(store, `${id}-md5`, 'x', never)).toEqual({ outcome: 'changed', current: null })
    expect(await table.get({ LockID: { S: `${id}-md5` } })).not.toBeNull()
  })
})

describe('probing the permission to release', () => {
  it('changes nothing, and a denial is probed again', async () => {
    const { table, store } = await tableWith([['lock_key', 'S']], [lock('a')])
    await store.describe(never)
    expect((await listAll(store)).scanned).toBe(1)
    let allowed = false
    const proxy = await startDynamoProxy(table.endpoint, operation =>
      allowed ? 'pass' : denyWrites(operation),
    )
    closing.push(() => proxy.close())
    const reader = new DynamoStore(table.address({ endpoint: proxy.endpoint }))
    closing.push(() => reader.close())
    expect(await reader.capabilities(never)).toEqual(['atomic-read', 'server-time'])
    allowed = true
    expect(await reader.capabilities(never)).toContain('release')
  })

  it('names the server by its endpoint', async () => {
    const { table, store } = await tableWith([['lock_key', 'S']], [])
    expect((await store.describe(never)).server).toBe(`DynamoDB at ${table.endpoint}`)
  })
})

describe('a format that is pinned', () => {
  it('must exist', async () => {
    const { table } = await tableWith([['lock_key', 'S']], [])
    expect(() => new DynamoStore(table.address({ format: 'redlock' }))).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    )
  })

  it('is the only one that is tried', async () => {
    const { store } = await tableWith([['lock_key', 'S']], [lock('a')], { format: 'terraform' })
    expect((await listAll(store)).unrecognised).toEqual([
      { key: 'a', reason: "the table's key is lock_key, which the chosen format does not use" },
    ])
  })
})
