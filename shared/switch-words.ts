import { sayDuration } from './duration.ts'
import { kindOf } from './kinds.ts'
import { plural, sayTimes } from './numbers.ts'
import { shownName } from './safe-text.ts'
import type { Remaining, Side, SideNow, SwitchNow, SwitchRun, SwitchStep } from './switch.ts'
import { MOST_STRAYS, SWITCH_STEPS } from './switch.ts'
import { countOf, mayBeMore, quietSince, seenAfterRestart, stepNumber, willNotEnd } from './switch-steps.ts'

/** The sentences of a switch, for the screen, the command line and the report. Names in them are escaped: printing only neutralises. */

export const PROVIDER_VARIABLE = 'LOCK_PROVIDER'

/** The line that programs read. Null if both sides are of one kind: then only the connection changes. */
export function providerLine({ from, to }: Sides): string | null {
  return from.kind === to.kind ? null : `${PROVIDER_VARIABLE}=${to.kind}`
}

type Sides = Pick<SwitchRun, 'from' | 'to'>

type StepWords = {
  readonly title: string
  /** What its check requires. */
  readonly check: string
  instruction(sides: Sides): string
  /** The state of its check, while the stores can be read. */
  met(run: SwitchRun, now: SwitchNow): string
  notYet(run: SwitchRun, now: SwitchNow): string
}

export const STEP_WORDS: Readonly<Record<SwitchStep, StepWords>> = {
  understand: {
    title: 'Understand the change',
    check: 'Both stores can be read.',
    instruction: ({ from, to }) =>
      `Locks move from ${shown(from)} to ${shown(to)}. No lock is copied: a name that is held in the old store is free in the new one, so nothing may run while the provider changes. Read the differences, then continue.`,
    met: () => STEP_WORDS.understand.check,
    notYet: (run, now) => unreadSentence('understand', run, now),
  },
  stop: {
    title: 'Stop the workers',
    check: 'No worker acquires or renews anything in the old store.',
    instruction: ({ from }) =>
      `Stop every worker, scheduler and job that takes locks in ${shown(from)}, on every machine. What they still do there is shown here.`,
    met: ({ from, quietMs }, now) =>
      `Nothing was acquired or renewed in ${shown(from)} for ${seconds(quietMs)}${now.from.holds ? ', maintenance holds aside' : ''}.`,
    notYet: (run, now) => {
      const left = Math.max(0, run.quietMs - (now.at - (quietSince(now) ?? now.at)))
      return `${lastArrival(now)} It has to be quiet for another ${seconds(Math.ceil(left / 1000) * 1000)}.`
    },
  },
  drain: {
    title: 'Let the old locks end',
    check: 'No worker holds a lock in the old store.',
    instruction: ({ from }) =>
      `Wait until no worker holds a lock in ${shown(from)}. Stop a holder that does not finish, or release its lock once you are sure that no job runs under it.`,
    // A hold does not keep the step from being passed, but its record is in the way later.
    met: ({ from }, { from: { holds } }) =>
      holds
        ? `No worker holds a lock in ${shown(from)}. ${plural(holds, 'maintenance hold is left there, and has', 'maintenance holds are left there, and have')} to be released before it is clean.`
        : `No lock is held in ${shown(from)}.`,
    notYet: drainSentence,
  },
  change: {
    title: 'Change the provider',
    check: `The file says the new ${PROVIDER_VARIABLE}.`,
    instruction: sides => {
      const { label, variables } = kindOf(sides.to.kind)
      const line = providerLine(sides)
      if (line === null)
        return `Both stores are ${label}, so ${PROVIDER_VARIABLE} stays as it is. Change the connection instead (${variables.join(', ')}), for every program, then pass this step by hand.`
      return `Set ${line} for every program that takes locks, and see that ${variables.join(', ')} lead to ${shown(sides.to)}.`
    },
    met: fileSentence,
    notYet: fileSentence,
  },
  clean: {
    title: 'Clean the old provider',
    check: 'No record of a lock is left in the old store.',
    instruction: ({ from }) =>
      `Release the remaining locks in ${shown(from)}, expired ones included, so that nothing is in the way if you ever go back.`,
    met: ({ from }) => `Nothing is left in ${shown(from)}.`,
    notYet: (run, now) =>
      `${plural((now.from.held ?? 0) + (now.from.expired ?? 0), 'lock is', 'locks are')} still stored in ${shown(run.from)}${amongThemHolds(now)}.`,
  },
  restart: {
    title: 'Start the workers again',
    check: 'A lock was acquired or renewed in the new store.',
    instruction: ({ to }) =>
      `Start the workers again. The first lock that they take should appear in ${shown(to)}.`,
    met: ({ to }) => `A lock was acquired or renewed in ${shown(to)}.`,
    notYet: restartSentence,
  },
  verify: {
    title: 'Verify',
    check: 'Workers take locks in the new store, none in the old one, and no name is held in both.',
    instruction: ({ from, to }) =>
      `Let the workers run for a while: locks have to appear in ${shown(to)}, and none in ${shown(from)}.`,
    met: ({ from, to, quietMs }) =>
      `Locks are taken in ${shown(to)}, and for ${seconds(quietMs)} no worker had one in ${shown(from)}.`,
    notYet: verifySentence,
  },
}

