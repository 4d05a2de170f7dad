import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SecretVault } from '../../../../electron/core/features/stores/vault.ts'
import type { MemoryServer } from '../../../../electron/core/stores/memory/server.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import type { Input } from '../../../../shared/contract.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import type { StoreProfile } from '../../../../shared/stores.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { auditLines } from '../audit/lines.ts'
import { openConsole, profile } from '../console.ts'

export const MINUTE = 60_000

/** Runs like the machine's clock, and can be advanced and stopped. */
export class MovedClock {
  #aheadMs = 0
  #stoppedAt: number | null = null
  readonly now = () => (this.#stoppedAt ?? Date.now()) + this.#aheadMs

  /** A busy machine uses up no lease any more. */
  stop(): void {
    this.#stoppedAt = Date.now()
  }

  pass(ms: number): void {
    this.#aheadMs += ms
  }
}

export type HoldingOptions = {
  readonly address?: string
  readonly folder?: string
  readonly clock?: MovedClock
  readonly profile?: Partial<StoreProfile>
  /** Keeps the password of the store, which the next console needs to open it. */
  readonly vault?: SecretVault
}

/** A console whose stores and holds share one clock that can be advanced; keepers check it all the time. */
export async function holding({
  address = aMemory(),
  folder,
  clock,
  profile: more,
  vault,
}: HoldingOptions = {}) {
  const time = clock ?? new MovedClock()
  const holdsOptions = { lookMs: 20, answerMs: 60_000, now: time.now }
  const c = openConsole(folder, {}, { holds: holdsOptions, ...(vault && { vault }) })
  await expect.poll(() => c.list()).toBeTruthy()
  const entry = () => c.list()?.stores.find(each => each.address === address)
  const added = { profile: profile({ address, ...more }), ...(vault && { password: 'correct horse' }) }
  const { storeId } = entry() ?? (await c.ask('stores.add', added))
  /** Once the store of the list is connected. */
  const connected = () =>
    expect.poll(() => entry()?.open === false || (entry()?.revision ?? 0) > 0).toBe(true)
  if (!vault) await connected()
  let holds: MaintenanceHold[] = []
  let notice: string | null = null
  c.client.open(
    'holds.watch',
    {},
    event => {
      holds = event.holds
      notice = event.notice
    },
    () => {},
  )
  const take = (key: string, input: Partial<Input<'holds.take'>> = {}) =>
    c.ask('holds.take', {
      storeId,
      key,
      forMs: 30 * MINUTE,
      mode: 'renewed',
      reason: 'the nightly export is broken',
      ...input,
    })
  const taken = async (key: string, input: Partial<Input<'holds.take'>> = {}) => {
    const answer = await take(key, input)
    if (answer.outcome === 'refused') throw new Error(`refused: ${answer.other}`)
    return answer.hold
  }
  const hold = (holdId: string) => holds.find(each => each.holdId === holdId)
  return {
    ...c,
    ...{ address, storeId, clock: time, take, taken, hold },
    holds: () => holds,
    notice: () => notice,
    /** Waits until a screen shows it. */
    until: (holdId: string, state: Partial<MaintenanceHold>) =>
      expect.poll(() => hold(holdId)).toMatchObject(state),
    audited: () => auditLines(c.folder).filter(({ method }) => String(method).startsWith('holds.')),
  }
}

export function aMemory(): string {
  return `memory:${randomUUID()}`
}

/** The server of a memory store, on a clock that can be advanced. */
export function movedServer(address: string, clock: MovedClock): MemoryServer {
  const server = memoryServer(address.slice('memory:'.length))
  Object.assign(server, { now: clock.now })
  return server
}

/** A job that acquires and releases its lock in its own way. */
export function jobAt(server: MemoryServer, key: string, run = 'run-1') {
  const [tenant = '', pipeline = ''] = key.split(':')
  return {
    start: () =>
      acquirePipeline(server, {
        tenant_id: tenant,
        pipeline_id: pipeline,
        pipeline_logging_id: run,
        locked_by: 'scheduler',
      }),
    end: () => server.remove(key),
    holder: () =>
      (server.records.get(key) as { pipeline_logging_id?: string } | undefined)?.pipeline_logging_id,
  }
}
