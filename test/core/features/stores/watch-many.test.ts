import { expect, it, onTestFinished, vi } from 'vitest'
import { StoreWatcher } from '../../../../electron/core/features/stores/watcher.ts'
import type { LockStore } from '../../../../electron/core/stores/types.ts'
import type { Lock, WatchEvent } from '../../../../shared/locks.ts'
import { lockAt } from '../lock.ts'

const CLOCK = { serverTime: 0, offsetMs: 0, errorMs: 0 }
const page = (locks: Lock[]) => ({
  locks,
  unrecognised: [],
  companions: 0,
  problems: [],
  scanned: locks.length,
})
const locksFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => lockAt(0, { id: `lock-${first + i}`, key: `lock-${first + i}` }))

it('tells of no pass that the end of watching overtook', async () => {
  // Every look at the clock says that the turn is over.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
  onTestFinished(() => void vi.restoreAllMocks())
  const stop = new AbortController()
  const told: string[] = []
  const store = {
    kind: 'memory',
    async *list() {
      yield page(locksFrom(0, 3000))
    },
    async clock() {
      setImmediate(() => setImmediate(() => stop.abort()))
      return CLOCK
    },
  } as unknown as LockStore
  const subscriber = {
    onEvents: () => {},
    onPass: () => void told.push('pass'),
    onFailure: () => void told.push('failure'),
    onStop: () => void told.push('stop'),
  }
  const watcher = new StoreWatcher(store, text => text, subscriber)
  watcher.attend(60_000, stop.signal)
  await expect.poll(() => told).toEqual(['stop'])
  for (let i = 0; i < 1000; i++) await new Promise(resolve => setImmediate(resolve))
  expect(told).toEqual(['stop'])
})

it('follows no more locks than fit into memory, and says so', async () => {
  let given = 0
  const store = {
    kind: 'memory',
    async *list() {
      for (; ; given += 10_000) yield page(locksFrom(given, 10_000))
    },
    clock: async () => CLOCK,
  } as unknown as LockStore
  const watcher = new StoreWatcher(store, text => text)
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  let error: string | undefined
  const follow = async () => {
    for await (const event of watcher.subscribe(60_000, stop.signal) as AsyncIterable<WatchEvent>)
      if (event.type === 'status') error = event.error?.message
  }
  void follow()
  await expect.poll(() => error).toContain('more locks than a console can follow')
  expect(given).toBeLessThanOrEqual(300_000)
})
