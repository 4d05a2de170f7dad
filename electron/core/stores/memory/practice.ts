import { randomUUID } from 'node:crypto'
import { HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import type { MemoryServer } from './server.ts'

const TICK_MS = 700

const TENANTS = ['acme1281', 'acme9999', 'globex', 'initech', 'umbrella', 'hooli']
const PIPELINES = ['gcp_billing_export', 'usage_rollup', 'crm_sync', 'ads_spend', 'lab_results', 'telemetry']
const HOLDERS = ['scheduler', 'api_user', 'worker-1', 'worker-3', 'scheduler', 'backfill']

/** Each job has its own key and its own holder. */
const JOBS = Array.from({ length: 24 }, (_, i) => ({
  key: `${TENANTS[i % 6]}:${PIPELINES[(i + Math.floor(i / 6)) % 6]}`,
  by: HOLDERS[(i * 5 + Math.floor(i / 6)) % 6] ?? '',
}))
/** Run forever, and keep extending their locks. */
const ENDLESS = JOBS.slice(0, 4)
/** Use most of a lock's hour. */
const LONG = JOBS.slice(4, 12)
const LONG_MS = 58 * MINUTE_MS
/** Start and finish quickly. */
const SHORT = JOBS.slice(12)

/** Stuck locks to practice on. Their times count from the full hour: fences stay the same between commands of one hour. */
const STUCK: readonly (readonly [key: string, run: string, by: string, ageMs: number])[] = [
  ['acme1281:nightly_close', 'run-3f1c9a7e', 'scheduler', 3 * HOUR_MS + 12 * MINUTE_MS],
  ['globex:invoice_export', 'run-77b042aa', 'ana@laptop', 2 * HOUR_MS + 31 * MINUTE_MS],
  ['initech:tps_reports', 'run-0d1f9a31', 'scheduler', 26 * HOUR_MS],
]

/** Takes, renews and releases locks as a busy system would, for as long as the process lives. */
export function startPractice(server: MemoryServer): void {
  const now = server.now()
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  for (const [key, run, by, ageMs] of STUCK) take(server, { key, by }, hour - ageMs, run)
  for (const [i, job] of ENDLESS.entries()) take(server, job, now - i * 5000)
  for (const [i, job] of LONG.entries()) take(server, job, now - (i * 7.5 + 4) * MINUTE_MS)
  for (const [i, job] of SHORT.slice(0, 5).entries()) take(server, job, now - i * 9000)
  // Unreferenced: the simulation never keeps a finished command alive.
  setInterval(() => step(server), TICK_MS).unref()
}

/** Makes exactly one change, as the lock's holder would. */
function step(server: MemoryServer): void {
  if (!server.up) return
  const now = server.now()
  const due = LONG.find(({ key }) => now - (server.holder(key)?.acquiredAt ?? 0) > LONG_MS)
  const job = due ?? pick(Math.random() < 0.6 ? ENDLESS : SHORT)
  const owner = server.holder(job.key)?.owner ?? null
  if (owner === null) take(server, job, now)
  else if (ENDLESS.includes(job)) server.extend(job.key, { owner, mark: null }, server.timeoutMs)
  else server.release(job.key, { owner, mark: null })
}

function take(
  server: MemoryServer,
  { key, by }: (typeof JOBS)[number],
  at: number,
  owner: string = randomUUID(),
) {
  server.take(key, { owner, lockedBy: by, ttlMs: null }, at)
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(Math.random() * from.length)] as T
}
