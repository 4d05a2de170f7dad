import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { holdOwner } from '../../../../shared/hold-words.ts'
import { SWITCH_STEPS } from '../../../../shared/switch.ts'
import { checkSentence, overlapWarning, strayWarning } from '../../../../shared/switch-words.ts'
import { envFile } from './switching.ts'
import { MINUTE, QUIET, SECOND, WatchedRun, watching } from './watched-run.ts'

describe('understand', () => {
  it('waits until both stores can be read', () => {
    const run = new WatchedRun()
    expect(run.is('understand')).toBe('not-yet')
    run.old.pass()
    expect(run.is('understand')).toBe('not-yet')
    run.new.pass()
    expect(run.is('understand')).toBe('met')
    run.new.fail('partial')
    expect(run.is('understand')).toBe('not-yet')
  })

  it('leaves the checks of a store that is not open unknown', () => {
    const run = watching()
    run.old.isOpen = false
    run.watch.tend('closely')
    for (const step of SWITCH_STEPS.filter(step => step !== 'restart')) expect(run.is(step)).toBe('unknown')
    expect(run.told.from).toMatchObject({ status: 'closed', held: null, server: null })
    run.old.isOpen = true
    run.watch.tend('closely')
    run.goOn(SECOND)
    expect(run.is('understand')).toBe('met')
  })
})

describe('stop', () => {
  it('is met when nothing was acquired or renewed for the quiet time', () => {
    const run = watching()
    run.goOn(QUIET - SECOND)
    expect(run.is('stop')).toBe('not-yet')
    run.goOn(SECOND)
    expect(run.is('stop')).toBe('met')
    for (const what of ['taken', 'renewed', 'passed-on'] as const) {
      run.old.sees(what, 'gps')
      expect(run.is('stop')).toBe('not-yet')
      run.goOn(QUIET)
      expect(run.is('stop')).toBe('met')
    }
    expect(run.told.arrivals.map(({ what }) => what)).toEqual(['acquired', 'renewed', 'acquired'])
  })

  it('ignores locks that end, and everything in the new store', () => {
    const run = watching()
    run.old.sees('found', 'gps')
    run.goOn(QUIET)
    run.old.sees('freed', 'gps')
    run.new.sees('taken', 'gps')
    expect(run.is('stop')).toBe('met')
  })

  it('does not count time in which the store could not be read as quiet', () => {
    const run = watching()
    run.goOn(QUIET)
    run.old.fail()
    expect(run.is('stop')).toBe('unknown')
    expect(run.told.watchedSince).toBeNull()
    run.goOn(SECOND)
    expect(run.is('stop')).toBe('not-yet')
    run.goOn(QUIET - SECOND)
    expect(run.is('stop')).toBe('not-yet')
    run.goOn(SECOND)
    expect(run.is('stop')).toBe('met')
  })

  it('starts the quiet time again after sleep, a clock that was set back, or a broken poll', () => {
    const run = watching()
    run.goOn(QUIET)
    run.now += 5 * MINUTE
    run.goOn(SECOND)
    expect(run.is('stop')).toBe('not-yet')
    run.goOn(QUIET)
    expect(run.is('stop')).toBe('met')
    run.now -= MINUTE
    run.goOn(SECOND)
    expect(run.is('stop')).toBe('not-yet')
    run.goOn(QUIET)
    run.old.pass(false)
    expect(run.is('stop')).toBe('not-yet')
  })

  it('does not count time without a poll as quiet', () => {
    const run = watching()
    run.now += QUIET
    expect(run.is('stop')).toBe('not-yet')
  })
})

