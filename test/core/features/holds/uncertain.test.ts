import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { AuditEntry } from '../../../../electron/core/features/audit/log.ts'
import { Holds } from '../../../../electron/core/features/holds/holds.ts'
import type { OpenStore } from '../../../../electron/core/features/stores/open-store.ts'
import { StoreWatcher } from '../../../../electron/core/features/stores/watcher.ts'
import { StoreError } from '../../../../electron/core/lib/errors.ts'
import { createMemoryProvider } from '../../../../electron/core/locks/memory/provider.ts'
import type { Provider } from '../../../../electron/core/locks/provider.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { MemoryStore } from '../../../../electron/core/stores/memory/store.ts'
import type { Input } from '../../../../shared/contract.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { MovedClock } from './holding.ts'

const signal = new AbortController().signal
const REQUEST: Input<'holds.take'> = {
  ...{ storeId: 's', key: 'acme:nightly', forMs: 600_000, mode: 'renewed', reason: 'why' },
}

type Step = 'take' | 'release' | 'release on its way'

const NO_RULES = { productionNames: [], readOnlyBy: null, from: [] }

/** Holds in a store that loses its answers to some steps, or the steps themselves. */
function losing(lost: { delete(step: Step): boolean }) {
  const clock = new MovedClock()
  const folder = dataFolder()
  const meanwhile = { happens: () => {} }
  const audited: AuditEntry[] = []
  const name = randomUUID()
  const address = { kind: 'memory', name, username: null, password: null, format: null } as const
  const inner = createMemoryProvider(address, { format: null, fencing: false })
  const after = <T>(step: Step, answer: T): T => {
    if (!lost.delete(step)) return answer
    throw new StoreError('STORE_UNREACHABLE', 'The connection was lost', { uncertain: true })
  }
  const provider: Provider = {
    ...{ kind: inner.kind, format: inner.format, defaultTtlMs: 1000, pollMs: 50, listen: null },
    keyOf: key => inner.keyOf(key),
    nameOf: key => inner.nameOf(key),
    setup: s => inner.setup(s),
    take: async (...asked) => after('take', await inner.take(...asked)),
    extend: (...asked) => inner.extend(...asked),
    release: async (...asked) => {
      after('release on its way', null)
      return after('release', await inner.release(...asked))
    },
    read: (...asked) => inner.read(...asked),
    close: async () => {},
  }
  const store = new MemoryStore(address)
  const open: OpenStore = {
    ...{
      storeId: 's',
      name: 'Orders',
      production: false,
      productionNames: [],
      listed: true,
      revision: null,
    },
    rules: async () => {
      meanwhile.happens()
      return NO_RULES
    },
    knownRules: () => NO_RULES,
    ...{ store, watcher: new StoreWatcher(store, text => text), signal, redact: text => text },
  }
  const holds = new Holds({
    dataFolder: folder,
    stores: { get: () => open, at: () => [open], isOpening: () => false, provider: async () => provider },
    audit: {
      append: async entries => void audited.push(...entries),
      record: ({ apply }) => apply(async () => {}),
    },
    ...{ attends: true, lookMs: 20, now: clock.now },
  })
  onTestFinished(() => holds.close())
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  let seen: MaintenanceHold[] = []
  const problems: (string | null)[] = []
  void (async () => {
    for await (const event of holds.watch(ending.signal)) {
      seen = event.holds
      const problem = seen[0]?.problem ?? null
      if (problem !== problems.at(-1)) problems.push(problem)
    }
  })()
  const { records } = memoryServer(name)
  return { holds, clock, folder, meanwhile, audited, problems, seen: () => seen, records }
}

it('a lock acquired with a lost answer is found to be ours', async () => {
  const { holds, seen, records } = losing(new Set(['take']))
  await expect(holds.take(REQUEST, signal, 'action-1')).rejects.toMatchObject({ uncertain: true })
  await expect.poll(seen).toMatchObject([{ state: 'held', problem: null }])
  const [hold] = seen()
  expect((await holds.release({ holdId: hold?.holdId ?? '' }, signal)).ended).toMatchObject({
    how: 'released',
  })
  expect(records.size).toBe(0)
})

