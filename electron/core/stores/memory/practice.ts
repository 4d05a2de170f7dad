import { randomUUID } from 'node:crypto'
import type { MemoryServer } from './server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const TICK_MS = 700

const TENANTS = ['acme1281', 'acme9999', 'globex', 'initech', 'umbrella', 'hooli']
const PIPELINES = ['gcp_billing_export', 'usage_rollup', 'crm_sync', 'ads_spend', 'lab_results', 'telemetry']
const TRIGGERS = ['api_user', 'scheduler', 'backfill']

/**
 * Locks that are stuck, so that there is something to practise on. Their times are counted from the full hour, which
 * gives them the same fences in the next command of the same hour.
 */
const STUCK = [
  {
    tenant: 'acme1281',
    pipeline: 'nightly_close',
    run: 'run-3f1c9a7e',
    by: 'scheduler',
    ageMs: 3 * HOUR + 12 * MINUTE,
  },
  {
    tenant: 'globex',
    pipeline: 'invoice_export',
    run: 'run-77b042aa',
    by: 'ana@laptop',
    ageMs: 2 * HOUR + 31 * MINUTE,
  },
  { tenant: 'initech', pipeline: 'tps_reports', run: 'run-0d1f9a31', by: 'scheduler', ageMs: 26 * HOUR },
]

/** Takes, renews and releases locks as a busy system would, for as long as the process lives. */
export function startPractice(server: MemoryServer): void {
  const now = server.now()
  const hour = Math.floor(now / HOUR) * HOUR
  for (const { tenant, pipeline, run, by, ageMs } of STUCK)
    take(server, tenant, pipeline, run, by, hour - ageMs)
  TENANTS.slice(0, 4).forEach((tenant, i) => {
    take(server, tenant, PIPELINES[i] ?? 'telemetry', randomUUID(), 'api_user', now - (i * 16 + 3) * MINUTE)
  })
  // Unreferenced: the simulation never keeps a finished command alive.
  setInterval(() => step(server), TICK_MS).unref()
}

function step(server: MemoryServer): void {
  const tenant = pick(TENANTS)
  const pipeline = pick(PIPELINES)
  const key = `${tenant}:${pipeline}`
  const chance = Math.random()
  if (!server.records.has(key)) take(server, tenant, pipeline, randomUUID(), pick(TRIGGERS), server.now())
  else if (chance < 0.6) server.records.delete(key)
  else server.records.set(key, { ...(server.records.get(key) as object), locked_at: server.now() / 1000 })
}

function take(
  server: MemoryServer,
  tenant: string,
  pipeline: string,
  run: string,
  by: string,
  at: number,
): void {
  server.acquire({ tenant_id: tenant, pipeline_id: pipeline, pipeline_logging_id: run, locked_by: by }, at)
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}
