import { describe, expect, it } from 'vitest'
import { holdOwner } from '../../../../shared/hold-words.ts'
import { checkSentence, remainingSentence } from '../../../../shared/switch-words.ts'
import { MINUTE, QUIET, SECOND, type WatchedRun, watching } from './watched-run.ts'

describe('a maintenance hold in the old store', () => {
  const OWNER = holdOwner('ana', 'desk', '0a1b2c3d4e5f')
  const renew = (run: WatchedRun, ms: number) => {
    for (const end = run.now + ms; run.now < end; ) {
      run.goOn(10 * SECOND)
      run.old.sees('renewed', 'gps', { owner: OWNER, endsAt: run.now + MINUTE, renewals: 3 })
      run.old.pass()
    }
  }

  it('is not a worker to stop, however often a console renews it', () => {
    const run = watching()
    run.old.sees('taken', 'gps', { owner: OWNER })
    renew(run, QUIET)
    expect(run.is('stop')).toBe('met')
    expect(run.told).toMatchObject({ arrivals: [], lastArrivalAt: null })
    expect(checkSentence('stop', run.kept, run.told)).toContain('maintenance holds aside')
  })

  it('is named with its operator, lets drain pass, and must be released before clean', () => {
    const run = watching()
    run.old.sees('found', 'gps', { owner: OWNER, format: 'recharge-json' })
    run.old.sees('found', 'sms', { owner: 'w1', endsAt: run.now + MINUTE })
    renew(run, QUIET)
    expect(run.is('drain')).toBe('not-yet')
    expect(run.told.from).toMatchObject({ held: 2, holds: 1 })
    expect(checkSentence('drain', run.kept, run.told)).toMatch(
      /^1 lock is held in \S+ besides 1 maintenance hold; the last one ends in 30 s\.$/,
    )
    run.old.sees('freed', 'sms')
    renew(run, SECOND)
    expect([run.is('drain'), run.is('clean')]).toEqual(['met', 'not-yet'])
    expect(run.told.remaining).toMatchObject([
      { key: 'k:gps', why: 'hold', holder: 'maintenance hold of ana@desk' },
    ])
    const [hold] = run.told.remaining
    expect(hold && remainingSentence(hold, run.now)).toBe(
      'k:gps is a maintenance hold of ana@desk: no worker has it. Release it before the old store is cleaned.',
    )
    expect(checkSentence('drain', run.kept, run.told)).toMatch(
      /^No worker holds a lock in \S+\. 1 maintenance hold is left there, and has to be released before it is clean\.$/,
    )
    expect(checkSentence('clean', run.kept, run.told)).toMatch(
      /a maintenance hold that has to be released\.$/,
    )
  })

  it('that stays until the end does not look like a worker in the old store', () => {
    const run = watching()
    run.old.sees('found', 'gps', { owner: OWNER })
    run.reach('verify')
    run.kept = { ...run.kept, firstArrivalInNewAt: run.now }
    renew(run, QUIET)
    expect(run.is('verify')).toBe('met')
  })
})
