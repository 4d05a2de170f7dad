import {
  type PassedStep,
  type Remaining,
  type SideNow,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from './switch.ts'

/** The course of a switch, by its record and its current state. */

export function stepNumber(step: SwitchStep): number {
  return SWITCH_STEPS.indexOf(step) + 1
}

/** Null after the last step. */
export function nextStep(step: SwitchStep): SwitchStep | null {
  return SWITCH_STEPS[stepNumber(step)] ?? null
}

export function isBeyond(run: SwitchRun, step: SwitchStep): boolean {
  return stepNumber(run.step) > stepNumber(step)
}

/** When a step was last reached, by passing the one before it or by going back to it; null if it is still to come. */
export function reachedAt(run: SwitchRun, step: SwitchStep): number | null {
  if (stepNumber(run.step) < stepNumber(step)) return null
  const before = SWITCH_STEPS[stepNumber(step) - 2]
  const came = before === undefined ? run.begunAt : passedAt(run, before)
  const back = run.wentBack.findLast(each => each.step === step)?.at ?? null
  return came === null || back === null ? (came ?? back) : Math.max(came, back)
}

/** When a step was passed, if the switch is beyond it now. */
export function passedAt(run: SwitchRun, step: SwitchStep): number | null {
  if (!isBeyond(run, step) && run.ended === null) return null
  return lastPassed(run, step)?.at ?? null
}

export function lastPassed(run: SwitchRun, step: SwitchStep): PassedStep | null {
  return run.passed.findLast(each => each.step === step) ?? null
}

/**
 * Evidence that a worker still uses the old store although all were started with the new one. Quiet afterwards proves nothing: a
 * job that runs now and then will run again. Only stopping the workers anew settles it.
 */
export function seenAfterRestart(run: SwitchRun): Pick<SwitchRun, 'strays' | 'splits'> {
  const since = restartedAt(run)
  if (since === null) return { strays: [], splits: [] }
  return {
    strays: run.strays.filter(({ at }) => at >= since),
    splits: run.splits.filter(({ until }) => until === null || until > since),
  }
}

/** How many were observed, whether an answer lists them or not. */
export function countOf(run: SwitchRun, what: 'strays' | 'splits'): number {
  return run[what].length + (run.unlisted?.[what] ?? 0)
}

/** Whether some of them, as the newest of their kind, may have been observed before those that are listed. */
export function mayBeMore(
  run: SwitchRun,
  { strays, splits }: Partial<Pick<SwitchRun, 'strays' | 'splits'>>,
): boolean {
  const { unlisted } = run
  if (!unlisted) return false
  const isCut = (some: readonly unknown[] | undefined, all: readonly unknown[], left: number) =>
    left > 0 && some?.length === all.length
  return isCut(strays, run.strays, unlisted.strays) || isCut(splits, run.splits, unlisted.splits)
}

export function isSeenAfterRestart(run: SwitchRun): boolean {
  const { strays, splits } = seenAfterRestart(run)
  return strays.length + splits.length > 0
}

/** When the workers could first be started again after they were last stopped. Going back to a step in between changes nothing. */
function restartedAt(run: SwitchRun): number | null {
  if (!isBeyond(run, 'stop')) return null
  const stopped = run.passed.findLastIndex(({ step }) => step === 'stop')
  return run.passed.slice(stopped + 1).find(({ step }) => step === 'clean')?.at ?? null
}

/** Start of the current quiet in the old store; null while it is not watched. */
export function quietSince({
  lastArrivalAt,
  watchedSince,
}: Pick<SwitchNow, 'lastArrivalAt' | 'watchedSince'>): number | null {
  return watchedSince === null ? null : Math.max(watchedSince, lastArrivalAt ?? 0)
}

/** Whether a worker may hold a lock there: maintenance holds have no worker. */
export function isWorkedIn({ held, holds }: Pick<SideNow, 'held' | 'holds'>): boolean {
  return held !== null && held !== holds
}

/** Workers' locks that have no end, or none soon. */
export function willNotEnd(remaining: readonly Remaining[]): readonly Remaining[] {
  return remaining.filter(({ why }) => why !== 'ends' && why !== 'hold')
}