/** `3 of 7`. */
export function stepPlace(step: SwitchStep): string {
  return `${stepNumber(step)} of ${SWITCH_STEPS.length}`
}

/** The state of a check, in one sentence. */
export function checkSentence(step: SwitchStep, run: SwitchRun, now: SwitchNow): string {
  const { is } = now.checks[step]
  if (is === 'unknown' && step !== 'change') return unreadSentence(step, run, now)
  return STEP_WORDS[step][is === 'met' ? 'met' : 'notYet'](run, now)
}

function fileSentence(run: SwitchRun, { env }: SwitchNow): string {
  if (env === null)
    return providerLine(run) === null
      ? `${PROVIDER_VARIABLE} stays as it is; Lockkeeper cannot see whether the connection was changed.`
      : 'No file is set, so Lockkeeper cannot see whether the provider was changed.'
  if (env.problem !== null) return `${env.problem}.`
  if (env.value === null) return `The file says nothing of ${PROVIDER_VARIABLE}.`
  return `The file says ${PROVIDER_VARIABLE}=${shownName(env.value)}.`
}

/** Names the store that cannot be read and so keeps a check from being met. */
function unreadSentence(step: SwitchStep, run: SwitchRun, now: SwitchNow): string {
  const needsBoth = step === 'understand' || step === 'verify'
  // A closed store comes first: the operator has to open it, whether the other one answers or not.
  const isOld = now.from.status === 'closed' || (now.from.status !== 'live' && now.to.status !== 'closed')
  const isNew = step === 'restart' || (needsBoth && !isOld)
  const side = shown(isNew ? run.to : run.from)
  const { status, error } = isNew ? now.to : now.from
  if (status === 'closed') return `${side} is not open here, so the check is unknown.`
  if (status === 'stale' && error === null) return `${side} is being read for the first time.`
  const effect = now.checks[step].is === 'unknown' ? ', so the check is unknown' : ' now'
  return `${side} cannot be read${effect}${because(error)}.`
}

function lastArrival({ arrivals: [last], at }: SwitchNow): string {
  if (!last) return 'Nothing has happened since watching started.'
  return `${shownName(last.key)} was ${last.what}${by(last.holder)} ${seconds(Math.max(0, at - last.at))} ago.`
}

/** The number of locks that workers hold. */
function workersLocks({ held, holds }: SideNow): number {
  return (held ?? 0) - (holds ?? 0)
}

function amongThemHolds({ from: { held, expired, holds } }: SwitchNow): string {
  if (!holds) return ''
  if (holds !== (held ?? 0) + (expired ?? 0))
    return `, ${plural(holds, 'of them a maintenance hold that has', 'of them maintenance holds that have')} to be released`
  return holds === 1
    ? ', a maintenance hold that has to be released'
    : ', all of them maintenance holds that have to be released'
}

function drainSentence(run: SwitchRun, { from, remaining, at }: SwitchNow): string {
  const working = workersLocks(from)
  if (working === 0)
    return `No worker holds a lock in ${shown(run.from)}, but something was acquired there a moment ago: a worker still runs.`
  const besides = from.holds ? ` besides ${plural(from.holds, 'maintenance hold', 'maintenance holds')}` : ''
  const held = `${plural(working, 'lock is', 'locks are')} held in ${shown(run.from)}${besides}`
  const stuck = willNotEnd(remaining).length
  if (stuck === 1 && working === 1) return `${held}, and will not end soon.`
  // Locks that will not end are listed first, and the list is limited.
  const atLeast = stuck === remaining.length && stuck < working ? 'at least ' : ''
  if (stuck > 0)
    return `${held}; ${atLeast}${plural(stuck, 'of them will not end', 'of them will not end')} soon.`
  const ends = remaining.map(({ why, endsAt }) => (why === 'ends' ? (endsAt ?? 0) - at : 0))
  return `${held}; the last one ends in ${seconds(Math.max(0, ...ends))}.`
}

function restartSentence({ to }: SwitchRun, now: SwitchNow): string {
  const held = workersLocks(now.to)
  return held === 0
    ? `Nothing has been acquired in ${shown(to)} yet.`
    : `${plural(held, 'lock is', 'locks are')} held in ${shown(to)}, but may have been acquired before this step. Lockkeeper waits for another acquisition.`
}

