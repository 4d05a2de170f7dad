import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { aborted } from './errors.ts'

/** The longest delay setTimeout accepts. */
const LONGEST_MS = 2 ** 31 - 1

type Listener = { readonly works: Set<() => void>; readonly fire: () => void }

const listeners = new WeakMap<AbortSignal, Listener>()

/** Calls back when the signal fires, until stopped. One DOM listener per signal: Node warns of a leak at a thousand. */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  const { works, fire } = listeners.get(signal) ?? listenTo(signal)
  const mine = () => work()
  works.add(mine)
  return () => {
    if (!works.delete(mine) || works.size > 0) return
    // Node keeps a signal of AbortSignal.any alive while it has a listener.
    signal.removeEventListener('abort', fire)
    listeners.delete(signal)
  }
}

/** Apart from `onAbort`, whose first caller this closure would otherwise keep as long as the signal. */
function listenTo(signal: AbortSignal): Listener {
  const works = new Set<() => void>()
  const fire = () => {
    for (const each of [...works]) each()
  }
  const listener = { works, fire }
  listeners.set(signal, listener)
  signal.addEventListener('abort', fire, { once: true })
  return listener
}

export type LinkedAbort = {
  readonly signal: AbortSignal
  readonly abort: () => void
  readonly stopFollowing: () => void
}

/** Aborts with any of these signals until it stops following them. Not AbortSignal.any: that leaks on a signal that lives as long as the program. */
export function linkedAbort(...signals: readonly (AbortSignal | undefined | null)[]): LinkedAbort {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const heard = signals.flatMap(signal => (signal ? [onAbort(signal, abort)] : []))
  if (signals.some(signal => signal?.aborted)) abort()
  const stopFollowing = () => {
    for (const stop of heard) stop()
  }
  return { signal: controller.signal, abort, stopFollowing }
}

/** For cleanup that outlives the caller's own signal. */
export const NEVER: AbortSignal = new AbortController().signal
// Many listeners may be attached at once; none of them stays.
setMaxListeners(0, NEVER)

/** Calls back after a delay of any length. Returns the cancel function. */
export function later(ms: number, work: () => void, { unref = false } = {}): () => void {
  let left = ms
  let timer: NodeJS.Timeout
  const arm = () => {
    const step = Math.min(Math.max(left, 0), LONGEST_MS)
    left -= step
    timer = setTimeout(left > 0 ? arm : work, step)
    if (unref) timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}

/** Resolves after the delay, or as soon as the signal fires. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch(() => {})
}

/** A sleep that can be cut short. */
export class WakeableSleep {
  #wake = () => {}

  /** Ends the sleep, if one is under way. */
  wake(): void {
    this.#wake()
  }

  /** Resolves after the delay, or when woken. Without a delay, only when woken. */
  sleep(ms = Number.POSITIVE_INFINITY, options?: { readonly unref: boolean }): Promise<void> {
    return new Promise(resolve => {
      const cancel = Number.isFinite(ms) ? later(ms, resolve, options) : () => {}
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

/** Resolves when the work has settled, or after the time limit. */
export async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  await within(ms, work, () => null).catch(() => {})
}

/** Settles with the work, or fails with `late()` after the time limit. */
export function within<T>(ms: number, work: Promise<T>, late: () => unknown): Promise<T> {
  return unless(work, fail => later(ms, () => fail(late())))
}

/** Settles with the work, or fails with ABORTED as soon as the signal fires. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const working = signal.aborted ? Promise.reject(aborted()) : work
  if (signal.aborted) work.catch(() => {})
  return unless(working, fail => onAbort(signal, () => fail(aborted())))
}

/** Settles with the work unless `fail` is called first. `watch` returns how to stop. Promise.race and finally would cost each statement three times as much. */
function unless<T>(work: Promise<T>, watch: (fail: (error: unknown) => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = watch(error => {
      stop()
      reject(error)
    })
    work.then(
      value => {
        stop()
        resolve(value)
      },
      error => {
        stop()
        reject(error)
      },
    )
  })
}

const FIRST_RETRY_MS = 200
const LONGEST_RETRY_MS = 10_000

export type RetryOptions = {
  /** The delay before the first attempt. */
  readonly afterMs?: number
  /** Whether further attempts are pointless. */
  readonly isOver: () => boolean
  /** When it fires, one last attempt is made at once. */
  readonly closed: AbortSignal
  readonly gaveUp?: () => void
}

/** Retries in the background with growing delays until an attempt succeeds. Keeps no process alive. The attempt must not throw. */
export function retryUntilDone(attempt: () => Promise<boolean>, options: RetryOptions): void {
  const { afterMs = FIRST_RETRY_MS, isOver, closed, gaveUp = () => {} } = options
  const go = async (retryMs: number): Promise<void> => {
    if (await attempt()) return
    if (closed.aborted || isOver()) gaveUp()
    else pause(retryMs)
  }
  const pause = (ms: number): void => {
    const next = () => {
      stop()
      stopListening()
      void go(Math.min(Math.max(ms * 2, FIRST_RETRY_MS), LONGEST_RETRY_MS))
    }
    const stop = later(ms, next, { unref: true })
    const stopListening = onAbort(closed, next)
  }
  if (afterMs === 0) void go(FIRST_RETRY_MS)
  else pause(afterMs)
}
