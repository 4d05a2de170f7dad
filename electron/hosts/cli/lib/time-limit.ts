import { later } from '../../../core/lib/timers.ts'
import { type Args, duration } from './args.ts'
import { CliError, timedOut } from './exit.ts'
import type { Io } from './io.ts'

/** Why a command was stopped. */
class TimeLimit {
  constructor(readonly text: string) {}
}

/**
 * Runs a command for as long as --timeout allows, and then stops it as Ctrl-C does: what is being read is abandoned, and a change
 * that was sent still gets its answer.
 */
export async function withTimeLimit(
  { options: { timeout } }: Args,
  io: Io,
  run: () => Promise<number>,
): Promise<number> {
  const limitMs = duration(timeout, '--timeout')
  if (limitMs === undefined || timeout === undefined) return run()
  const cancel = later(limitMs, () => io.stop(new TimeLimit(timeout)), { unref: true })
  try {
    return await run()
  } catch (error) {
    const { reason } = io.signal
    const isStopped =
      error instanceof CliError && error.failure.code === 'ABORTED' && !error.failure.uncertain
    throw isStopped && reason instanceof TimeLimit ? timedOut(reason.text, error.failure) : error
  } finally {
    cancel()
  }
}

/** Whether --timeout has stopped the command. */
export function isTimedOut({ reason }: AbortSignal): boolean {
  return reason instanceof TimeLimit
}
