import { randomUUID } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { MemoryLocks } from './memory-locks.ts'
import type { MemoryServer } from './server.ts'

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
const LONG_MS = 58 * MINUTE_MS
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
    ageMs: 3 * HOUR_MS + 12 * MINUTE_MS,
  },
  {
    tenant: 'globex',
    pipeline: 'invoice_export',
    run: 'run-77b042aa',
    by: 'ana@laptop',
    ageMs: 2 * HOUR_MS + 31 * MINUTE_MS,
  },
  { tenant: 'initech', pipeline: 'tps_reports', run: 'run-0d1f9a31', by: 'scheduler', ageMs: 26 * HOUR_MS },
]

/** Takes, renews and releases locks as a busy system would, for as long as the process lives. */
export function startPractice(server: MemoryServer): void {
  const locks = new MemoryLocks(server)
  const now = server.now()
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  for (const { run, ageMs, ...job } of STUCK) take(locks, job, run, hour - ageMs)
  for (const [i, job] of ENDLESS.entries()) take(locks, job, randomUUID(), now - i * 5000)
  for (const [i, job] of LONG.entries()) take(locks, job, randomUUID(), now - (i * 7.5 + 4) * MINUTE_MS)
  for (const [i, job] of SHORT.slice(0, 5).entries()) take(locks, job, randomUUID(), now - i * 9000)
  // Unreferenced: the simulation never keeps a finished command alive.
  setInterval(() => step(server, locks), TICK_MS).unref()
}

/** Exactly one change, by whoever has the lock. */
function step(server: MemoryServer, locks: MemoryLocks): void {
  if (!server.up) return
  const now = server.now()
  const due = LONG.find(job => now - (locks.read(keyOf(job))?.acquiredAt ?? 0) > LONG_MS)
  const job = due ?? pick(Math.random() < 0.6 ? ENDLESS : SHORT)
  const owner = locks.read(keyOf(job))?.owner ?? null
  if (owner === null) take(locks, job, randomUUID(), now)
  else if (ENDLESS.includes(job)) locks.extend(keyOf(job), { owner, mark: null }, server.timeoutMs)
  else locks.release(keyOf(job), { owner, mark: null })
}

function take(locks: MemoryLocks, job: Job, owner: string, at: number): void {
  locks.take(keyOf(job), { owner, lockedBy: job.by, ttlMs: null }, at)
}

function keyOf({ tenant, pipeline }: Job): string {
  return `${tenant}:${pipeline}`
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}
