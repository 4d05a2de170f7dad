import { describe, expect, it } from 'vitest'
import { forMsOf, newDraft, requestOf } from '../../../renderer/features/holds/hold-draft.ts'
import { byRowOf } from '../../../renderer/state/holds.ts'
import { holdOwner, holdsForMaintenance } from '../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../shared/holds.ts'

const MINUTE = 60_000

describe('a hold that is being filled in', () => {
  it('accepts a custom time within the limits of a hold', () => {
    const own = (text: string) => forMsOf({ howLong: 'own', own: text })
    expect([own('90m'), own('2h'), own('7d')]).toEqual([90 * MINUTE, 120 * MINUTE, 7 * 1440 * MINUTE])
    expect([own(''), own('soon'), own('5s'), own('8d'), own('-1h')]).toEqual([null, null, null, null, null])
  })

  it('waits only for a lock that is held', () => {
    const draft = newDraft({ storeId: 's', key: 'lock:a', reason: ' why ' })
    const free = requestOf(draft, { taken: false, production: false, revision: 1 })
    expect(free).toEqual({
      ...{ storeId: 's', key: 'lock:a', forMs: 30 * MINUTE, mode: 'renewed', reason: 'why', revision: 1 },
    })
    const held = requestOf(
      { ...draft, typed: 'prod' },
      { taken: true, production: true, revision: undefined },
    )
    expect(held).toMatchObject({ waitMs: 60 * MINUTE, confirm: 'prod' })
  })
})

it('marks only the rows of locks that are held', () => {
  const hold = { storeId: 's', lockId: 'lock:a', state: 'held' } as MaintenanceHold
  const others = [
    { ...hold, lockId: 'lock:b', state: 'ended' },
    { ...hold, lockId: null, state: 'waiting' },
  ] as MaintenanceHold[]
  expect([...byRowOf([hold, ...others]).values()]).toEqual([hold])
})

describe('the owner of a maintenance hold', () => {
  it('is recognized with any user and host name', () => {
    expect(holdsForMaintenance(holdOwner('ana', 'ops-1.example', 'a1b2c3d4e5f6'))).toBe('ana@ops-1.example')
    expect(holdsForMaintenance(holdOwner('uid 1000', 'hôst', 'a1b2c3d4e5f6'))).toBe('uid-1000@h-st')
  })

  it('is not any text with the same prefix', () => {
    for (const owner of [
      null,
      '',
      'lockkeeper:',
      'lockkeeper:a@b',
      'lockkeeper:a@b:zz',
      'x lockkeeper:a@b:a1b2c3',
    ])
      expect(holdsForMaintenance(owner)).toBeNull()
  })
})