describe('drain', () => {
  it('names every holder, and why its lock will not end', () => {
    const run = watching()
    run.old.sees('found', 'soon', { endsAt: run.now + MINUTE })
    run.old.sees('found', 'late', { endsAt: run.now + 11 * MINUTE })
    run.old.sees('found', 'endless', { lease: { kind: 'never' } })
    run.old.sees('found', 'kept', { endsAt: run.now + MINUTE, renewals: 3 })
    run.old.sees('found', 'left', { endsAt: run.now - 1 })
    run.old.pass()
    expect(run.is('drain')).toBe('not-yet')
    expect(run.told.remaining.map(({ key, why, renewals }) => [key, why, renewals])).toEqual([
      ['k:endless', 'never-ends', 0],
      ['k:kept', 'renewed', 3],
      ['k:late', 'far-away', 0],
      ['k:soon', 'ends', 0],
    ])
    expect(run.told.from).toMatchObject({ held: 4, expired: 1, noExpiry: 1 })
    for (const name of ['soon', 'late', 'endless', 'kept']) run.old.sees('freed', name)
    run.old.pass()
    expect(run.is('drain')).toBe('met')
    expect(run.is('clean')).toBe('not-yet')
    run.old.sees('freed', 'left')
    run.old.pass()
    expect(run.is('clean')).toBe('met')
  })

  it('expects the lock of a holder that stopped renewing to end', () => {
    const run = watching()
    run.old.sees('renewed', 'kept', { endsAt: run.now + 4 * MINUTE, renewals: 9 })
    run.goOn(SECOND)
    expect(run.told.remaining).toMatchObject([{ why: 'renewed' }])
    run.goOn(2 * MINUTE)
    expect(run.told.remaining).toMatchObject([{ why: 'ends' }])
  })

  it('is not met while a worker takes locks too briefly for a poll to see them held', () => {
    const run = watching()
    run.goOn(QUIET)
    expect(run.is('drain')).toBe('met')
    run.old.sees('taken', 'gps')
    run.old.sees('freed', 'gps')
    run.old.pass()
    expect(run.is('drain')).toBe('not-yet')
    run.goOn(QUIET)
    expect(run.is('drain')).toBe('met')
  })
})

describe('drain, with more locks than are listed', () => {
  it('does not take the listed locks for all that will not end', () => {
    const run = watching()
    for (let n = 0; n < 1200; n++) run.old.sees('found', `job-${n}`)
    run.goOn(SECOND)
    expect(run.told.remaining).toHaveLength(200)
    expect(checkSentence('drain', run.kept, run.told)).toContain(
      '1,200 locks are held in redis://old:6379/0; at least 200 of them will not end soon',
    )
  })
})

describe('drain, when the clock of a holder is behind', () => {
  it('waits for a lock that its record calls over while the server still refuses the name', () => {
    const run = watching()
    const ttl = { at: run.now + 5 * MINUTE, source: 'ttl' as const }
    const stored = { at: run.now - MINUTE, source: 'stored' as const }
    run.old.sees('found', 'gps', { endsAt: stored.at, deadlines: [stored, ttl] })
    run.goOn(QUIET)
    expect(run.is('drain')).toBe('not-yet')
    expect(run.told.from).toMatchObject({ held: 1, expired: 0 })
    expect(run.told.remaining).toMatchObject([{ key: 'k:gps', endsAt: ttl.at, why: 'ends' }])
    run.goOn(5 * MINUTE)
    expect(run.is('drain')).toBe('met')
  })
})

describe('change', () => {
  it('follows the file and its problems', async () => {
    const file = envFile('LOCK_PROVIDER=redis\n')
    const run = watching()
    await run.watch.readEnv()
    expect([run.is('change'), run.told.env]).toEqual(['unknown', null])
    run.kept = { ...run.kept, envFile: file }
    await run.watch.readEnv()
    expect([run.is('change'), run.told.env]).toEqual(['not-yet', { value: 'redis', problem: null }])
    writeFileSync(file, 'LOCK_PROVIDER=mysql # new\n')
    await run.watch.readEnv()
    expect(run.is('change')).toBe('met')
    writeFileSync(file, 'LOCK_PROVIDER="mysql\n')
    await run.watch.readEnv()
    expect([run.is('change'), run.told.env?.problem]).toEqual(['unknown', expect.stringContaining('Line 1')])
  })
})

