import { describe, expect, it, vi } from 'vitest'
import { LeaseClock } from '../../../../electron/core/locks/dynamodb/lease-clock.ts'
import { freshTables, never, now, open, put, request, taken, through } from './place.ts'

const MINUTE = 60_000
const HOUR = 3_600_000

freshTables()

describe('a clock that is wrong', () => {
  it.each([-HOUR, HOUR])('a local clock that is %i ms off makes no difference', async wrongMs => {
    await put('held', now() + 600)
    await put('gone', now() - 600)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs })
    const provider = open()
    expect(await provider.take('held', request('ours'), never)).toMatchObject({ is: 'held' })
    const lock = await taken(provider, 'gone')
    vi.useRealTimers()
    expect(Math.abs(lock.expiresAt - MINUTE - Date.now())).toBeLessThan(MINUTE)
  })

  it.each([-HOUR, HOUR])('is set by %i ms while a program runs, without a difference', async wrongMs => {
    const provider = open()
    const { mark } = await taken(provider, 'ours')
    await put('held', now() + 600)
    await put('gone', now() - 600)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + wrongMs })
    expect(await provider.read('held', never)).not.toBeNull()
    expect(await provider.take('held', request('ours'), never)).toMatchObject({ is: 'held' })
    expect(await provider.extend('ours', { owner: 'ours', mark }, MINUTE, never)).toMatchObject({
      is: 'extended',
    })
    const lock = await taken(provider, 'gone')
    vi.useRealTimers()
    expect(Math.abs(lock.expiresAt - MINUTE - Date.now())).toBeLessThan(MINUTE)
  })

  it('of the store is the one that counts', async () => {
    await put('A', now() + 600)
    const provider = await through(() => ({ shiftClockMs: HOUR }))
    expect(await provider.read('A', never)).toBeNull()
    const lock = await taken(provider, 'A')
    expect(lock.expiresAt).toBeGreaterThan(Date.now() + HOUR)
  })

  it('is read before the first acquisition, and not again', async () => {
    const asked: string[] = []
    const provider = await through(operation => {
      asked.push(operation)
      return 'pass'
    })
    await taken(provider, 'A')
    await taken(provider, 'B')
    expect(asked).toEqual(['GetItem', 'PutItem', 'PutItem'])
  })

  it('is asked for again after ours was set, and when too much time has passed', () => {
    const clock = new LeaseClock()
    expect(clock.isFresh).toBe(false)
    expect(() => clock.time()).toThrow(expect.objectContaining({ code: 'STORE_ERROR' }))
    const here = clock.localNow()
    clock.observe(5_000_000, here, here, 1000)
    expect(clock.isFresh).toBe(true)
    const { earliest, latest } = clock.time()
    expect(earliest).toBeLessThanOrEqual(5_000_000 + clock.localNow() - here)
    expect(latest).toBeGreaterThanOrEqual(5_001_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    expect(clock.isFresh).toBe(false)
    vi.useRealTimers()
    // Two hours ago: two clocks may be seconds apart by now.
    const aged = new LeaseClock()
    aged.observe(5_000_000, here - 2 * HOUR, here - 2 * HOUR, 1000)
    expect(aged.isFresh).toBe(false)
  })

  it('is not mixed with readings from before a sleep of less than a second', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const clock = new LeaseClock()
    const here = clock.localNow()
    // The store's second has just begun: its time is known to a tenth of one.
    clock.observe(5_000_000, here, here, 1000)
    clock.observe(5_000_000, here + 900, here + 900, 1000)
    vi.setSystemTime(Date.now() + 850)
    expect(clock.isFresh).toBe(false)
    clock.noticeJump()
    clock.observe(5_001_000, here + 900, here + 900, 1000)
    // Within this second, and not at the beginning of it, as it was before.
    const { earliest, latest } = clock.time()
    expect(latest - earliest).toBeGreaterThanOrEqual(1000)
    // What was asked before a jump and answered after it says nothing.
    vi.setSystemTime(Date.now() + 5000)
    clock.observe(5_002_000, here + 900, here + 900, 1000)
    expect(clock.known).toBe(false)
  })
})

describe('an emulator that sends no Date header, as DynamoDB Local', () => {
  it('grants, renews and releases locks by the local clock', async () => {
    const provider = await through(() => 'no-date')
    const asked = Date.now()
    const { mark, expiresAt } = await taken(provider, 'A')
    expect(expiresAt).toBeGreaterThanOrEqual(asked + MINUTE)
    expect(await provider.take('A', request('other'), never)).toMatchObject({ is: 'held' })
    expect(await provider.read('A', never)).toMatchObject({ owner: 'ours' })
    const proof = { owner: 'ours', mark }
    expect(await provider.extend('A', proof, MINUTE, never)).toMatchObject({ is: 'extended' })
    expect(await provider.release('A', proof, never)).toEqual({ is: 'released' })
    expect(await provider.read('A', never)).toBeNull()
  })

  it('warns once that locks end by the clocks of the programs', async () => {
    const warnings: string[] = []
    const provider = await through(() => 'no-date', { warn: message => warnings.push(message) })
    await taken(provider, 'A')
    await taken(provider, 'B')
    expect(warnings).toEqual([expect.stringMatching(/sends no Date header.*clock of this machine/s)])
  })

  it('leaves a lock to a holder whose clock is some seconds behind', async () => {
    const provider = await through(() => 'no-date')
    await put('just over', now() - 1)
    await put('long over', now() - 600)
    expect(await provider.take('just over', request('ours'), never)).toMatchObject({ is: 'held' })
    await taken(provider, 'long over')
  })

  it('asks for the time again as soon as there may be one', () => {
    const warn = vi.fn()
    const clock = new LeaseClock(warn)
    clock.observeNone()
    expect(clock.isFresh).toBe(true)
    expect(Math.abs(clock.time().latest - Date.now())).toBeLessThan(MINUTE)
    const here = clock.localNow()
    clock.observe(5_000_000, here, here, 1000)
    expect(clock.time().latest).toBeLessThan(6_000_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5000 })
    expect(clock.noticeJump()).toBe(true)
    expect(clock.isFresh).toBe(false)
    clock.observeNone()
    expect(clock.isFresh).toBe(true)
    expect(warn).toHaveBeenCalledOnce()
  })
})
