import type { Flows } from './stats.ts'

/**
 * The shapes in which applications' lock managers tell their statistics, by the names of the functions that return them. What
 * somebody who only looks at a store cannot know is null.
 */
export const MANAGER_SHAPES = ['getStats', 'get_active_locks', 'getMetrics'] as const
export type ManagerShape = (typeof MANAGER_SHAPES)[number]

type Active = { readonly active: number | null }

/** `getStats()` of a manager that is set to one provider. The others are what is left behind in them. */
export type ManagerStats = {
  readonly provider: string
  readonly active: number | null
  readonly redis: Active
  readonly mysql: Active
  readonly dynamodb?: Active
  readonly memory?: Active
}

/** Those managers count these two, used or not. */
const ALWAYS_COUNTED = ['redis', 'mysql']

/** `active` is null for a store that cannot be read. A kind of store that is not there has none. */
export function managerStats(
  provider: string,
  stores: readonly { readonly kind: string; readonly active: number | null }[],
): ManagerStats {
  const activeIn = (kind: string): number | null =>
    stores
      .filter(store => store.kind === kind)
      .reduce<number | null>((sum, { active }) => (sum === null || active === null ? null : sum + active), 0)
  const others = [provider, ...stores.map(({ kind }) => kind)]
  const kinds = new Set([...ALWAYS_COUNTED, ...others])
  return {
    provider: provider.toUpperCase(),
    active: activeIn(provider),
    ...Object.fromEntries([...kinds].map(kind => [kind, { active: activeIn(kind) }])),
  } as ManagerStats
}

/** One of `get_active_locks()`. `locked_at` is in seconds, as Python's clock tells them. */
export type PipelineLock = {
  readonly pipeline_logging_id: string | null
  readonly tenant_id: string | null
  readonly pipeline_id: string | null
  readonly locked_at: number | null
  readonly locked_by: string | null
}

/** A lock that is held, without anything that is secret. Times are in milliseconds. */
export type HeldLock = {
  readonly id: string
  readonly key: string
  readonly tenant: string | null
  readonly pipeline: string | null
  readonly run: string | null
  readonly by: string | null
  readonly acquiredAt: number | null
}

/** By `tenant:pipeline`, where there are such, and by the key of the lock otherwise. */
export function activeLocks(locks: Iterable<HeldLock>): Record<string, PipelineLock> {
  const active = new Map<string, PipelineLock>()
  for (const { id, key, tenant, pipeline, run, by, acquiredAt } of locks) {
    const name = tenant !== null && pipeline !== null ? `${tenant}:${pipeline}` : key
    // Two tables may have the same key, and neither is to be lost.
    active.set(active.has(name) ? id : name, {
      pipeline_logging_id: run,
      tenant_id: tenant,
      pipeline_id: pipeline,
      locked_at: acquiredAt === null ? null : acquiredAt / 1000,
      locked_by: by,
    })
  }
  return Object.fromEntries(active)
}

/** `getMetrics()` of a manager that waits for locks. */
export type ManagerMetrics = {
  readonly acquired: number | null
  readonly released: number | null
  readonly failed: number | null
  readonly totalWaitTimeMs: number | null
  readonly avgWaitTimeMs: number | null
}

/**
 * As far as it can be seen in the store. Whoever waits for a lock, or gives up, leaves no trace there. A holder that follows
 * another has acquired the lock; how the other one ended nobody saw, so that it does not count as released.
 */
export function observedMetrics(flows: Flows, observedMs: number): ManagerMetrics {
  const seen = observedMs > 0
  return {
    acquired: seen ? flows.taken + flows.passedOn : null,
    released: seen ? flows.freed : null,
    failed: null,
    totalWaitTimeMs: null,
    avgWaitTimeMs: null,
  }
}