it('a lock released with a lost answer is not reported as lost', async () => {
  const { holds, seen } = losing(new Set(['release']))
  const answer = await holds.take(REQUEST, signal, 'action-1')
  const holdId = answer.outcome === 'held' ? answer.hold.holdId : ''
  await expect(holds.release({ holdId }, signal)).rejects.toMatchObject({ uncertain: true })
  expect((await holds.release({ holdId }, signal)).ended).toMatchObject({ how: 'released' })
  await expect.poll(seen).toMatchObject([{ state: 'ended', ended: { how: 'released' } }])
})

it('a release with a lost answer is confirmed without another request', async () => {
  const { holds, seen } = losing(new Set(['release']))
  const answer = await holds.take(REQUEST, signal, 'action-1')
  const holdId = answer.outcome === 'held' ? answer.hold.holdId : ''
  await expect(holds.release({ holdId }, signal)).rejects.toMatchObject({ uncertain: true })
  await expect.poll(seen).toMatchObject([{ state: 'ended', ended: { how: 'released' } }])
})

it('a lock that may have been acquired is released when the wait is stopped', async () => {
  const { holds, seen, records } = losing({ delete: step => step === 'take' })
  await expect(holds.take(REQUEST, signal, 'action-1')).rejects.toMatchObject({ uncertain: true })
  expect(records.size).toBe(1)
  await expect.poll(seen).toMatchObject([{ state: 'waiting' }])
  const [hold] = seen()
  expect((await holds.release({ holdId: hold?.holdId ?? '' }, signal)).ended).toMatchObject({
    how: 'released',
  })
  expect(records.size).toBe(0)
})

it('a release that never arrived does not hide a later loss', async () => {
  const { holds, seen, records, clock, problems } = losing(new Set(['release on its way']))
  const answer = await holds.take(REQUEST, signal, 'action-1')
  const holdId = answer.outcome === 'held' ? answer.hold.holdId : ''
  await expect(holds.release({ holdId }, signal)).rejects.toMatchObject({ uncertain: true })
  await expect.poll(() => problems).toEqual([null, 'The connection was lost', null])
  expect(records.size).toBe(1)
  records.clear()
  clock.pass(30_000)
  await expect.poll(seen).toMatchObject([{ state: 'ended', ended: { how: 'lost' } }])
})

it('a lock released at the end of its time is not reported as lost with its answer', async () => {
  const { holds, seen, records, clock, audited } = losing(new Set(['release']))
  await holds.take({ ...REQUEST, forMs: 10_000 }, signal, 'action-1')
  clock.pass(10_000)
  await expect.poll(() => records.size).toBe(0)
  await expect.poll(seen).toMatchObject([{ state: 'ended', ended: { how: 'ran-out' } }])
  // However often the keeper retries.
  await expect.poll(() => audited.map(({ event }) => event)).toEqual(['acting', 'settled'])
})

it('a hold that ended during an extension is not extended', async () => {
  const { holds, seen, folder, meanwhile } = losing(new Set())
  const answer = await holds.take(REQUEST, signal, 'action-1')
  const { holdId, until } = answer.outcome === 'held' ? answer.hold : { holdId: '', until: null }
  const file = join(folder, 'holds.json')
  meanwhile.happens = () => {
    meanwhile.happens = () => {}
    const { holds: kept } = JSON.parse(readFileSync(file, 'utf8'))
    const ended = { how: 'ran-out', at: until, message: null }
    writeFileSync(file, JSON.stringify({ version: 1, holds: [{ ...kept[0], state: 'ended', ended }] }))
  }
  await expect(holds.extend({ holdId, forMs: 60_000 }, signal)).rejects.toThrow('The hold has ended')
  await expect.poll(seen).toMatchObject([{ state: 'ended', until }])
})
