import { HOUR_MS } from '../../../../../shared/duration.ts'
import { OTHER, otherFor } from '../../types.ts'
import { decodeToken, type RedisFormat, textOf, tokenProgram } from '../format/format.ts'

const PREFIX = 'pipeline_lock:'
const KEY = /^pipeline_lock:([^:]+):(.+)$/s

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

  take: {
    prefixes: [PREFIX],
    name: { shape: /^[^:]+:./s, is: 'a tenant, a colon and a pipeline' },
    leaseMs: HOUR_MS,
    pollMs: 1000,
    encode: Buffer.from,
  },

  owns: [PREFIX],

  recognise(raw, hint) {
    if (!KEY.test(raw.keyText)) return otherFor(hint, 'its key is not pipeline_lock:{tenant}:{pipeline}')
    return textOf(raw) ? { is: 'lock', confidence: 0.9 } : OTHER
  },

  decode(raw, now) {
    const [, tenant = '', pipeline = ''] = KEY.exec(raw.keyText) ?? []
    const run = textOf(raw) ?? ''
    return decodeToken(raw, now, {
      name: `${tenant}:${pipeline}`,
      owner: run,
      fields: { tenant, pipeline, run },
      usualLeaseMs: HOUR_MS,
    })
  },

  release: tokenProgram,
}
