import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import type { MemoryServer } from '../../../../electron/core/stores/memory/server.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import {
  confirmationOf,
  isExcluded,
  type PlanEntry,
  type PlanEvent,
  type PlanResult,
  type PlanSummary,
} from '../../../../shared/plans.ts'
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
    server.acquire(
      { tenant_id: 'acme', pipeline_id: name, pipeline_logging_id: run, locked_by: by },
      server.now() - ageMs,
    )
  const runOf = (name: string) =>
    (server.records.get(`acme:${name}`) as { pipeline_logging_id: string } | undefined)?.pipeline_logging_id
  const follow = (planId: string) => followPlan(c, planId)
  /** Types what has to be typed: of each store its own number. */
  const apply = async (
    { planId }: PlanSummary,
    extra: { rate?: number; reason?: string; confirm?: string[] } = {},
  ) => {
    const { known, close } = follow(planId)
    await expect.poll(() => known.entries.length === known.plan?.count).toBe(true)
    const { stores = [], exclusions = [] } = known.plan ?? {}
    close()
    const left = known.entries.filter(entry => !isExcluded(entry, exclusions))
    const confirm = stores.map((store, i) =>
      confirmationOf(store, left.filter(entry => entry.store === i).length),
    )
    return c.ask('plans.apply', { planId, confirm, reason: 'it is stuck', ...extra })
  }
  return { ...c, address, server, storeId, hold, runOf, apply, follow }
}

/** What a screen knows of a plan. */
export function followPlan(c: Pick<ReturnType<typeof openConsole>, 'client'>, planId: string) {
  const known = {
    plan: null as PlanSummary | null,
    entries: [] as PlanEntry[],
    results: new Map<number, PlanResult | null>(),
    returned: [] as number[],
    events: [] as PlanEvent['type'][],
  }
  const close = c.client.open(
    'plans.watch',
    { planId },
    event => {
      known.events.push(event.type)
      if (event.type === 'plan') known.plan = event.plan
      if (event.type === 'progress' && known.plan) known.plan = { ...known.plan, progress: event.progress }
      if (event.type === 'entries') known.entries.push(...event.entries)
      if (event.type === 'results') for (const { n, result } of event.results) known.results.set(n, result)
      if (event.type === 'returned') known.returned = event.places
    },
    () => {},
  )
  onTestFinished(close)
  /** What became of each, by its key. */
  const outcomes = () =>
    Object.fromEntries(known.entries.map(({ n, key }) => [key, known.results.get(n)?.is ?? 'pending']))
  return { known, outcomes, close, state: () => known.plan?.progress.state }
}
