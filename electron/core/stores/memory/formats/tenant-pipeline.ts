import { isDeepStrictEqual } from 'node:util'
import { HOUR_MS } from '../../../../../shared/duration.ts'
import { leaseFrom } from '../../lock-from.ts'
import { type Format, OTHER, type Taken } from '../../types.ts'
import { endOf, isPipelineLock, type PipelineLock } from '../format/pipeline-lock.ts'

export type MemoryRaw = { readonly key: string; readonly value: unknown; readonly timeoutMs: number }

/** Deletes the record if it is still exactly this one. */
export type MemoryProgram = { readonly key: string; readonly isStill: (value: unknown) => boolean }

export type MemoryFormat = Format<MemoryRaw, MemoryProgram>

export const tenantPipeline: Taken<MemoryFormat> = {
  info: {
    id: 'tenant-pipeline',
    store: 'memory',
    title: 'Tenant pipeline',
    writtenBy: 'in-process pipeline lock managers; the practice store',
    recognisedBy: 'a record with tenant_id, pipeline_id, pipeline_logging_id, locked_at and locked_by',
    ownerIs: 'name',
    release: 'Removes the record if the run, its start, its end and who started it are still the same.',
    notifies: null,
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  take: { prefixes: [''], leaseMs: HOUR_MS, pollMs: 5000 },

  recognise: raw => (isPipelineLock(raw.value) ? { is: 'lock', confidence: 1 } : OTHER),

  decode(raw, now) {
    const lock = raw.value as PipelineLock
    const lockedAt = lock.locked_at * 1000
    return {
      // A key without a colon has no tenant.
      name: raw.key === lock.pipeline_id ? raw.key : `${lock.tenant_id}:${lock.pipeline_id}`,
      owner: lock.pipeline_logging_id,
      holder: { label: lock.locked_by, user: lock.locked_by },
      acquiredAt: lockedAt,
      acquiredAtSource: 'stored',
      ...leaseFrom({ storedAt: endOf(lock, raw.timeoutMs) }, now),
      fields: {
        tenant_id: lock.tenant_id,
        pipeline_id: lock.pipeline_id,
        pipeline_logging_id: lock.pipeline_logging_id,
        locked_by: lock.locked_by,
        locked_at: lock.locked_at,
        ...(lock.expires_at === undefined ? {} : { expires_at: lock.expires_at }),
        ...(lock.fencing === undefined ? {} : { fencing: lock.fencing }),
      },
      seen: { exact: contents(lock) },
    }
  },

  release(raw) {
    const seen = contents(raw.value as PipelineLock)
    return {
      key: raw.key,
      isStill: value => isPipelineLock(value) && isDeepStrictEqual(contents(value), seen),
    }
  },
}

/** Named, where they may be missing, so that one can not be taken for the other. */
function contents(lock: PipelineLock): (string | number)[] {
  return [
    lock.tenant_id,
    lock.pipeline_id,
    lock.pipeline_logging_id,
    lock.locked_at,
    lock.locked_by,
    ...(lock.expires_at === undefined ? [] : ['expires_at', lock.expires_at]),
    ...(lock.fencing === undefined ? [] : ['fencing', lock.fencing]),
  ]
}