describe('what is acquired in the old store after its workers counted as stopped', () => {
  it('is kept by name, turns the checks back, and is reported at every step', () => {
    const run = watching()
    run.goOn(QUIET)
    run.old.sees('taken', 'before')
    run.reach('clean')
    expect(strayWarning(run.kept)).toBeNull()
    run.now += SECOND
    run.old.sees('renewed', 'before')
    expect(run.kept.strays).toEqual([])
    run.old.sees('taken', 'gps')
    expect(run.kept.strays).toMatchObject([{ key: 'k:gps', at: run.now }])
    expect([run.is('stop'), run.is('drain')]).toEqual(['not-yet', 'not-yet'])
    expect(strayWarning(run.kept)).toContain('1 lock was acquired')
    run.reach('drain')
    run.kept = { ...run.kept, step: 'stop' }
    run.old.sees('taken', 'other')
    expect(run.kept.strays).toHaveLength(1)
  })

  it('is also found by its record after a gap in watching', () => {
    const run = watching()
    run.reach('change')
    run.now += 10 * MINUTE
    run.old.sees('found', 'old', { acquiredAt: run.now - 20 * MINUTE, acquiredAtSource: 'stored' })
    run.old.sees('found', 'untold', { acquiredAt: null, acquiredAtSource: 'unknown' })
    run.old.sees('found', 'guess', { acquiredAt: run.now - MINUTE, acquiredAtSource: 'ttl' })
    expect(run.kept.strays).toEqual([])
    run.old.sees('found', 'gps', { acquiredAt: run.now - MINUTE, acquiredAtSource: 'stored' })
    expect(run.kept.strays).toMatchObject([{ key: 'k:gps', at: run.now - MINUTE }])
  })
})

describe('restart and verify', () => {
  it('require a lock that was acquired in the new store after the step was reached', () => {
    const run = watching()
    run.new.sees('taken', 'early')
    run.now += SECOND / 2
    run.reach('restart')
    expect(run.is('restart')).toBe('not-yet')
    run.now += SECOND
    run.new.sees('renewed', 'early')
    run.new.sees('found', 'earlier', { acquiredAt: run.now - MINUTE, acquiredAtSource: 'stored' })
    run.new.sees('found', 'ahead', { acquiredAt: run.now, acquiredAtSource: 'stored' })
    expect(run.is('restart')).toBe('not-yet')
    run.goOn(SECOND)
    run.new.sees('taken', 'gps')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
    run.goOn(QUIET - SECOND)
    expect(run.is('verify')).toBe('not-yet')
    run.goOn(SECOND)
    expect(run.is('verify')).toBe('met')
  })

  it('do not count a maintenance hold as a worker or as a second run of a job', () => {
    const run = watching()
    run.reach('restart')
    run.now += SECOND
    run.old.sees('taken', 'gps', { owner: holdOwner('ana', 'desk', '0a1b2c3d4e5f') })
    run.new.sees('taken', 'gps', { owner: holdOwner('ana', 'desk', '5f4e3d2c1b0a') })
    run.goOn(SECOND)
    expect(run.is('restart')).toBe('not-yet')
    expect(run.kept).toMatchObject({ strays: [], splits: [] })
    expect(run.told.from.held).toBe(1)
  })

  it('accept the record of a lock as proof after a gap in watching', () => {
    const run = watching()
    run.reach('restart')
    run.now += MINUTE
    run.new.sees('found', 'gps', { acquiredAt: run.now - 20 * SECOND, acquiredAtSource: 'stored' })
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now - 20 * SECOND])
  })

  it('require a new lock after going back', () => {
    const run = watching()
    run.reach('verify')
    run.now += SECOND
    run.new.sees('taken', 'gps')
    expect(run.is('restart')).toBe('met')
    run.now += SECOND
    // Another console has seen one before it read that this one went back, and keeps it afterwards.
    run.pending = []
    run.kept = { ...run.kept, firstArrivalInNewAt: null }
    run.new.sees('taken', 'late')
    run.now += SECOND
    run.kept = { ...run.kept, step: 'restart', wentBack: [{ step: 'restart', at: run.now, by: 'ana' }] }
    for (const how of run.pending) run.kept = how(run.kept)
    run.pending = null
    expect(run.is('restart')).toBe('not-yet')
    run.goOn(SECOND)
    run.new.sees('taken', 'other')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
  })

  it('do not count a lock that may have been acquired before the switch went back', () => {
    const run = watching()
    run.reach('verify')
    run.now += SECOND / 2
    // Acquired now, and polled for the first time after the switch went back.
    const wentBack = [{ step: 'restart' as const, at: run.now, by: 'ana' }]
    run.kept = { ...run.kept, step: 'restart', wentBack, firstArrivalInNewAt: null }
    run.now += SECOND / 2
    run.new.sees('taken', 'gps')
    run.new.pass()
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['not-yet', null])
    run.goOn(SECOND)
    run.new.sees('taken', 'other')
    expect([run.is('restart'), run.told.firstArrivalInNewAt]).toEqual(['met', run.now])
  })

  it('count such a lock if its record says that it was acquired after the step was reached', () => {
    const run = watching()
    run.now += SECOND
    run.reach('restart')
    run.now += 10 * SECOND
    run.new.sees('taken', 'gps', { acquiredAt: run.now - 2 * SECOND, acquiredAtSource: 'stored' })
    expect(run.is('restart')).toBe('met')
  })

  it('require both stores to be quiet and live for the whole quiet time', () => {
    const run = watching()
    run.reach('verify')
    run.kept = { ...run.kept, firstArrivalInNewAt: run.now }
    run.goOn(QUIET - SECOND)
    expect(run.is('verify')).toBe('not-yet')
    run.goOn(SECOND)
    expect(run.is('verify')).toBe('met')
    run.new.fail()
    expect(run.is('verify')).toBe('unknown')
  })
})

