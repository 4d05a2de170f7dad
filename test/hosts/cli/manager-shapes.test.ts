import { describe, expect, it } from 'vitest'
import {
  activeLocks,
  managerStats,
  observedMetrics,
  type PublicLock,
} from '../../../electron/hosts/cli/stats/manager-shapes.ts'

const flows = { taken: 150, passedOn: 7, renewed: 40, freed: 148, lapsed: 2 }

const held = (more: Partial<PublicLock>): PublicLock => ({
  id: 'id',
  key: 'key',
  tenant: null,
  pipeline: null,
  run: null,
  by: null,
  acquiredAt: null,
  ...more,
})

describe('getStats', () => {
  it('has exactly the members that applications read', () => {
    expect(
      managerStats('redis', [
        { kind: 'redis', active: 2 },
        { kind: 'mysql', active: 0 },
      ]),
    ).toEqual({ provider: 'REDIS', active: 2, redis: { active: 2 }, mysql: { active: 0 } })
  })

  it('counts the provider in use, and the locks left behind in the other', () => {
    const stores = [
      { kind: 'redis', active: 1 },
      { kind: 'mysql', active: 4 },
      { kind: 'mysql', active: 5 },
    ] as const
    expect(managerStats('mysql', stores)).toEqual({
      provider: 'MYSQL',
      active: 9,
      redis: { active: 1 },
      mysql: { active: 9 },
    })
  })

  it('adds a member for a store of another kind, and for a provider of another kind', () => {
    expect(managerStats('redis', [{ kind: 'dynamodb', active: 3 }])).toEqual({
      ...{ provider: 'REDIS', active: 0 },
      ...{ redis: { active: 0 }, mysql: { active: 0 }, dynamodb: { active: 3 } },
    })
    expect(managerStats('dynamodb', [])).toMatchObject({
      provider: 'DYNAMODB',
      active: 0,
      dynamodb: { active: 0 },
    })
  })

  it('has null when one of the stores cannot be read', () => {
    const stores = [
      { kind: 'redis', active: 1 },
      { kind: 'redis', active: null },
    ] as const
    expect(managerStats('redis', stores)).toMatchObject({ active: null, redis: { active: null } })
  })
})

describe('get_active_locks', () => {
  it('has exactly the members of a pipeline lock, by tenant and pipeline, in seconds', () => {
    const lock = held({ tenant: 'acme1281', pipeline: 'gcp', run: 'abc', by: 'api_user', acquiredAt: 1500 })
    expect(activeLocks([lock])).toEqual({
      'acme1281:gcp': {
        ...{ pipeline_logging_id: 'abc', tenant_id: 'acme1281', pipeline_id: 'gcp' },
        ...{ locked_at: 1.5, locked_by: 'api_user' },
      },
    })
  })

  it('keeps both of two locks with one key, and keys that are special to JavaScript', () => {
    const all = [
      held({ id: 'a/1', key: 'same' }),
      held({ id: 'b/1', key: 'same' }),
      held({ key: '__proto__' }),
    ]
    expect(Object.keys(activeLocks(all))).toEqual(['same', 'b/1', '__proto__'])
  })
})

describe('getMetrics', () => {
  it('counts observed flows, and has null for figures that a store does not show', () => {
    expect(observedMetrics(flows, 60_000)).toEqual({
      ...{ acquired: 157, released: 148 },
      ...{ failed: null, totalWaitTimeMs: null, avgWaitTimeMs: null },
    })
  })

  it('has null, not zero, for an unobserved time', () => {
    expect(observedMetrics(flows, 0)).toMatchObject({ acquired: null, released: null })
  })
})
