import type { Check, SwitchNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { isSeenAfterRestart, isWorkedIn } from '../../../../shared/switch-steps.ts'
import type { SwitchSide } from './side.ts'

type CheckFacts = {
  readonly run: SwitchRun
  readonly from: SwitchSide
  readonly to: SwitchSide
  readonly env: SwitchNow['env']
  readonly hasOverlap: boolean
  /** When a name was last held in both stores. */
  readonly lastOverlapAt: number | null
}

/** How the check of each step stands. */
export const CHECKS: Readonly<Record<SwitchStep, (facts: CheckFacts) => Check['is']>> = {
  understand: ({ from, to }) => {
    if (from.status === 'closed' || to.status === 'closed') return 'unknown'
    return metIf(from.status === 'live' && to.status === 'live')
  },
  stop: ({ run, from }) => ifKnown([from], () => hasBeenQuiet([from], run.quietMs, [from.lastArrivalAt])),
  // A lock that is acquired and released between two polls is held at neither of them, but its worker runs.
  drain: ({ run, from }) =>
    ifKnown([from], () => !mayBeWorkedIn(from) && !isRecent(from, from.lastAcquiredAt, run.quietMs)),
  change: ({ run, env }) => {
    if (run.from.kind === run.to.kind || env === null || env.problem !== null) return 'unknown'
    return metIf(env.value === run.to.kind)
  },
  clean: ({ from }) => ifKnown([from], () => from.counts.left === 0),
  restart: ({ run, to }) => ifKnown([to], () => run.firstArrivalInNewAt !== null),
  verify: ({ run, from, to, hasOverlap, lastOverlapAt }) => {
    const disturbed = [run.firstArrivalInNewAt, from.lastAcquiredAt, from.lastHeldAt, lastOverlapAt]
    return ifKnown(
      [from, to],
      () =>
        run.firstArrivalInNewAt !== null &&
        !isSeenAfterRestart(run) &&
        !mayBeWorkedIn(from) &&
        !hasOverlap &&
        hasBeenQuiet([from, to], run.quietMs, disturbed),
    )
  },
}

/** The check of a store that cannot be read is unknown. */
function ifKnown(sides: readonly SwitchSide[], isMet: () => boolean): Check['is'] {
  return sides.every(({ status }) => status === 'live') ? metIf(isMet()) : 'unknown'
}

function metIf(is: boolean): Check['is'] {
  return is ? 'met' : 'not-yet'
}

/** Only observed time counts: from the first poll after a gap to the last one. */
function hasBeenQuiet(
  sides: readonly SwitchSide[],
  quietMs: number,
  disturbed: readonly (number | null)[],
): boolean {
  const since = Math.max(
    ...sides.map(({ watchedSince }) => watchedSince ?? Infinity),
    ...disturbed.map(time => time ?? 0),
  )
  const until = Math.min(...sides.map(({ lastPassAt }) => lastPassAt ?? 0))
  return until - since >= quietMs
}

/** An unknown number may hide a worker. */
function mayBeWorkedIn({ counts }: SwitchSide): boolean {
  return counts.held === null || isWorkedIn(counts)
}

function isRecent({ lastPassAt }: SwitchSide, time: number | null, quietMs: number): boolean {
  return time !== null && (lastPassAt ?? 0) - time < quietMs
}
