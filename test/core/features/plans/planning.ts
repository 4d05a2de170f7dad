import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { MemoryServer } from '../../../../electron/core/stores/memory/server.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { PlanState } from '../../../../shared/plan-state.ts'
import { confirmationsOf, type PlanEvent, type PlanSummary } from '../../../../shared/plans.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { openConsole, profile } from '../console.ts'

export const MINUTE = 60_000

/** A console with one memory store of its own, and jobs that hold locks in it. */
export async function planning(more: Parameters<typeof openConsole>[2] = {}, folder?: string) {
  const address = `memory:${randomUUID()}`
  return planningOn(address, memoryServer(address.slice('memory:'.length)), more, folder)
}

export async function planningOn(
  address: string,
  server: MemoryServer,
  more: Parameters<typeof openConsole>[2] = {},
  folder?: string,
) {
  const c = openConsole(folder, {}, { plans: { comeBackMs: 20 }, ...more })
  const { storeId } = await c.ask('stores.add', { profile: profile({ address }) })
  const hold = (name: string, run = `run-${name}`, ageMs = 5 * MINUTE, by = 'scheduler') =>
    acquirePipeline(
      server,
      { tenant_id: 'acme', pipeline_id: name, pipeline_logging_id: run, locked_by: by },
      server.now() - ageMs,
    )
  const runOf = (name: string) =>
    (server.records.get(`acme:${name}`) as { pipeline_logging_id: string } | undefined)?.pipeline_logging_id
  const follow = (planId: string) => followPlan(c, planId)
  /** Confirms each store with its own number of locks. */
  const apply = async (
    { planId }: PlanSummary,
    extra: { rate?: number; reason?: string; confirm?: string[] } = {},
  ) => {
    const { known, close } = follow(planId)
    await expect.poll(() => known.loaded).toBe(true)
    close()
    const counts = known.countsByStore()
    const confirm = known.plan ? confirmationsOf(known.plan, counts) : []
    return c.ask('plans.apply', { planId, confirm, reason: 'it is stuck', ...extra })
  }
  return { ...c, address, server, storeId, hold, runOf, apply, follow }
}

type Console = Pick<ReturnType<typeof openConsole>, 'ask'>

/** Makes a console accept the plans of another one. */
export async function trust(here: Console, there: Console, name = 'ana'): Promise<void> {
  const { own } = await there.ask('keys.list', {})
  await here.ask('keys.trust', { name, key: own ?? '' })
}

/** A plan as a screen sees it. */
export function followPlan(c: Pick<ReturnType<typeof openConsole>, 'client'>, planId: string) {
  const known = Object.assign(new PlanState(), { events: [] as PlanEvent['type'][] })
  const close = c.client.open(
    'plans.watch',
    { planId },
    event => {
      known.events.push(event.type)
      known.apply(event)
    },
    () => {},
  )
  onTestFinished(close)
  /** The result of each lock, by its key. */
  const outcomes = () =>
    Object.fromEntries(known.entries.map(({ n, key }) => [key, known.results.get(n)?.is ?? 'pending']))
  return { known, outcomes, close, state: () => known.plan?.progress.state }
}
