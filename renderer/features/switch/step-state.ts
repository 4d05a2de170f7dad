import {
  type Check,
  type PassedStep,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../../shared/switch.ts'
import { isBeyond, lastPassed, passedAt } from '../../../shared/switch-steps.ts'

/** A `slipped` step was done, and its check is no longer met. */
export type StepState = {
  readonly step: SwitchStep
  readonly place: 'checked' | 'by-hand' | 'slipped' | 'current' | 'to-come'
  /** How it was passed last; null for the current step and those to come. */
  readonly passed: PassedStep | null
  readonly is: Check['is'] | null
}

/** `lastArrivalAt` is when the last arrival was seen in the old store. */
export function stepStates(
  run: SwitchRun,
  checks: SwitchNow['checks'] | null,
  lastArrivalAt: number | null,
): StepState[] {
  return SWITCH_STEPS.map(step => {
    const is = checks?.[step]?.is ?? null
    const passed = isBeyond(run, step) ? lastPassed(run, step) : null
    // A gap in watching restarts the quiet time; only an arrival breaks it.
    const isOnlyUnwatched = step === 'stop' && passed !== null && !hasArrivals(run, passed.at, lastArrivalAt)
    const isSlipped = is === 'not-yet' && !isOnlyUnwatched
    return { step, place: placeOf(run, step, isSlipped), passed, is }
  })
}

function placeOf(run: SwitchRun, step: SwitchStep, isSlipped: boolean): StepState['place'] {
  if (step === run.step) return 'current'
  if (!isBeyond(run, step)) return 'to-come'
  if (lastPassed(run, step)?.checked !== true) return 'by-hand'
  return isSlipped ? 'slipped' : 'checked'
}

function hasArrivals({ strays }: SwitchRun, since: number, lastArrivalAt: number | null): boolean {
  return (lastArrivalAt ?? 0) > since || strays.some(({ at }) => at > since)
}

/** Strays since the workers last counted as stopped, newest first. Going back to that step deals with earlier ones. */
export function openStrays(run: SwitchRun): SwitchRun['strays'] {
  const stoppedAt = passedAt(run, 'stop')
  if (run.ended || stoppedAt === null) return []
  return run.strays.filter(({ at }) => at >= stoppedAt).toSorted((a, b) => b.at - a.at)
}

/** The number of locks to drain: those held when the workers had stopped, or those held now if there are more. */
export function toDrain(run: SwitchRun, held: number | null): number | null {
  const before = lastPassed(run, 'stop')?.fromHeld ?? lastPassed(run, 'understand')?.fromHeld ?? null
  if (before === null || held === null) return before ?? held
  return Math.max(before, held)
}

/** The distinct holders of some locks. */
export function holdersOf(locks: readonly { readonly holder: string | null }[]): readonly (string | null)[] {
  return [...new Set(locks.map(({ holder }) => holder))]
}
