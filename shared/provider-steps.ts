import { SWITCH_STEPS, type SwitchRun, type SwitchStep } from './provider-switch.ts'

/** When a switch came to its steps, by what is kept of it. */

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

function hasReached(run: SwitchRun, step: SwitchStep): boolean {
  return SWITCH_STEPS.indexOf(run.step) >= SWITCH_STEPS.indexOf(step)
}

function isBeyond(run: SwitchRun, step: SwitchStep): boolean {
  return SWITCH_STEPS.indexOf(run.step) > SWITCH_STEPS.indexOf(step)
}
