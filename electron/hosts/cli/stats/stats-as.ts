import type { Client } from '../../../../shared/client.ts'
import { allKinds } from '../../../../shared/kinds.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { ListEvent, Lock } from '../../../../shared/locks.ts'
import {
  activeLocks,
  type HeldLock,
  type ManagerMetrics,
  type ManagerStats,
  managerStats,
  observedMetrics,
  type PipelineLock,
} from '../../../../shared/manager-stats.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Stats } from '../../../../shared/stats.ts'
import { withoutToken } from '../../../core/features/audit/audited.ts'
import { isToken } from '../../../core/features/stats/named-holder.ts'
import { CliError, usageError } from '../lib/exit.ts'

/** What lock managers call their statistics, made of what is seen from outside. */

export function asGetStats(stats: Stats, provider: string): ManagerStats {
  return managerStats(
    provider,
    stats.stores.map(({ kind, active, error }) => ({ kind, active: error === null ? active : null })),
  )
}

export function asGetMetrics({ overall }: Stats): ManagerMetrics {
  return observedMetrics(overall.flows, overall.observedMs)
}

/** As the managers read it: Redis when nothing is said. */
export function providerFrom(env: NodeJS.ProcessEnv): string {
  const said = env['LOCK_PROVIDER']?.trim().toLowerCase() || 'redis'
  const known = allKinds().map(({ id }) => id)
  if (!known.includes(said)) throw usageError(`LOCK_PROVIDER must be one of ${known.join(', ')}`)
  return said
}

/** Also why some of it could not be read, if so. */
export async function asGetActiveLocks(
  client: Client,
  storeId: string,
): Promise<{ locks: Record<string, PipelineLock>; problems: readonly Failure[] }> {
  const held: HeldLock[] = []
  const problems: Failure[] = []
  await new Promise<void>((resolve, reject) => {
    const take = (event: ListEvent) => {
      if (event.type === 'done') return
      problems.push(...event.problems)
      for (const lock of event.locks) if (isHeld(lock, lock.observedAt)) held.push(heldLock(lock))
    }
    const end = (error: Failure | null) => (error === null ? resolve() : reject(new CliError(error)))
    client.open('locks.list', { storeId }, take, result => end(result.ok ? null : result.error))
  })
  return { locks: activeLocks(held), problems }
}

function heldLock(lock: Lock): HeldLock {
  const { id, key, acquiredAt, owner, holder } = lock
  const nothing = { tenant: null, pipeline: null, run: null }
  if (isToken(lock))
    return { id, key, acquiredAt, ...nothing, by: withoutToken(holder, owner)?.label ?? null }
  // A lock that is held by a host, and not by a run of something on it.
  if (holder?.host !== undefined && holder.host === owner)
    return { id, key, acquiredAt, ...nothing, by: owner }
  return {
    ...{ id, key, acquiredAt },
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
