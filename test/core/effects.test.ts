import { expect, it } from 'vitest'
import { callMethod } from '../../electron/core/dispatch.ts'
import type { StoreError } from '../../electron/core/lib/errors.ts'
import { memoryServer } from '../../electron/core/stores/memory/servers.ts'
import { type Input, type MethodName, methods } from '../../shared/contract.ts'
import { acquirePipeline } from './acquire-pipeline.ts'
import { auditLines } from './features/audit/lines.ts'
import { openConsole, profile } from './features/console.ts'

const ALL = Object.entries(methods).map(([name, { effect }]) => [name as MethodName, effect] as const)
const call = { signal: new AbortController().signal, action: 'a' }

/** A core whose every method applies the same change, in a store that may be read-only. */
function stubCore(isReadOnly: boolean) {
  const { core, folder } = openConsole()
  let applied = 0
  const apply = async () => ++applied
  const rules = { productionNames: [], readOnlyBy: isReadOnly ? 'Orders' : null, from: [] }
  const store = { name: 'Orders', rules: async () => rules, revision: null }
  const change = {
    ...{ facts: { key: 'k' }, apply, outcome: () => ({ outcome: 'done' }) },
    stores: () => [{ store, confirmation: () => null }],
  }
  const answer = { read: apply, settings: () => change, write: () => change }
  const handlers = Object.fromEntries(ALL.map(([name, effect]) => [name, answer[effect]]))
  const run = (method: MethodName) =>
    callMethod({ handlers: handlers as never, audit: core.audit }, method, {} as Input<typeof method>, call)
  return { run, applied: () => applied, lines: () => auditLines(folder) }
}

it.each(ALL)(
  '%s has the effect %s: it alone decides what is recorded and checked',
  async (method, effect) => {
    const writable = stubCore(false)
    await writable.run(method)
    expect(writable.applied()).toBe(1)
    const events = { read: [], settings: ['settings', 'settings'], write: ['intent', 'outcome'] }[effect]
    expect(writable.lines().map(({ event }) => event)).toEqual(events)

    const readOnly = stubCore(true)
    const outcome = await readOnly.run(method).catch(error => (error as StoreError).code)
    expect(outcome).toBe(effect === 'write' ? 'REFUSED' : 1)
    expect(readOnly.applied()).toBe(effect === 'write' ? 0 : 1)
    expect(readOnly.lines()).toHaveLength(events.length)
  },
)

it('refuses every write in a store that was set to read-only, and records the refusals', async () => {
  const name = `effects-${Math.random()}`
  const server = memoryServer(name)
  acquirePipeline(server, {
    tenant_id: 'acme',
    pipeline_id: 'a',
    pipeline_logging_id: 'run-1',
    locked_by: 'tests',
  })
  const { ask, folder } = openConsole()
  const address = `memory:${name}`
  const { storeId } = await ask('stores.add', { profile: profile({ address }) })
  const lock = (await ask('locks.inspect', { storeId, id: 'acme:a' }))?.lock
  const plan = await ask('plans.create', { storeIds: [storeId] })
  const held = await ask('holds.take', { storeId, key: 'acme:b', forMs: 60_000, mode: 'once', reason: 'r' })
  if (held.outcome !== 'held') throw new Error(`the hold is ${held.outcome}`)
  const { holdId } = held.hold
  await ask('stores.edit', { storeId, profile: profile({ address, readOnly: true }) })
  const before = auditLines(folder).length
  const writes = {
    'locks.release': { storeId, id: 'acme:a', fence: lock?.fence ?? '', reason: 'r' },
    'plans.apply': { planId: plan.planId, confirm: [`Orders ${plan.count}-${plan.code}`], reason: 'r' },
    'holds.take': { storeId, key: 'acme:c', forMs: 60_000, mode: 'once', reason: 'r' },
    'holds.extend': { holdId, forMs: 60_000 },
    'holds.release': { holdId },
  } as const
  expect(Object.keys(writes).sort()).toEqual(
    ALL.flatMap(([each, effect]) => (effect === 'write' ? [each] : [])).sort(),
  )
  for (const [method, input] of Object.entries(writes))
    await expect(ask(method as MethodName, input as never)).rejects.toThrow(/^REFUSED: .*read-only/)
  expect([...server.records.keys()].sort()).toEqual(['acme:a', 'acme:b'])
  const refusals = auditLines(folder).slice(before)
  expect(refusals.map(({ event }) => event)).toEqual(Object.keys(writes).flatMap(() => ['intent', 'outcome']))
})
