import { type Split, SWITCH_STEPS, type SwitchRun, type SwitchStep } from './switch.ts'

/** When a switch came to its steps and what was seen since, by what is kept of it. */

/** When a step was reached the last time, by the one before it or by going back to it; null when it was not. */
export function reachedAt(run: SwitchRun, step: SwitchStep): number | null {
  if (!hasReached(run, step)) return null
  const before = SWITCH_STEPS[SWITCH_STEPS.indexOf(step) - 1]
  const came = before === undefined ? run.begunAt : passedAt(run, before)
  const back = run.wentBack.findLast(each => each.step === step)?.at ?? null
  return came === null || back === null ? (came ?? back) : Math.max(came, back)
}

/** When a step was passed, if the switch is beyond it now. */
export function passedAt(run: SwitchRun, step: SwitchStep): number | null {
  if (!isBeyond(run, step) && run.ended === null) return null
  return run.passed.findLast(each => each.step === step)?.at ?? null
}

export type SeenAfterRestart = { readonly strays: SwitchRun['strays']; readonly splits: readonly Split[] }

/**
 * What says that a worker still uses the old store although all were started with the new one. That it is quiet afterwards says
 * nothing: a job that runs now and then was seen once, and will run again. Only to stop the workers anew deals with it.
 */
export function seenAfterRestart(run: SwitchRun): SeenAfterRestart {
  const since = restartedAt(run)
  if (since === null) return { strays: [], splits: [] }
  return {
    strays: run.strays.filter(({ at }) => at >= since),
    splits: run.splits.filter(({ until }) => until === null || until > since),
  }
}

export function isSeenAfterRestart(run: SwitchRun): boolean {
  const { strays, splits } = seenAfterRestart(run)
  return strays.length + splits.length > 0
}

/** When they could first be started again after they were last stopped. Going back to a step between the two changes nothing. */
function restartedAt(run: SwitchRun): number | null {
  if (!isBeyond(run, 'stop')) return null
  const stopped = run.passed.findLastIndex(({ step }) => step === 'stop')
  return run.passed.slice(stopped + 1).find(({ step }) => step === 'clean')?.at ?? null
}

function hasReached(run: SwitchRun, step: SwitchStep): boolean {
  return SWITCH_STEPS.indexOf(run.step) >= SWITCH_STEPS.indexOf(step)
}

function isBeyond(run: SwitchRun, step: SwitchStep): boolean {
  return SWITCH_STEPS.indexOf(run.step) > SWITCH_STEPS.indexOf(step)
}