describe('a name that is held in both stores', () => {
  it('is reported while it lasts, and kept with its times', () => {
    const run = watching()
    run.reach('verify')
    run.kept = { ...run.kept, firstArrivalInNewAt: run.now }
    run.old.sees('found', 'gps', { owner: 'w1' })
    run.new.sees('taken', 'gps', { owner: 'w2' })
    run.goOn(SECOND)
    const since = run.now
    expect(run.told.splits).toMatchObject([
      { name: 'gps', fromKey: 'k:gps', toKey: 'k:gps', since, until: null },
    ])
    expect(overlapWarning(run.kept, run.told)).toContain('gps: held in')
    run.goOn(3 * SECOND)
    expect(run.kept.splits).toHaveLength(1)
    // While one of them cannot be read, nobody knows that it is over.
    run.new.fail()
    run.old.sees('freed', 'gps')
    run.old.pass()
    expect(run.told.splits).toHaveLength(1)
    run.goOn(SECOND)
    expect(run.told.splits).toEqual([])
    expect(run.kept.splits).toMatchObject([{ since, until: run.now }])
  })

  it('is reported while only the clock of a holder says that the lock is over', () => {
    const run = watching()
    const ttl = { at: run.now + 5 * MINUTE, source: 'ttl' as const }
    const stored = { at: run.now - MINUTE, source: 'stored' as const }
    run.old.sees('found', 'gps', { owner: 'w1', endsAt: stored.at, deadlines: [stored, ttl] })
    run.new.sees('taken', 'gps', { owner: 'w2' })
    run.goOn(SECOND)
    expect(run.told.splits).toMatchObject([{ name: 'gps', until: null }])
    run.goOn(5 * MINUTE)
    expect(run.told.splits).toEqual([])
  })

  it('is not reported if one holder took it in both stores on purpose', () => {
    const run = watching()
    for (const store of [run.old, run.new]) store.sees('found', 'gps', { owner: 'w1', format: 'token' })
    run.goOn(SECOND)
    expect(run.told.splits).toEqual([])
  })
})

it('polls both stores fast while a screen follows, and slowly otherwise', () => {
  const run = new WatchedRun()
  run.watch.tend('closely')
  expect([run.old.restMs, run.new.restMs]).toEqual([1000, 1000])
  run.watch.tend('slowly')
  expect([run.old.restMs, run.new.restMs]).toEqual([5000, 5000])
  run.watch.tend('not')
  expect([run.old.restMs, run.new.restMs]).toEqual([null, null])
})

it('every check has a complete sentence for each of its states', () => {
  const hostile = '\u001b[2J\u202e<script>'
  const runs = [new WatchedRun(), watching(), watching({ quietMs: 1000 })]
  runs[1]?.old.sees('taken', hostile, { owner: hostile })
  runs[1]?.old.pass()
  runs[2]?.goOn(5 * SECOND)
  for (const run of runs)
    for (const step of SWITCH_STEPS) {
      const sentence = checkSentence(step, run.kept, run.told)
      expect(sentence).toMatch(/^\S.*\.$/)
      expect(sentence).not.toMatch(/null|undefined|NaN|Infinity/)
      expect(sentence).not.toContain('\u001b')
    }
})
