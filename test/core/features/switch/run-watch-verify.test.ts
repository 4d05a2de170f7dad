import { describe, expect, it } from 'vitest'
import { MOST_STRAYS, SWITCH_STEPS, type SwitchStep } from '../../../../shared/switch.ts'
import { checkSentence } from '../../../../shared/switch-words.ts'
import { MINUTE, QUIET, SECOND, type WatchedRun, watching } from './watched-run.ts'

describe('a worker that still uses the old store after the restart', () => {
  /** A job that has the old provider still, and runs for a moment. */
  const runJob = (run: WatchedRun) => {
    run.old.sees('taken', 'gps', { owner: 'w1', format: 'recharge-table' })
    run.old.pass()
    run.old.sees('freed', 'gps')
  }
  const verifying = (): WatchedRun => {
    const run = watching()
    run.reach('verify')
    run.kept = { ...run.kept, firstArrivalInNewAt: run.now }
    return run
  }

  it('blocks verify however quiet the store is afterwards, and the sentence says what to do', () => {
    const run = verifying()
    run.goOn(QUIET)
    run.old.sees('taken', 'gps', { owner: 'w1', format: 'recharge-table' })
    run.old.pass()
    expect(checkSentence('verify', run.kept, run.told)).toMatch(
      /^1 lock is held in \S+ again: a worker still uses it\. k:gps was acquired in \S+ by w1 .* Stop that worker/,
    )
    run.old.sees('freed', 'gps')
    run.goOn(10 * QUIET)
    expect(run.is('verify')).toBe('not-yet')
    expect(checkSentence('verify', run.kept, run.told)).toBe(
      'k:gps was acquired in redis://old:6379/0 by w1 after the workers were started again. Quiet now does not prove that it was the last time: stop that worker and go back to "Stop the workers", or finish with a reason.',
    )
  })

  it('is settled only by stopping the workers again, not by going back to a later step', () => {
    const run = verifying()
    runJob(run)
    const passAgain = (from: SwitchStep) => {
      run.now += SECOND
      const again = SWITCH_STEPS.slice(SWITCH_STEPS.indexOf(from), SWITCH_STEPS.indexOf('verify'))
      const passed = again.map(step => ({
        ...{ step, at: run.now, by: 'ana', checked: true, reason: null, fromHeld: 0, toHeld: 0 },
      }))
      run.kept = { ...run.kept, passed: [...run.kept.passed, ...passed], firstArrivalInNewAt: run.now }
      run.goOn(QUIET)
    }
    for (const step of ['restart', 'clean', 'drain'] as const) {
      passAgain(step)
      expect([step, run.is('verify')]).toEqual([step, 'not-yet'])
    }
    passAgain('stop')
    expect(run.is('verify')).toBe('met')
  })

  it('does not include a worker seen before the restart', () => {
    const run = watching()
    run.reach('drain')
    run.now += SECOND
    runJob(run)
    run.goOn(QUIET)
    const { strays } = run.kept
    run.reach('verify')
    run.kept = { ...run.kept, strays, firstArrivalInNewAt: run.now }
    expect(strays).toHaveLength(1)
    run.goOn(QUIET)
    expect(run.is('verify')).toBe('met')
  })

  it('includes a worker that was also seen a moment before the restart', () => {
    const run = watching()
    run.reach('clean')
    runJob(run)
    run.now += SECOND
    run.kept = { ...run.kept, firstArrivalInNewAt: run.now }
    const { strays } = run.kept
    run.reach('verify')
    run.kept = { ...run.kept, strays }
    run.now += SECOND
    runJob(run)
    run.goOn(2 * QUIET)
    expect([run.kept.strays.length, run.is('verify')]).toEqual([2, 'not-yet'])
  })

  it('is kept even if the list of strays was full before the restart', () => {
    const run = watching()
    run.reach('drain')
    for (let n = 0; n < MOST_STRAYS + 5; n++) run.old.sees('taken', `job-${n}`)
    expect(run.kept.strays).toHaveLength(MOST_STRAYS)
    run.old.locks.clear()
    const { strays } = run.kept
    run.now += MINUTE
    run.reach('verify')
    run.kept = { ...run.kept, strays, firstArrivalInNewAt: run.now }
    runJob(run)
    run.goOn(2 * QUIET)
    expect([run.kept.strays.length, run.is('verify')]).toEqual([MOST_STRAYS, 'not-yet'])
  })

  it('is recognized after a gap even if the same worker was seen before the store was clean', () => {
    const run = watching()
    const before = { key: 'k:gps', holder: 'w1', at: run.now }
    run.now += MINUTE
    run.reach('verify')
    run.kept = { ...run.kept, strays: [before], firstArrivalInNewAt: run.now }
    run.now += MINUTE
    run.old.sees('found', 'gps', { owner: 'w1', format: 'recharge-table', acquiredAtSource: 'unknown' })
    expect(run.kept.strays).toEqual([before, { ...before, at: run.now }])
    run.old.sees('freed', 'gps')
    run.goOn(2 * QUIET)
    expect(run.is('verify')).toBe('not-yet')
  })

  it('is recognized by a lock found after a gap in a store that was clean', () => {
    const run = verifying()
    run.now += MINUTE
    const untold = { owner: 'w1', acquiredAt: null, acquiredAtSource: 'unknown' } as const
    // After every gap it is found again.
    for (let n = 0; n < 3; n++) {
      run.now += MINUTE
      run.old.sees('found', 'gps', untold)
      run.old.pass(false)
    }
    expect(run.kept.strays).toMatchObject([{ key: 'k:gps', at: run.now - 2 * MINUTE }])
    run.old.sees('freed', 'gps')
    run.goOn(2 * QUIET)
    expect(run.is('verify')).toBe('not-yet')
    const byHand = verifying()
    byHand.kept = { ...byHand.kept, passed: byHand.kept.passed.map(each => ({ ...each, checked: false })) }
    byHand.old.sees('found', 'gps', untold)
    expect(byHand.kept.strays).toEqual([])
  })
})

