import { HOUR_MS } from '../../../../../shared/duration.ts'
import { acquiredFromTtl, leaseFrom } from '../../lock-from.ts'
import { OTHER } from '../../types.ts'
import {
  isDistinctive,
  type RedisFormat,
  seenToken,
  textOf,
  tokenProgram,
  weakFence,
} from '../format/format.ts'

const PREFIX = 'pipeline_lock:'
const KEY = /^pipeline_lock:([^:]+):(.+)$/s
const USUAL_LEASE_MS = HOUR_MS

export const pipelineRun: RedisFormat = {
  info: {
    id: 'pipeline-run',
    store: 'redis',
    title: 'Tenant pipeline run',
    writtenBy: 'RedisLockManager of the pipeline service',
    recognisedBy: 'a string under pipeline_lock:{tenant}:{pipeline}; the value is the run that holds it',
    ownerIs: 'name',
    release: 'Deletes the key if the run shown still holds it.',
    notifies: null,
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  // A pipeline belongs to a tenant.
  take: { prefixes: [PREFIX], name: /^[^:]+:./s },

  recognise(raw, hint) {
    if (!KEY.test(raw.keyText)) {
      return hint.pinned ? { is: 'other', reason: 'its key is not pipeline_lock:{tenant}:{pipeline}' } : OTHER
    }
    return textOf(raw) ? { is: 'lock', confidence: 0.9 } : OTHER
  },

  decode(raw, now) {
    const [, tenant = '', pipeline = ''] = KEY.exec(raw.keyText) ?? []
    const run = textOf(raw) ?? ''
    const distinctive = isDistinctive(run)
    const times = leaseFrom({ ttlAt: raw.expiresAt }, now)
    const { notes, ...acquired } = acquiredFromTtl(raw.expiresAt, USUAL_LEASE_MS, now)
    return {
      name: `${tenant}:${pipeline}`,
      owner: run,
      holder: { label: run },
      ...acquired,
      ...times,
      fields: { tenant, pipeline, run },
      notes: [...times.notes, ...notes, ...(distinctive ? [] : [weakFence(raw)])],
      seen: seenToken(raw, distinctive),
    }
  },

  release: (raw, endsAt) => tokenProgram(raw, endsAt, [['DEL', raw.key]]),
}
