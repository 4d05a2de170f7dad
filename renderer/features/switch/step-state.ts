import {
  type Arrival,
  type Check,
  type PassedStep,
  type Remaining,
  type SideNow,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../../shared/switch.ts'

/** Where a step stands in the walk: `slipped` was done, and what it had reached is not so any more. */
export type Place = 'checked' | 'by-hand' | 'slipped' | 'current' | 'to-come'

export type StepState = {
  readonly step: SwitchStep
  readonly place: Place
  /** How it was passed the last time; null for one that is due or to come. */
  readonly passed: PassedStep | null
  readonly is: Check['is'] | null
}

/** `lastArrivalAt` is when something last happened in the old store, as far as it was watched. */
export function stepStates(
  run: SwitchRun,
  checks: SwitchNow['checks'] | null,
  lastArrivalAt: number | null,
): StepState[] {
  const due = SWITCH_STEPS.indexOf(run.step)
  return SWITCH_STEPS.map((step, i) => {
    const is = checks?.[step]?.is ?? null
    const passed = i < due ? lastPassed(run, step) : null
    // After a gap in watching, quiet has to be waited for again: that it was broken is known only by what happened.
    const isOnlyUnwatched = step === 'stop' && passed !== null && !hasHappened(run, passed.at, lastArrivalAt)
    return { step, place: placeOf(i, due, passed, isOnlyUnwatched ? null : is), passed, is }
  })
}

function hasHappened({ strays }: SwitchRun, since: number, lastArrivalAt: number | null): boolean {
  return (lastArrivalAt ?? 0) > since || strays.some(({ at }) => at > since)
}

function placeOf(i: number, due: number, passed: PassedStep | null, is: Check['is'] | null): Place {
  if (i === due) return 'current'
  if (i > due) return 'to-come'
  if (passed?.checked !== true) return 'by-hand'
  return is === 'not-yet' ? 'slipped' : 'checked'
}

export function lastPassed(run: SwitchRun, step: SwitchStep): PassedStep | null {
  return run.passed.findLast(each => each.step === step) ?? null
}

export function nextStep(step: SwitchStep): SwitchStep | null {
  return SWITCH_STEPS[SWITCH_STEPS.indexOf(step) + 1] ?? null
}

/** What was taken in the old store since its workers counted as stopped. Going back to that step deals with what came before. */
export function openStrays(run: SwitchRun): SwitchRun['strays'] {
  const stopped = lastPassed(run, 'stop')
  if (run.ended || !stopped || SWITCH_STEPS.indexOf(run.step) <= SWITCH_STEPS.indexOf('stop')) return []
  return run.strays.filter(({ at }) => at >= stopped.at).toSorted((a, b) => b.at - a.at)
}

/** How many locks there were to drain: as many as when the workers had stopped, or more if more are held now. */
export function toDrain(run: SwitchRun, held: number | null): number | null {
  const before = lastPassed(run, 'stop')?.fromHeld ?? lastPassed(run, 'understand')?.fromHeld ?? null
  if (before === null || held === null) return before ?? held
  return Math.max(before, held)
}

/** Since when nothing happened in the old store, as far as anybody can say. */
export function quietSince({
  lastArrivalAt,
  watchedSince,
}: Pick<SwitchNow, 'lastArrivalAt' | 'watchedSince'>): number | null {
  if (watchedSince === null) return null
  return Math.max(watchedSince, lastArrivalAt ?? 0)
}

export type AtWork = { readonly holder: string | null; readonly times: number; readonly at: number }

/** Those that are still at work, each with how often and when last, the newest first. */
export function stillAtWork(arrivals: readonly Arrival[]): AtWork[] {
  const holders = new Map<string | null, AtWork>()
  for (const { holder, at } of arrivals) {
    const known = holders.get(holder)
    holders.set(holder, { holder, times: (known?.times ?? 0) + 1, at: known?.at ?? at })
  }
  return [...holders.values()]
}

/** Of those that workers have. The hold of an operator ends when it is let go. */
export function willNotEnd(remaining: readonly Remaining[]): readonly Remaining[] {
  return remaining.filter(({ why }) => why !== 'ends' && why !== 'hold')
}

/** Whether somebody may be at work under a lock there: under a maintenance hold nobody is. */
export function isWorkedIn({ held, holds }: Pick<SideNow, 'held' | 'holds'>): boolean {
  return held !== null && held !== holds
}