it('does not count a lock as new if the poll during which the switch went back may have missed it', () => {
  const run = watching()
  run.reach('verify')
  run.now += SECOND / 2
  const wentBack = [{ step: 'restart' as const, at: run.now, by: 'ana' }]
  run.kept = { ...run.kept, step: 'restart', wentBack, firstArrivalInNewAt: null }
  run.now += SECOND / 2
  // The poll began before the switch went back, and had read past the lock when it was acquired.
  run.new.pass(true, SECOND)
  run.now += SECOND
  run.new.sees('taken', 'gps')
  run.new.pass()
  expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['not-yet', null])
  run.goOn(SECOND)
  run.new.sees('taken', 'other')
  expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
})

describe('a name that was held in both stores', () => {
  it('after the restart blocks verify however quiet the stores are afterwards', () => {
    const run = watching()
    const passed = () => {
      const { splits } = run.kept
      run.reach('verify')
      run.kept = { ...run.kept, splits, firstArrivalInNewAt: run.now }
    }
    const splitForAWhile = () => {
      run.old.sees('found', 'gps', { owner: 'w1', format: 'recharge-table', acquiredAtSource: 'unknown' })
      run.new.sees('taken', 'gps', { owner: 'w2', format: 'recharge-table' })
      run.goOn(3 * SECOND)
      run.old.sees('freed', 'gps')
      run.goOn(SECOND)
    }
    splitForAWhile()
    passed()
    run.goOn(QUIET)
    expect([run.kept.splits.length, run.is('verify')]).toEqual([1, 'met'])
    splitForAWhile()
    run.goOn(10 * QUIET)
    expect(run.is('verify')).toBe('not-yet')
    expect(checkSentence('verify', run.kept, run.told)).toMatch(
      /^gps was held in redis:\S+ by w1 and in mysql:\S+ by w2 at once after the workers were started again/,
    )
  })
})
