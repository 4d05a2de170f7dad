import type { Client } from '../../../../shared/client.ts'
import { allKinds } from '../../../../shared/kinds.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { Lock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Flows } from '../../../../shared/stats.ts'
import { withoutToken } from '../../../core/features/audit/audited.ts'
import { isToken } from '../../../core/features/stats/named-holder.ts'
import { readStream } from '../lib/connect.ts'
import { usageError } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'

/**
 * The statistics of applications' lock managers, by the names of the functions that return them. Values that cannot be
 * observed in a store are null.
 */
export const MANAGER_SHAPES = ['getStats', 'get_active_locks', 'getMetrics'] as const
export type ManagerShape = (typeof MANAGER_SHAPES)[number]

/** Those managers count these two, used or not. */
const ALWAYS_COUNTED = ['redis', 'mysql']

/**
 * `getStats()` of a manager that is set to one provider; locks in the others are left behind. `active` is null for a store that
 * cannot be read. A kind without a store is left out.
 */
export function managerStats(
  provider: string,
  stores: readonly { readonly kind: string; readonly active: number | null }[],
) {
  const activeIn = (kind: string): number | null =>
    stores
      .filter(store => store.kind === kind)
      .reduce<number | null>((sum, { active }) => (sum === null || active === null ? null : sum + active), 0)
  const kinds = new Set([...ALWAYS_COUNTED, provider, ...stores.map(({ kind }) => kind)])
  return {
    provider: provider.toUpperCase(),
    active: activeIn(provider),
    ...Object.fromEntries([...kinds].map(kind => [kind, { active: activeIn(kind) }])),
  }
}

/** Managers default to Redis. */
export function providerFrom(env: NodeJS.ProcessEnv): string {
  const provider = env['LOCK_PROVIDER']?.trim().toLowerCase() || 'redis'
  const known = allKinds().map(({ id }) => id)
  if (!known.includes(provider)) throw usageError(`LOCK_PROVIDER must be one of ${known.join(', ')}`)
  return provider
}

/**
 * `getMetrics()` of a manager that waits for locks. Waiting and giving up leave no trace in a store. How a tenure ended is
 * unknown if the next holder followed at once, so it does not count as released.
 */
export function observedMetrics(flows: Flows, observedMs: number) {
  const isObserved = observedMs > 0
  return {
    acquired: isObserved ? flows.taken + flows.passedOn : null,
    released: isObserved ? flows.freed : null,
    failed: null,
    totalWaitTimeMs: null,
    avgWaitTimeMs: null,
  }
}

/** A lock that is held, without secrets. Times are in milliseconds. */
export type PublicLock = {
  readonly id: string
  readonly key: string
  readonly tenant: string | null
  readonly pipeline: string | null
  readonly run: string | null
  readonly by: string | null
  readonly acquiredAt: number | null
}

/** `get_active_locks()`: by `tenant:pipeline`, and by the key of other locks. `locked_at` is in seconds, as in Python. */
export function activeLocks(locks: Iterable<PublicLock>) {
  const active = new Map<string, object>()
  for (const { id, key, tenant, pipeline, run, by, acquiredAt } of locks) {
    const name = tenant !== null && pipeline !== null ? `${tenant}:${pipeline}` : key
    // Two tables may have the same key, and neither may get lost.
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

/** The active locks of a store, and why some could not be read. */
export async function readActiveLocks(io: Io, client: Client, storeId: string) {
  const held: PublicLock[] = []
  const problems: Failure[] = []
  await readStream(io, client, 'locks.list', { storeId }, event => {
    if (event.type === 'done') return
    problems.push(...event.problems)
    held.push(...event.locks.filter(lock => isHeld(lock, lock.observedAt)).map(publicLock))
  })
  return { locks: activeLocks(held), problems }
}

function publicLock(lock: Lock): PublicLock {
  const { id, key, acquiredAt, owner, holder } = lock
  const unknown = { id, key, acquiredAt, tenant: null, pipeline: null, run: null }
  if (isToken(lock)) return { ...unknown, by: withoutToken(holder, owner)?.label ?? null }
  // Held by a host, and not by a run on it.
  if (holder?.host !== undefined && holder.host === owner) return { ...unknown, by: owner }
  return {
    ...unknown,
    tenant: field(lock, 'tenant_id') ?? field(lock, 'tenant'),
    pipeline: field(lock, 'pipeline_id') ?? field(lock, 'pipeline'),
    run: owner,
    by: field(lock, 'locked_by') ?? (holder?.label === owner ? null : (holder?.label ?? null)),
  }
}

function field({ fields }: Lock, name: string): string | null {
  const value = Object.hasOwn(fields, name) ? fields[name] : null
  return typeof value === 'string' ? value : null
}
