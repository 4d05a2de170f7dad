import { onAbort } from '../lib/on-abort.ts'
import { later } from '../lib/timers.ts'

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000

export type Trying = {
  /** How long to wait before the first try. */
  readonly afterMs?: number
  /** Whether there is nothing to be done any more. */
  readonly isOver: () => boolean
  /** Fires when the manager is closed: then it is tried once more, at once. */
  readonly closed: AbortSignal
  readonly gaveUp?: () => void
}

/** In the background, ever more slowly, until it is done or over. It keeps no process alive. The attempt must not throw. */
export function tryUntilDone(attempt: () => Promise<boolean>, trying: Trying): void {
  const { afterMs = FIRST_PAUSE_MS, isOver, closed, gaveUp = () => {} } = trying
  const go = async (pauseMs: number): Promise<void> => {
    if (await attempt()) return
    if (closed.aborted || isOver()) gaveUp()
    else pause(pauseMs)
  }
  const pause = (ms: number): void => {
    const next = () => {
      stop()
      stopHearing()
      void go(Math.min(Math.max(ms * 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS))
    }
    const stop = later(ms, next, { unref: true })
    const stopHearing = onAbort(closed, next)
  }
  if (afterMs === 0) void go(FIRST_PAUSE_MS)
  else pause(afterMs)
}
