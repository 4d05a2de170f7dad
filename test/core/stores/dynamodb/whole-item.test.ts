import { afterEach, describe, expect, inject, it } from 'vitest'
import { DynamoConnection } from '../../../../electron/core/stores/dynamodb/connect.ts'
import { conditionalPut } from '../../../../electron/core/stores/dynamodb/formats/conditional-put.ts'
import { terraform } from '../../../../electron/core/stores/dynamodb/formats/terraform.ts'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import { execute } from '../../../../electron/core/stores/dynamodb/writes.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { type TableItem, TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal
const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function tableWith(key: string, item: TableItem, format: string | null = null) {
  const table = await TestTable.create(inject('dynamodbEndpoint'), [[key, 'S']])
  closing.push(() => table.drop())
  await table.put(item)
  const store = new DynamoStore(table.address({ format }))
  closing.push(() => store.close())
  const fenceOf = async (id: string) => (await store.inspect(id, never))?.lock?.fence ?? ''
  return { table, store, fenceOf }
}

describe('an item without any attribute of its holder', () => {
  it('is not a lock even when pinned, because its holders cannot be distinguished', async () => {
    const mine = { lock_key: { S: 'job' }, holder: { S: 'mine' } }
    const { table, store } = await tableWith('lock_key', mine, 'conditional-put')
    const reason = 'it has none of owner_id, expires_at, acquired_at'
    expect(await listAll(store)).toMatchObject({ locks: [], unrecognised: [{ key: 'job', reason }] })
    expect(await releaseLock(store, 'job', 'x'.repeat(32), never)).toEqual({
      outcome: 'changed',
      current: null,
    })
    expect(await table.get({ lock_key: { S: 'job' } })).toEqual(mine)
  })
})

const JOB = { lock_key: { S: 'job' }, owner_id: { S: 'worker' }, run: { S: '1' }, ttl: { N: '5' } }
const { run: _, ...WITHOUT_RUN } = JOB

const CHANGES: [string, TableItem][] = [
  ['another value', { ...JOB, run: { S: '2' } }],
  ['another number', { ...JOB, ttl: { N: '6' } }],
  ['another type', { ...JOB, run: { N: '1' } }],
  ['an attribute less', WITHOUT_RUN],
  ['another name', { ...WITHOUT_RUN, Run: { S: '1' } }],
  ['an expiry more', { ...JOB, expires_at: { N: '1' } }],
]

describe.each([null, 'conditional-put'])('a conditional put, pinned or not: %s', format => {
  it.each([...CHANGES, ['an attribute more', { ...JOB, more: { S: '' } }] as [string, TableItem]])(
    'is not released after it was written with %s',
    async (_name, changed) => {
      const { table, store, fenceOf } = await tableWith('lock_key', JOB, format)
      const fence = await fenceOf('job')
      await table.put(changed)
      expect(await releaseLock(store, 'job', fence, never)).toMatchObject({ outcome: 'changed' })
      expect(await table.get({ lock_key: { S: 'job' } })).toEqual(changed)
      await table.put(JOB)
      expect(await releaseLock(store, 'job', fence, never)).toMatchObject({ outcome: 'released' })
    },
  )
})

describe('the condition of a release', () => {
  // An attribute more is not among them: DynamoDB has no condition for "and nothing else".
  it.each(CHANGES)('fails by itself after a write with %s', async (_name, changed) => {
    const { table } = await tableWith('lock_key', changed)
    const connection = new DynamoConnection(table.address())
    closing.push(async () => connection.close())
    const keySchema = { partition: { name: 'lock_key', type: 'S' as const }, sort: null }
    const raw = { keySchema, item: JOB, readAt: Date.now() }
    const act = await execute(connection, raw, conditionalPut.release(raw, undefined), never)
    expect(act).toEqual({ outcome: 'not-same' })
    expect(await table.get({ lock_key: { S: 'job' } })).toEqual(changed)
  })

  it('holds for every type that dynalite compares', async () => {
    const item = {
      ...JOB,
      bytes: { B: Uint8Array.of(0, 255) },
      yes: { BOOL: true },
      none: { NULL: true },
      names: { SS: ['b', 'a'] },
      numbers: { NS: ['2', '10'] },
    }
    const { table, store, fenceOf } = await tableWith('lock_key', item)
    expect(await releaseLock(store, 'job', await fenceOf('job'), never)).toMatchObject({
      outcome: 'released',
    })
    expect(await table.get({ lock_key: { S: 'job' } })).toBeNull()
  })

  it.each([
    ['a map', { M: { a: { S: 'x' } } }],
    ['a list', { L: [{ S: 'x' }] }],
  ])('never holds for %s in dynalite, which keeps the item; DynamoDB compares them', async (_name, value) => {
    const { table, store, fenceOf } = await tableWith('lock_key', { ...JOB, value })
    const fence = await fenceOf('job')
    expect(await releaseLock(store, 'job', fence, never)).toMatchObject({ outcome: 'changed' })
    expect(await table.get({ lock_key: { S: 'job' } })).not.toBeNull()
    // What is ours to get right: the fence stands for what is inside, and the guard is the value as it was read.
    expect(await fenceOf('job')).toBe(fence)
    await table.put({ ...JOB, value: JSON.parse(JSON.stringify(value).replace('x', 'y')) })
    expect(await fenceOf('job')).not.toBe(fence)
    const raw = {
      keySchema: { partition: { name: 'lock_key', type: 'S' as const }, sort: null },
      item: { ...JOB, value },
      readAt: 0,
    }
    expect(conditionalPut.release(raw, undefined).guards).toContainEqual({ attribute: 'value', seen: value })
  })
})

describe('a Terraform lock', () => {
  const state = (info: object, more: TableItem = {}) => ({
    LockID: { S: 'state' },
    Info: { S: JSON.stringify(info) },
    ...more,
  })

  it('without an ID is not released after anything in the item changed', async () => {
    const item = state({ Who: 'ana@laptop' }, { run: { S: '1' } })
    const { table, store, fenceOf } = await tableWith('LockID', item)
    const fence = await fenceOf('state')
    await table.put({ ...item, run: { S: '2' } })
    expect(await releaseLock(store, 'state', fence, never)).toMatchObject({ outcome: 'changed' })
    await table.put(item)
    expect(await releaseLock(store, 'state', fence, never)).toMatchObject({ outcome: 'released' })
  })

  it('with an ID is identified by its Info alone, which no other acquisition shares', async () => {
    const { table, store, fenceOf } = await tableWith('LockID', state({ ID: 'uuid-1' }))
    const fence = await fenceOf('state')
    const item = state({ ID: 'uuid-1' }, { tag: { S: 'x' } })
    await table.put(item)
    const keySchema = { partition: { name: 'LockID', type: 'S' as const }, sort: null }
    const { guards } = terraform.release({ keySchema, item, readAt: 0 }, undefined)
    expect(guards).toEqual([{ attribute: 'Info', seen: item.Info }])
    expect(await releaseLock(store, 'state', fence, never)).toMatchObject({ outcome: 'released' })
  })
})
