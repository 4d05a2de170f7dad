import { afterEach, describe, expect, it, vi } from 'vitest'
import type { OpenStore } from '../../../../electron/core/features/stores/open-store.ts'
import type { LockEvent } from '../../../../electron/core/features/stores/subscriber.ts'
import { SwitchSide } from '../../../../electron/core/features/switch/side.ts'
import { MINUTE, SECOND, WatchedRun } from './watched-run.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The side of a store that a test plays, while it `isOpen`. */
function sideOf(store: object, stores = { isOpen: true }): SwitchSide {
  const open = {
    ...{ storeId: 's', store, signal: new AbortController().signal },
    watcher: { unrecognised: 0, attend: () => {} },
  } as unknown as OpenStore
  return new SwitchSide(
    { address: 'redis://old:6379/0', kind: 'redis' },
    { stores: { at: () => (stores.isOpen ? [open] : []) }, histories: { get: () => null } },
  )
}

/** Long enough for a store that answers without waiting for anything. */
const settled = () => new Promise(setImmediate)

/** A store whose answers take as long as a test says, by a clock that nothing else moves. */
function answering(takeMs: readonly number[]) {
  let now = 0
  const left = [...takeMs]
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const store = {
    describe: async () => ({ server: 'Redis 7' }),
    clock: async () => {
      const ms = left.shift()
      if (ms === undefined) throw new Error('It does not answer')
      now += ms
    },
  }
  const side = sideOf(store)
  return {
    async asked() {
      now += MINUTE
      side.tend(1000)
      await settled()
      const { latencyMs, latencySamples } = side.now(0)
      return [latencyMs, latencySamples]
    },
  }
}

describe('the latency of a store', () => {
  it('is the median of several samples, the first of which are taken at once', async () => {
    const store = answering([6.3, 0.5, 0.4, 0.6, 0.5, 40])
    expect(await store.asked()).toEqual([0.5, 5])
    // One that took long does not make it slow.
    expect(await store.asked()).toEqual([0.6, 6])
  })

  it('follows a store that has become slow', async () => {
    const store = answering([1, 1, 1, 1, 1, 9, 9, 9, 9, 9])
    for (let n = 0; n < 5; n++) await store.asked()
    expect(await store.asked()).toEqual([9, 9])
  })

  it('is unknown once the store stops answering', async () => {
    const store = answering([1, 1, 1, 1, 1])
    expect(await store.asked()).toEqual([1, 5])
    expect(await store.asked()).toEqual([null, 0])
  })
})

describe('the first measurement of a store', () => {
  it('has not ended while the store has yet to answer', async () => {
    const side = sideOf({ describe: async () => ({ server: 'Redis 7' }), clock: () => new Promise(() => {}) })
    expect(side.now(0).isMeasured).toBe(false)
    side.tend(1000)
    await settled()
    expect(side.now(0)).toMatchObject({ server: 'Redis 7', latencyMs: null, isMeasured: false })
  })

  it('has ended once the store answered enough samples', async () => {
    const side = sideOf({ describe: async () => ({ server: 'Redis 7' }), clock: async () => {} })
    side.tend(1000)
    await settled()
    expect(side.now(0)).toMatchObject({ server: 'Redis 7', latencySamples: 5, isMeasured: true })
  })

  it('has ended when the account may not ask for the description of the store', async () => {
    const denied = async () => Promise.reject(new Error('NOPERM'))
    const side = sideOf({ describe: denied, clock: async () => {} })
    side.tend(1000)
    await settled()
    expect(side.now(0)).toMatchObject({ server: null, latencyMs: null, isMeasured: true })
  })

  it('starts again with a new connection to the store', async () => {
    const stores = { isOpen: true }
    const side = sideOf({ describe: async () => ({ server: 'Redis 7' }), clock: async () => {} }, stores)
    side.tend(1000)
    await settled()
    stores.isOpen = false
    side.tend(1000)
    expect(side.now(0)).toMatchObject({ status: 'closed', server: null, isMeasured: false })
  })
})

describe('how long locks are usually held', () => {
  const DAYS = 1063 * 24 * 60 * MINUTE

  function observe() {
    const run = new WatchedRun()
    const { history } = run.old.store
    const pass = () => {
      run.now += SECOND
      history.onPass({
        ...{ locks: new Map(run.old.locks), serverTime: run.now, offsetMs: 0, errorMs: 0 },
        ...{ scanned: 1, tookMs: 1, unbroken: true },
      })
    }
    const happens = (what: LockEvent['what'], name: string, says = {}) => {
      run.old.sees(what, name, says)
      history.onEvents([{ what, lock: run.old.lock(name, says) } as LockEvent])
      pass()
    }
    return { run, happens, pass }
  }

  it('does not count locks that were left behind, however they ended', () => {
    const { run, happens } = observe()
    const left = { acquiredAt: run.now - DAYS, acquiredAtSource: 'stored', owner: 'dead' } as const
    const expired = { ...left, endsAt: run.now - DAYS + MINUTE }
    for (const name of ['a', 'b']) happens('found', name, expired)
    happens('found', 'c', { ...left, lease: { kind: 'never' } })
    happens('lapsed', 'a', expired)
    happens('passed-on', 'b', { owner: 'w1', acquiredAt: run.now, acquiredAtSource: 'stored' })
    happens('freed', 'c', { ...left, lease: { kind: 'never' } })
    expect(run.told.from.medianHoldMs).toBeNull()
  })

  it('counts locks that were seen being acquired and released', () => {
    const { run, happens, pass } = observe()
    pass()
    const taken = { acquiredAt: run.now, acquiredAtSource: 'stored' } as const
    happens('taken', 'gps', taken)
    run.now += 20 * SECOND
    happens('freed', 'gps', taken)
    expect(run.told.from.medianHoldMs).toBe(21 * SECOND)
  })
})
