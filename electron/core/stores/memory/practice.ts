import { randomUUID } from 'node:crypto'
import type { MemoryServer, PipelineLock } from './server.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const TICK_MS = 700

const TENANTS = ['acme1281', 'acme9999', 'globex', 'initech', 'umbrella', 'hooli']
const PIPELINES = ['gcp_billing_export', 'usage_rollup', 'crm_sync', 'ads_spend', 'lab_results', 'telemetry']
const HOLDERS = ['scheduler', 'api_user', 'worker-1', 'worker-3', 'scheduler', 'backfill']

type Job = { readonly tenant: string; readonly pipeline: string; readonly by: string }

/** Every job has its own key, and is always started by the same. */
const JOBS: readonly Job[] = Array.from({ length: 24 }, (_, i) => ({
  tenant: TENANTS[i % 6] ?? '',
  pipeline: PIPELINES[(i + Math.floor(i / 6)) % 6] ?? '',
  by: HOLDERS[(i * 5 + Math.floor(i / 6)) % 6] ?? '',
}))
/** Run for ever, and extend their lock all the time. */
const ENDLESS = JOBS.slice(0, 4)
/** Take most of the hour that a lock is good for. */
const LONG = JOBS.slice(4, 12)
const LONG_MS = 58 * MINUTE
/** Come and go. */
const SHORT = JOBS.slice(12)

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
  for (const { run, ageMs, ...job } of STUCK) take(server, job, run, hour - ageMs)
  for (const [i, job] of ENDLESS.entries()) take(server, job, randomUUID(), now - i * 5000)
  for (const [i, job] of LONG.entries()) take(server, job, randomUUID(), now - (i * 7.5 + 4) * MINUTE)
  for (const [i, job] of SHORT.slice(0, 5).entries()) take(server, job, randomUUID(), now - i * 9000)
  // Unreferenced: the simulation never keeps a finished command alive.
  setInterval(() => step(server), TICK_MS).unref()
}

/** Exactly one change. */
function step(server: MemoryServer): void {
  const due = LONG.find(job => (lockOf(server, job)?.locked_at ?? 0) * 1000 < server.now() - LONG_MS)
  const job = due ?? pick(Math.random() < 0.6 ? ENDLESS : SHORT)
  const lock = lockOf(server, job)
  if (!lock) take(server, job, randomUUID(), server.now())
  else if (ENDLESS.includes(job)) server.records.set(keyOf(job), { ...lock, locked_at: server.now() / 1000 })
  else server.records.delete(keyOf(job))
}

function take(server: MemoryServer, { tenant, pipeline, by }: Job, run: string, at: number): void {
  server.acquire({ tenant_id: tenant, pipeline_id: pipeline, pipeline_logging_id: run, locked_by: by }, at)
}

function lockOf(server: MemoryServer, job: Job): PipelineLock | undefined {
  return server.records.get(keyOf(job)) as PipelineLock | undefined
}

function keyOf({ tenant, pipeline }: Job): string {
  return `${tenant}:${pipeline}`
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}
