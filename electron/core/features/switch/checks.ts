import {
  type Check,
  type Side,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'

/** What a check has to know of one side. */
export type SideState = Pick<SwitchNow['from'], 'status' | 'held' | 'holds'> & {
  /** Records of locks, held or expired. */
  readonly left: number | null
  readonly watchedSince: number | null
  readonly lastPassAt: number | null
  readonly lastArrivalAt: number | null
  readonly lastAcquiredAt: number | null
  readonly lastHeldAt: number | null
}

export type CheckFacts = {
  readonly run: SwitchRun
  readonly from: SideState
  readonly to: SideState
  readonly env: SwitchNow['env']
  readonly isSplit: boolean
  /** The last time that a name was seen to be held in both. */
  readonly lastSplitAt: number | null
  readonly firstArrivalInNewAt: number | null
}

type Verdict = Check['is']

const CHECKS: Readonly<Record<SwitchStep, (facts: CheckFacts) => Verdict>> = {
  understand: ({ from, to }) => {
    if (from.status === 'closed' || to.status === 'closed') return 'unknown'
    return metIf(from.status === 'live' && to.status === 'live')
  },
  stop: ({ run, from }) => ifKnown([from], () => hasBeenQuiet([from], run.quietMs, [from.lastArrivalAt])),
  // One that is taken and given back between two looks is not held at any of them: its worker runs all the same.
  drain: ({ run, from }) =>
    ifKnown([from], () => !isWorkedIn(from) && !isRecent(from, from.lastAcquiredAt, run.quietMs)),
  change: ({ run, env }) => {
    if (run.from.kind === run.to.kind || env === null || env.problem !== null) return 'unknown'
    return metIf(env.value === providerOf(run.to))
  },
  clean: ({ from }) => ifKnown([from], () => from.left === 0),
  restart: ({ to, firstArrivalInNewAt }) => ifKnown([to], () => firstArrivalInNewAt !== null),
  verify: ({ run, from, to, firstArrivalInNewAt, isSplit, lastSplitAt }) =>
    ifKnown(
      [from, to],
      () =>
        firstArrivalInNewAt !== null &&
        !isSeenAfterRestart(run) &&
        !isWorkedIn(from) &&
        !isSplit &&
        hasBeenQuiet([from, to], run.quietMs, [
          firstArrivalInNewAt,
          from.lastAcquiredAt,
          from.lastHeldAt,
          lastSplitAt,
        ]),
    ),
}

/** How each step stands, by what is seen now. */
export function checksOf(facts: CheckFacts): Record<SwitchStep, Verdict> {
  return Object.fromEntries(SWITCH_STEPS.map(step => [step, CHECKS[step](facts)])) as Record<
    SwitchStep,
    Verdict
  >
}

/** What LOCK_PROVIDER has to be for a store. */
export function providerOf({ kind }: Pick<Side, 'kind'>): string {
  return kind
}

/** Whether somebody may be at work under a lock there. Under the hold of an operator nobody is. */
function isWorkedIn({ held, holds }: SideState): boolean {
  return held === null || held !== holds
}

/** Of a store that cannot be read, nobody can say anything. */
function ifKnown(sides: readonly SideState[], isMet: () => boolean): Verdict {
  return sides.every(({ status }) => status === 'live') ? metIf(isMet()) : 'unknown'
}

function metIf(is: boolean): Verdict {
  return is ? 'met' : 'not-yet'
}

/** By what was seen: the time goes from the first look without a gap to the last one. */
function hasBeenQuiet(
  sides: readonly SideState[],
  quietMs: number,
  disturbed: readonly (number | null)[],
): boolean {
  const since = Math.max(
    ...sides.map(({ watchedSince }) => watchedSince ?? Number.POSITIVE_INFINITY),
    ...disturbed.map(time => time ?? 0),
  )
  const until = Math.min(...sides.map(({ lastPassAt }) => lastPassAt ?? 0))
  return until - since >= quietMs
}

function isRecent({ lastPassAt }: SideState, time: number | null, quietMs: number): boolean {
  return time !== null && (lastPassAt ?? 0) - time < quietMs
}