function verifySentence(run: SwitchRun, now: SwitchNow): string {
  const present = disturbance(run, now)
  const seen = seenSentence(run, present === null)
  if (present !== null || seen !== null) return [present, seen].filter(each => each !== null).join(' ')
  if (now.firstArrivalInNewAt === null) return restartSentence(run, now)
  return 'Everything is as expected, and must stay so for a while.'
}

function disturbance({ from }: SwitchRun, now: SwitchNow): string | null {
  if (now.splits.length > 0)
    return `${plural(now.splits.length + now.unlistedSplits, 'name is', 'names are')} held in both stores at once.`
  if (workersLocks(now.from) === 0) return null
  return `${plural(workersLocks(now.from), 'lock is', 'locks are')} held in ${shown(from)} again: a worker still uses it.`
}

/** Evidence that no waiting settles: the lock, its holder, and what to do. */
function seenSentence(run: SwitchRun, isOver: boolean): string | null {
  const { strays, splits } = seenAfterRestart(run)
  const stray = strays.at(-1)
  const overlap = splits.at(-1)
  const more = strays.length + splits.length - 1
  const what = overlap
    ? `${shownName(overlap.name)} was held in ${shown(run.from)}${by(overlap.fromHolder)} and in ${shown(run.to)}${by(overlap.toHolder)} at once`
    : stray && `${shownName(stray.key)} was acquired in ${shown(run.from)}${by(stray.holder)}`
  if (what === undefined) return null
  const atLeast = mayBeMore(run, { strays, splits }) ? 'at least ' : ''
  const others = more > 0 ? `, and ${atLeast}${plural(more, 'more was', 'more were')} seen` : ''
  const advice = isOver ? 'Quiet now does not prove that it was the last time: stop' : 'Stop'
  return `${what} after the workers were started again${others}. ${advice} that worker and go back to "${STEP_WORDS.stop.title}", or finish with a reason.`
}

/** Why a lock is still there, and what to do about it. */
export function remainingSentence({ key, holder, endsAt, renewals, why }: Remaining, now: number): string {
  const lock = `${shownName(key)}${holder === null ? '' : `, held by ${shownName(holder)},`}`
  const ends =
    endsAt === null ? 'at some time' : `in ${sayDuration(Math.max(0, endsAt - now), { coarse: true })}`
  switch (why) {
    case 'hold':
      return `${shownName(key)} is a ${shownName(holder ?? 'maintenance hold')}: no worker has it. Release it before the old store is cleaned.`
    case 'renewed':
      return `${lock} is kept by renewing it (${sayTimes(renewals)} while it was watched): its holder still runs.`
    case 'never-ends':
      return `${lock} has no expiry: it stays until its holder or an operator releases it.`
    case 'far-away':
      return `${lock} ends ${ends} only.`
    case 'ends':
      return `${lock} ends ${ends}.`
  }
}

/** For a store that does not answer when a switch starts or resumes: leaving such a store is what switches are for. */
export function unreachedWarning(side: Side, error: { readonly message: string }): string {
  return `${shown(side)} cannot be reached${because(error)}. Lockkeeper keeps retrying. Until it answers, its checks are unknown: such a step waits, or is passed by hand with --pass.`
}

/** Shown at every step; null while all workers are stopped. */
export function strayWarning(run: SwitchRun): string | null {
  const last = run.strays.at(-1)
  if (!last || run.ended !== null) return null
  const count = countOf(run, 'strays')
  const more = count >= MOST_STRAYS ? 'At least ' : ''
  return `${more}${plural(count, 'lock was', 'locks were')} acquired in ${shown(run.from)} after its workers counted as stopped, last ${shownName(last.key)}${by(last.holder)}: a worker was not stopped, or still has the old provider.`
}

export function overlapWarning(run: SwitchRun, now: SwitchNow): string | null {
  if (now.splits.length === 0) return null
  const names = now.splits.slice(0, 5).map(overlap => shownName(overlap.name))
  const more = now.splits.length + now.unlistedSplits - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: held in ${shown(run.from)} and in ${shown(run.to)} at once, so the same job may be running twice. Stop one of the two before you go on.`
}

function because(error: { readonly message: string } | null): string {
  return error === null ? '' : ` (${error.message.replace(/\.$/, '')})`
}

function by(holder: string | null): string {
  return holder === null ? '' : ` by ${shownName(holder)}`
}

function shown({ storeName }: Side): string {
  return shownName(storeName, LONGEST_STORE)
}

/** Stores with equal names are named by their addresses, which must not be cut off where they differ. */
export function namedApart(run: SwitchRun): SwitchRun {
  const { from, to } = run
  if (from.storeName !== to.storeName) return run
  const named = (side: Side) => ({ ...side, storeName: side.address })
  return { ...run, from: named(from), to: named(to) }
}

function seconds(ms: number): string {
  return sayDuration(ms, { tenths: false })
}

const LONGEST_STORE = 400
