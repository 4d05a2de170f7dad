import {
  type Check,
  type Side,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'

/** One side, as far as the checks need it. */
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
  /** When a name was last held in both stores. */
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
  // A lock that is acquired and released between two polls is held at neither of them, but its worker runs.
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

/** The state of every step's check. */
export function checksOf(facts: CheckFacts): Record<SwitchStep, Verdict> {
  return Object.fromEntries(SWITCH_STEPS.map(step => [step, CHECKS[step](facts)])) as Record<
    SwitchStep,
    Verdict
  >
}

/** The value of LOCK_PROVIDER for a store. */
export function providerOf({ kind }: Pick<Side, 'kind'>): string {
  return kind
}

/** Whether a worker may hold a lock there. No worker runs under a maintenance hold. */
function isWorkedIn({ held, holds }: SideState): boolean {
  return held === null || held !== holds
}

/** The check of a store that cannot be read is unknown. */
function ifKnown(sides: readonly SideState[], isMet: () => boolean): Verdict {
  return sides.every(({ status }) => status === 'live') ? metIf(isMet()) : 'unknown'
}

function metIf(is: boolean): Verdict {
  return is ? 'met' : 'not-yet'
}

/** Only observed time counts: from the first poll after a gap to the last one. */
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
