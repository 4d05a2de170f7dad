import { expect, test } from 'vitest'
import { holdersOf, openStrays, stepStates, toDrain } from '../../../renderer/features/switch/step-state.ts'
import {
  type Check,
  type PassedStep,
  SWITCH_STEPS,
  type SwitchRun,
  type SwitchStep,
} from '../../../shared/switch.ts'
import { countOf, isWorkedIn, mayBeMore, quietSince, willNotEnd } from '../../../shared/switch-steps.ts'
import { strayWarning } from '../../../shared/switch-words.ts'

const side = { storeId: 's', storeName: 's', address: 'redis://s', kind: 'redis' } as const
const passed = (step: SwitchStep, at: number, change: Partial<PassedStep> = {}): PassedStep => ({
  ...{ step, at, by: 'ana', checked: true, reason: null, fromHeld: null, toHeld: null },
  ...change,
})
const run = (step: SwitchStep, change: Partial<SwitchRun> = {}): SwitchRun => ({
  ...{
    switchId: 'sw',
    from: side,
    to: side,
    begunAt: 0,
    by: 'ana',
    step,
    passed: [],
    wentBack: [],
    quietMs: 60_000,
  },
  ...{
    envFile: null,
    envChanges: [],
    planIds: [],
    strays: [],
    splits: [],
    firstArrivalInNewAt: null,
    ended: null,
  },
  ...change,
})
const checks = (which: Partial<Record<SwitchStep, Check['is']>>) =>
  Object.fromEntries(SWITCH_STEPS.map(step => [step, { is: which[step] ?? 'not-yet', since: 0 }])) as Record<
    SwitchStep,
    Check
  >

test('a step is done by its check, passed by hand, or no longer met', () => {
  const now = run('change', {
    passed: [
      passed('understand', 1),
      passed('stop', 2),
      passed('drain', 3, { checked: false, reason: 'gone' }),
    ],
  })
  const states = stepStates(now, checks({ understand: 'met', drain: 'met' }), 5)
  expect(states.map(({ place }) => place)).toEqual([
    ...['checked', 'slipped', 'by-hand', 'current', 'to-come', 'to-come', 'to-come'],
  ])
})

test('an unreadable store undoes no step', () => {
  const now = run('drain', { passed: [passed('understand', 1), passed('stop', 2)] })
  const [, stop] = stepStates(now, checks({ stop: 'unknown' }), 5)
  expect(stop?.place).toBe('checked')
})

test('a console that has just started watching does not say that the workers run again', () => {
  const now = run('drain', { passed: [passed('understand', 1), passed('stop', 20)] })
  const placeOfStop = (each: SwitchRun, lastArrivalAt: number | null) =>
    stepStates(each, checks({ understand: 'met' }), lastArrivalAt)[1]?.place
  expect(placeOfStop(now, null)).toBe('checked')
  expect(placeOfStop(now, 19)).toBe('checked')
  expect(placeOfStop(now, 21)).toBe('slipped')
  expect(placeOfStop({ ...now, strays: [{ key: 'k', holder: null, at: 21 }] }, null)).toBe('slipped')
})

test('going back to a step counts its last pass, and the later steps are to come again', () => {
  const now = run('drain', {
    passed: [
      passed('understand', 1),
      passed('stop', 2, { checked: false }),
      passed('drain', 3),
      passed('stop', 4),
    ],
  })
  const states = stepStates(now, checks({ understand: 'met', stop: 'met', drain: 'met' }), null)
  expect(states[1]).toMatchObject({ place: 'checked', passed: { at: 4 } })
  expect(states[3]).toMatchObject({ place: 'to-come', passed: null })
})

test('a stray is reported until the workers were stopped again', () => {
  const strays = [
    { key: 'early', holder: null, at: 5 },
    { key: 'late', holder: 'worker-2', at: 15 },
    { key: 'later', holder: 'worker-2', at: 16 },
  ]
  const twice = run('drain', { strays, passed: [passed('stop', 2), passed('stop', 10)] })
  expect(openStrays(twice).map(({ key }) => key)).toEqual(['later', 'late'])
  expect(openStrays({ ...twice, step: 'stop' })).toEqual([])
  expect(openStrays(run('drain', { strays }))).toEqual([])
})

test('evidence that an answer leaves out is counted', () => {
  const strays = [{ key: 'late', holder: null, at: 15 }]
  const cut = run('drain', { strays, unlisted: { strays: 4, splits: 2 }, passed: [passed('stop', 2)] })
  expect([countOf(cut, 'strays'), countOf(cut, 'splits')]).toEqual([5, 2])
  expect(strayWarning(cut)).toMatch(/^5 locks were acquired/)
  expect(mayBeMore(cut, { strays: openStrays(cut) })).toBe(true)
  expect(mayBeMore(cut, { strays: [] })).toBe(false)
  expect(mayBeMore(run('drain', { strays }), { strays })).toBe(false)
})

test('the locks to drain are those held when the workers stopped, or more', () => {
  const now = run('drain', { passed: [passed('stop', 2, { fromHeld: 12 })] })
  expect([toDrain(now, 5), toDrain(now, 20), toDrain(now, null)]).toEqual([12, 20, 12])
  expect([toDrain(run('drain'), 5), toDrain(run('drain'), null)]).toEqual([5, null])
})

test('quiet starts at the last arrival, and never before watching started', () => {
  expect(quietSince({ lastArrivalAt: 50, watchedSince: 10 })).toBe(50)
  expect(quietSince({ lastArrivalAt: 50, watchedSince: 80 })).toBe(80)
  expect(quietSince({ lastArrivalAt: null, watchedSince: 80 })).toBe(80)
  expect(quietSince({ lastArrivalAt: 50, watchedSince: null })).toBeNull()
})

test('a maintenance hold is not a worker to stop', () => {
  const remaining = (['hold', 'renewed', 'ends', 'never-ends'] as const).map(why => ({
    ...{ lockId: why, key: why, holder: null, endsAt: null, heldSince: null, renewals: 3, why },
  }))
  expect(willNotEnd(remaining).map(({ why }) => why)).toEqual(['renewed', 'never-ends'])
  expect(isWorkedIn({ held: 2, holds: 2 })).toBe(false)
  expect(isWorkedIn({ held: 2, holds: 1 })).toBe(true)
  expect(isWorkedIn({ held: null, holds: null })).toBe(false)
})

test('a holder with several arrivals is named once', () => {
  const did = (holder: string | null, at: number) => ({ key: 'k', holder, what: 'renewed' as const, at })
  expect(holdersOf([did('b', 9), did('a', 8), did('b', 7), did(null, 6)])).toEqual(['b', 'a', null])
})
