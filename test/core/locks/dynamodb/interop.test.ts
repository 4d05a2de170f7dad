import { ConditionalCheckFailedException, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createDynamoProvider } from '../../../../electron/core/locks/dynamodb/provider.ts'
import type { Grant, Provider, Refusal } from '../../../../electron/core/locks/provider.ts'
import type { Metadata } from '../../../../electron/core/locks/types.ts'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal
const MINUTE = 60_000
const PIPELINE = 'pipeline:bcra_infomondia_series'

let table: TestTable
let provider: Provider
let store: DynamoStore

beforeEach(async () => {
  table = await TestTable.create(inject('dynamodbEndpoint'))
  provider = createDynamoProvider(table.address(), { format: null, fencing: undefined })
  store = new DynamoStore(table.address())
})
afterEach(async () => {
  await provider.close()
  await store.close()
  await table.drop()
})

const now = () => Math.floor(Date.now() / 1000)

async function did(command: PutItemCommand | DeleteItemCommand): Promise<boolean> {
  try {
    await table.client.send(command as PutItemCommand)
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** Another program, with the conditions of its own document. */
const other = {
  acquire: (key: string, owner: string, ttlSeconds = 3600) =>
    did(
      new PutItemCommand({
        TableName: table.name,
        Item: {
          lock_key: { S: key },
          owner_id: { S: owner },
          expires_at: { N: String(now() + ttlSeconds) },
          acquired_at: { N: String(now()) },
        },
        ConditionExpression: 'attribute_not_exists(lock_key) OR expires_at < :now',
        ExpressionAttributeValues: { ':now': { N: String(now()) } },
      }),
    ),
  release: (key: string, owner: string) =>
    did(
      new DeleteItemCommand({
        TableName: table.name,
        Key: { lock_key: { S: key } },
        ConditionExpression: 'owner_id = :owner',
        ExpressionAttributeValues: { ':owner': { S: owner } },
      }),
    ),
}

async function taken(name: string, owner: string, metadata: Metadata | null = null): Promise<Grant> {
  const answer = await provider.take(name, { owner, ttlMs: MINUTE, metadata }, never)
  if (answer.is !== 'taken') throw new Error(`${name} was not free`)
  return answer
}
const refused = async (name: string, owner: string) =>
  (await provider.take(name, { owner, ttlMs: MINUTE, metadata: null }, never)) as Refusal
async function runOut(name: string): Promise<void> {
  const item = await table.get({ lock_key: { S: name } })
  await table.put({ ...item, expires_at: { N: String(now() - 10) } })
}

describe('a program with the documented conditions shares the table', () => {
  it('keeps us out of its locks, and its holder and expiry are known', async () => {
    expect(await other.acquire(PIPELINE, 'run-123')).toBe(true)
    const answer = await refused(PIPELINE, 'ours')
    expect(answer).toMatchObject({ is: 'held', holder: { owner: 'run-123', label: null } })
    expect((answer.holder.expiresAt ?? 0) - (answer.holder.acquiredAt ?? 0)).toBe(3_600_000)
    expect(answer.leftMs).toBeGreaterThan(3_500_000)
  })

  it('is kept out of our locks', async () => {
    await taken(PIPELINE, 'ours')
    expect(await other.acquire(PIPELINE, 'run-123')).toBe(false)
  })

  it('each releases only its own locks', async () => {
    const lock = await taken('A', 'ours')
    await other.acquire('B', 'theirs')
    expect(await other.release('A', 'theirs')).toBe(false)
    expect(await provider.release('B', { owner: 'ours', mark: lock.mark }, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'theirs' },
    })
    expect(await other.release('B', 'theirs')).toBe(true)
    expect(await provider.release('A', { owner: 'ours', mark: lock.mark }, never)).toEqual({ is: 'released' })
    expect(await table.all()).toEqual([])
  })

  it('shares a lock with us under the same owner', async () => {
    await taken('A', 'run-1')
    expect(await other.release('A', 'run-1')).toBe(true)
    await other.acquire('B', 'run-1')
    expect(await provider.release('B', { owner: 'run-1', mark: null }, never)).toEqual({ is: 'released' })
  })

  it('each acquires a lock of the other that expired', async () => {
    await other.acquire('A', 'theirs')
    await runOut('A')
    const ours = await taken('A', 'ours')
    await runOut('A')
    expect(await other.acquire('A', 'theirs-again')).toBe(true)
    expect(await provider.extend('A', { owner: 'ours', mark: ours.mark }, MINUTE, never)).toMatchObject({
      is: 'lost',
      holder: { owner: 'theirs-again' },
    })
  })

  it.each([{ S: String(1) }, undefined])('never takes over a lock whose end is %j', async end => {
    await table.put({ lock_key: { S: 'A' }, owner_id: { S: 'theirs' }, ...(end ? { expires_at: end } : {}) })
    expect(await refused('A', 'ours')).toMatchObject({
      is: 'held',
      holder: { owner: 'theirs', expiresAt: null, acquiredAt: null },
      leftMs: null,
    })
    expect(await other.acquire('A', 'theirs')).toBe(false)
  })
})

describe('the console', () => {
  it('reads what we write as what it is, and releases it', async () => {
    const lock = await taken(PIPELINE, 'run-123', { run: '"7"', tries: 3, dry: false, note: null })
    const { locks, unrecognised } = await listAll(store)
    expect(unrecognised).toEqual([])
    expect(locks).toMatchObject([
      {
        format: 'conditional-put',
        name: PIPELINE,
        owner: 'run-123',
        acquiredAt: lock.acquiredAt,
        lease: { kind: 'deadline', expiresAt: lock.expiresAt },
        state: 'held',
        notes: [],
        fields: { metadata_run: '"7"', metadata_tries: 3, metadata_dry: false, metadata_note: null },
      },
    ])
    const [seen] = locks
    expect(await releaseLock(store, seen?.id ?? '', seen?.fence ?? '', never)).toMatchObject({
      outcome: 'released',
    })
    expect(await provider.release(PIPELINE, { owner: 'run-123', mark: lock.mark }, never)).toEqual({
      is: 'lost',
      holder: null,
    })
  })

  it('does not release the next acquisition of the same owner', async () => {
    const first = await taken('A', 'ours')
    const [seen] = (await listAll(store)).locks
    await provider.release('A', { owner: 'ours', mark: first.mark }, never)
    await taken('A', 'ours')
    expect(await releaseLock(store, 'A', seen?.fence ?? '', never)).toMatchObject({ outcome: 'changed' })
  })

  it('does not list a counter of fencing numbers as a lock', async () => {
    const fenced = createDynamoProvider(table.address(), { format: null, fencing: true })
    expect(await fenced.take('A', { owner: 'ours', ttlMs: MINUTE, metadata: null }, never)).toMatchObject({
      is: 'taken',
      fencing: 1,
    })
    await fenced.close()
    const { locks, unrecognised, companions } = await listAll(store)
    expect(locks.map(({ name }) => name)).toEqual(['A'])
    expect(unrecognised).toEqual([])
    expect(companions).toBe(1)
  })
})
