import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { LockObserver } from '../../core/locks/types.ts'
import { tenantAndPipeline } from '../../core/stores/memory/format/pipeline-lock.ts'

export type LockMetrics = {
  /** For the option of the same name of a lock manager; several may share it. */
  readonly observer: LockObserver
  readonly register: Registry
}

const LABELS = ['tenant_id', 'pipeline_id'] as const
const WAITS = [0.005, 0.05, 0.25, 1, 2.5, 5, 10, 30, 60]
const HOLDS = [0.1, 1, 5, 15, 60, 300, 900, 1800, 3600, 7200]

/** Metrics of a program's lock managers, for Prometheus. Every key is a series: not for an unlimited number of keys. */
export function lockMetrics(register: Registry = new Registry()): LockMetrics {
  const about = { labelNames: [...LABELS], registers: [register] }
  const acquisitions = new Counter({
    ...about,
    name: 'pipeline_lock_acquisitions_total',
    help: 'Attempts to acquire a lock, by result.',
    labelNames: [...LABELS, 'result'],
  })
  const active = new Gauge({
    ...about,
    name: 'pipeline_active_locks',
    help: 'Locks that this process holds.',
  })
  const held = new Histogram({
    ...about,
    name: 'pipeline_lock_duration_seconds',
    help: 'How long a lock was held.',
    buckets: HOLDS,
  })
  const waited = new Histogram({
    ...about,
    name: 'pipeline_lock_wait_time_seconds',
    help: 'How long a lock was waited for, refused attempts included.',
    buckets: WAITS,
  })
  const ended = (key: string, heldMs: number) => {
    active.dec(labelsOf(key))
    held.observe(labelsOf(key), heldMs / 1000)
  }
  const observer: LockObserver = {
    acquired(key, waitedMs) {
      acquisitions.inc({ ...labelsOf(key), result: 'success' })
      waited.observe(labelsOf(key), waitedMs / 1000)
      active.inc(labelsOf(key))
    },
    refused(key, waitedMs) {
      acquisitions.inc({ ...labelsOf(key), result: 'conflict' })
      waited.observe(labelsOf(key), waitedMs / 1000)
    },
    failed(key) {
      acquisitions.inc({ ...labelsOf(key), result: 'error' })
    },
    released(key, heldMs) {
      // Another process took it and counts it.
      if (heldMs !== null) ended(key, heldMs)
    },
    lost: ended,
  }
  return { observer, register }
}

function labelsOf(key: string): Record<(typeof LABELS)[number], string> {
  const { tenant_id: tenant, pipeline_id: pipeline } = tenantAndPipeline(key)
  return { tenant_id: tenant, pipeline_id: pipeline }
}
