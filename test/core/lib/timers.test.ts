import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  atMost,
  later,
  onAbort,
  retryUntilDone,
  unlessAborted,
  within,
} from '../../../electron/core/lib/timers.ts'

const NEVER = new Promise<never>(() => {})

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('calls back after a delay longer than a timer can count', () => {
  const called = vi.fn()
  later(2 ** 31 + 5, called)
  vi.advanceTimersByTime(2 ** 31 + 4)
  expect(called).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(called).toHaveBeenCalledOnce()
})

it('does not call back after it was cancelled', () => {
  const called = vi.fn()
  later(5, called)()
  vi.advanceTimersByTime(10)
  expect(called).not.toHaveBeenCalled()
})

it('waits for work no longer than the limit, and ignores its failure', async () => {
  await atMost(1000, Promise.reject(new Error('broken')))
  const waited = atMost(1000, NEVER)
  await vi.advanceTimersByTimeAsync(1000)
  await waited
})

it('fails with the given error when the work takes too long', async () => {
  expect(await within(1000, Promise.resolve(7), () => new Error('late'))).toBe(7)
  const late = within(1000, NEVER, () => new Error('late'))
  const failed = expect(late).rejects.toThrow('late')
  await vi.advanceTimersByTimeAsync(1000)
  await failed
})

it('gives up work as soon as the signal fires', async () => {
  const stop = new AbortController()
  expect(await unlessAborted(Promise.resolve(7), stop.signal)).toBe(7)
  const failed = expect(unlessAborted(NEVER, stop.signal)).rejects.toMatchObject({ code: 'ABORTED' })
  stop.abort()
  await failed
  await expect(unlessAborted(NEVER, stop.signal)).rejects.toMatchObject({ code: 'ABORTED' })
})

it('notifies every listener of an abort, except those that left', () => {
  const stop = new AbortController()
  const told: string[] = []
  onAbort(stop.signal, () => told.push('first'))
  const leave = onAbort(stop.signal, () => told.push('second'))
  onAbort(stop.signal, () => told.push('third'))
  leave()
  stop.abort()
  expect(told).toEqual(['first', 'third'])
})

describe('retrying in the background', () => {
  it('waits twice as long after each failure, and stops after a success', async () => {
    const at: number[] = []
    const start = Date.now()
    const attempt = async () => at.push(Date.now() - start) === 4
    retryUntilDone(attempt, { isOver: () => false, closed: new AbortController().signal })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(at).toEqual([200, 600, 1400, 3000])
  })

  it('gives up when further attempts are pointless', async () => {
    const gaveUp = vi.fn()
    const attempt = vi.fn(async () => false)
    const closed = new AbortController().signal
    retryUntilDone(attempt, { afterMs: 0, isOver: () => attempt.mock.calls.length >= 2, closed, gaveUp })
    await vi.advanceTimersByTimeAsync(60_000)
    expect([attempt.mock.calls.length, gaveUp.mock.calls.length]).toEqual([2, 1])
  })

  it('makes one last attempt at once when it is closed', async () => {
    const closed = new AbortController()
    const gaveUp = vi.fn()
    const attempt = vi.fn(async () => false)
    retryUntilDone(attempt, { isOver: () => false, closed: closed.signal, gaveUp })
    closed.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect([attempt.mock.calls.length, gaveUp.mock.calls.length]).toEqual([1, 1])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(attempt).toHaveBeenCalledOnce()
  })
})

it('leaves no listener on a signal when nothing waits for it any more', () => {
  const abort = new AbortController()
  const fired: string[] = []
  const stopFirst = onAbort(abort.signal, () => fired.push('first'))
  const stopSecond = onAbort(abort.signal, () => fired.push('second'))
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1)
  stopFirst()
  stopSecond()
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  const stopThird = onAbort(abort.signal, () => fired.push('third'))
  stopFirst()
  abort.abort()
  expect(fired).toEqual(['third'])
  stopThird()
})
