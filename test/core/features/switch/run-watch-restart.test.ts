import { describe, expect, it } from 'vitest'
import { checkSentence } from '../../../../shared/switch-words.ts'
import { MINUTE, SECOND, watching } from './watched-run.ts'

describe('restart', () => {
  it('waits for the renewal of a lock that was acquired within a poll of the step, and says so', () => {
    const run = watching()
    run.now += SECOND / 2
    run.reach('restart')
    expect(checkSentence('restart', run.kept, run.told)).toMatch(
      /^Nothing has been acquired in mysql:\S+ yet\.$/,
    )
    run.now += SECOND / 2
    run.new.sees('taken', 'gps')
    run.new.pass()
    const waits =
      /^1 lock is held in mysql:\S+, but may have been acquired before this step\. Lockkeeper waits for another/
    for (const step of ['restart', 'verify'] as const) {
      expect(run.is(step)).toBe('not-yet')
      expect(checkSentence(step, run.kept, run.told)).toMatch(waits)
    }
    run.goOn(MINUTE)
    expect(run.is('restart')).toBe('not-yet')
    run.new.sees('renewed', 'gps')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
  })

  it('does not count renewals of a lock that was acquired before the step was reached', () => {
    const run = watching()
    run.new.sees('taken', 'gps')
    run.goOn(SECOND)
    run.now += SECOND / 2
    run.reach('restart')
    run.goOn(MINUTE)
    run.new.sees('renewed', 'gps')
    run.new.sees('found', 'mail')
    run.goOn(SECOND)
    run.new.sees('renewed', 'mail')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['not-yet', null])
    run.new.sees('taken', 'other')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
  })

  it('does not count a renewal of such a lock in the poll in which the step was reached', () => {
    const run = watching()
    run.now += SECOND / 2
    run.reach('restart')
    run.now += SECOND / 2
    run.new.sees('taken', 'gps')
    run.new.pass(true, SECOND)
    run.now += SECOND
    // The poll before had begun before the step was reached.
    run.new.sees('renewed', 'gps')
    run.new.pass()
    expect(run.is('restart')).toBe('not-yet')
    run.goOn(SECOND)
    run.new.sees('renewed', 'gps')
    expect(run.is('restart')).toBe('met')
  })

  it('believes a record that says that a lock was acquired after the step, if polls are close together', () => {
    const recorded = (beforeMs: number, waitMs = SECOND) => {
      const run = watching()
      run.now += SECOND / 2
      run.reach('restart')
      run.now += waitMs
      run.new.sees('taken', 'gps', { acquiredAt: run.now - beforeMs, acquiredAtSource: 'stored' })
      return run.is('restart')
    }
    expect(recorded(SECOND)).toBe('met')
    expect(recorded(SECOND + 1)).toBe('not-yet')
    // Without a recent poll, the clock of a worker may be wrong by up to five seconds.
    expect(recorded(MINUTE - 4 * SECOND, MINUTE)).toBe('not-yet')
    expect(recorded(MINUTE - 5 * SECOND, MINUTE)).toBe('met')
  })
})
