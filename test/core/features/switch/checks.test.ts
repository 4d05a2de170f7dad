import { expect, it } from 'vitest'
import { CHECKS } from '../../../../electron/core/features/switch/checks.ts'
import { watching } from './watched-run.ts'

type Facts = Parameters<typeof CHECKS.verify>[0]

it('an unknown number of locks may hide a worker', () => {
  const run = watching()
  run.reach('verify')
  const counts = (held: number | null) => ({ held, holds: held, expired: held, noExpiry: held, left: held })
  const side = (held: number | null) => ({
    ...{ status: 'live', counts: counts(held), lastAcquiredAt: null, lastHeldAt: null },
    ...{ watchedSince: 0, lastPassAt: run.now, lastArrivalAt: null },
  })
  const facts = (held: number | null) =>
    ({
      ...{ run: { ...run.kept, firstArrivalInNewAt: 1 }, from: side(held), to: side(0) },
      ...{ env: null, hasOverlap: false, lastOverlapAt: null },
    }) as unknown as Facts
  for (const step of ['drain', 'verify'] as const) {
    expect([step, CHECKS[step](facts(0))]).toEqual([step, 'met'])
    expect([step, CHECKS[step](facts(null))]).toEqual([step, 'not-yet'])
  }
})
