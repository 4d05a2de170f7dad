import { expect, it } from 'vitest'
import { CHECKS } from '../../../../electron/core/features/switch/checks.ts'
import { QUIET, watching } from './watched-run.ts'

type Facts = Parameters<typeof CHECKS.verify>[0]
type Change = Partial<Omit<Facts, 'from'>> & { readonly from?: object }

/** A switch at its last step whose stores have been quiet for just long enough, but for `change`. */
function quiet(change: Change = {}): Facts {
  const run = watching()
  run.reach('verify')
  const counts = { held: 0, holds: 0, expired: 0, noExpiry: 0, left: 0 }
  const side = {
    ...{ status: 'live', counts, watchedSince: run.now - QUIET, lastPassAt: run.now },
    ...{ lastArrivalAt: null, lastAcquiredAt: null, lastHeldAt: null },
  }
  const facts = {
    ...{ run: { ...run.kept, firstArrivalInNewAt: run.now - QUIET }, to: side, env: null },
    ...{ hasOverlap: false, lastOverlapAt: null, ...change },
    from: { ...side, ...change.from },
  }
  return facts as unknown as Facts
}

const { now, kept } = watching()
const JUST_NOW = now - QUIET + 1
const UNKNOWN = { held: null, holds: null, expired: null, noExpiry: null, left: null }

it.each<[string, Change]>([
  ['no lock was acquired in the new store', { run: { ...kept, firstArrivalInNewAt: null } }],
  ['the first lock of the new store is too recent', { run: { ...kept, firstArrivalInNewAt: JUST_NOW } }],
  ['a name is held in both stores', { hasOverlap: true }],
  ['a name was held in both stores just now', { lastOverlapAt: JUST_NOW }],
  ['a lock was acquired in the old store just now', { from: { lastAcquiredAt: JUST_NOW } }],
  ['a lock was held in the old store just now', { from: { lastHeldAt: JUST_NOW } }],
  ['the old store was not read just now', { from: { watchedSince: JUST_NOW } }],
  ['the number of locks in the old store is unknown', { from: { counts: UNKNOWN } }],
])('verify is not met while %s', (_, change) => {
  expect(CHECKS.verify(quiet())).toBe('met')
  expect(CHECKS.verify(quiet(change))).toBe('not-yet')
})

it('drain is not met while the number of locks in the old store is unknown', () => {
  expect(CHECKS.drain(quiet())).toBe('met')
  expect(CHECKS.drain(quiet({ from: { counts: UNKNOWN } }))).toBe('not-yet')
})
