import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Fate, leavingOut, startDynamoProxy, throttled } from '../servers/dynamodb-proxy.ts'
import { TestTable } from '../servers/dynamodb-table.ts'
import { proving } from './prove.ts'
import { missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

const LOCKS = 200

/** A table behind a proxy that decides what DynamoDB has capacity for. */
async function throttledTable() {
  const table = await TestTable.create(inject('dynamodbEndpoint'))
  const tokens = new Map(Array.from({ length: LOCKS }, (_, i) => [`pipeline:${i}`, randomUUID()] as const))
  const now = Math.floor(Date.now() / 1000)
  await table.putMany(
    [...tokens].map(([key, token]) => ({
      lock_key: { S: key },
      owner_id: { S: token },
      expires_at: { N: String(now + 3600) },
      acquired_at: { N: String(now) },
    })),
  )
  const asked: Record<string, number> = {}
  const state = { fate: (_operation: string, _count: number): Fate => 'pass' }
  const proxy = await startDynamoProxy(table.endpoint, operation => {
    asked[operation] = (asked[operation] ?? 0) + 1
    return state.fate(operation, asked[operation])
  })
  onTestFinished(async () => {
    await proxy.close()
    await table.drop()
  })
  const left = async () =>
    new Map((await table.all()).map(item => [item['lock_key']?.S ?? '', item['owner_id']?.S ?? '']))
  const address = `dynamodb://other:other@eu-west-1/${table.name}?endpoint=${proxy.endpoint}`
  return { address, tokens, left, state, asked }
}

test('a plan gets through while DynamoDB leaves items out and refuses every third delete', async () => {
  const { address, tokens, left, state, asked } = await throttledTable()
  const c = await proving(address)
  const plan = await c.plan()
  state.fate = (operation, count) => {
    if (operation === 'BatchGetItem' && count % 2 === 1) return leavingOut(40)
    return operation === 'DeleteItem' && count % 3 === 0 ? throttled : 'pass'
  }
  const end = await c.finish(plan)
  expect(end.plan.progress).toMatchObject({ state: 'done', counts: { released: LOCKS }, troubles: [] })
  expect(untrue(end, tokens, await left())).toEqual([])
  expect(await left()).toEqual(new Map())
  expect(asked['DeleteItem']).toBeGreaterThan(LOCKS * 1.3)
  expect(missingInAudit(c.folder, end)).toEqual([])
  expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
})

test('without any capacity, unreleased locks are named, and released later', async () => {
  const { address, tokens, left, state } = await throttledTable()
  const c = await proving(address)
  const plan = await c.plan()
  // The first batches come through, then nothing is written any more.
  state.fate = (operation, count) => (operation === 'DeleteItem' && count > 60 ? throttled : 'pass')
  const cut = await c.apply(plan, 32)
  const { counts, troubles, state: ended } = cut.plan.progress
  expect(ended).toBe('stopped')
  expect(counts).toMatchObject({ released: 60, gone: 0, changed: 0, tried: 0 })
  expect(counts.failed + counts.pending).toBe(LOCKS - 60)
  expect(counts.failed).toBeGreaterThan(0)
  expect(troubles).toMatchObject([{ error: { message: expect.stringContaining('throttles') } }])
  for (const result of cut.results.values())
    if (result?.is === 'failed') expect(result.error.uncertain).toBe(undefined)
  expect(untrue(cut, tokens, await left())).toEqual([])

  state.fate = () => 'pass'
  const end = await c.finish(plan)
  expect(end.plan.progress).toMatchObject({ state: 'done', counts: { released: LOCKS }, troubles: [] })
  expect(await left()).toEqual(new Map())
  expect(missingInAudit(c.folder, end)).toEqual([])
  expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
})

test('locks whose answers were lost are read again', async () => {
  const { address, tokens, left, state } = await throttledTable()
  const c = await proving(address)
  const plan = await c.plan()
  state.fate = (operation, count) => (operation === 'DeleteItem' && count % 50 === 0 ? 'lose-answer' : 'pass')
  const end = await c.finish(plan)
  const { released, gone } = end.plan.progress.counts
  expect(end.plan.progress.state).toBe('done')
  expect(released + gone).toBe(LOCKS)
  expect(gone).toBeGreaterThan(0)
  expect(untrue(end, tokens, await left())).toEqual([])
  expect(await left()).toEqual(new Map())
  expect(missingInAudit(c.folder, end)).toEqual([])
})
