import { sayDuration } from './duration.ts'
import { kindOf } from './kinds.ts'
import { plural, sayTimes } from './numbers.ts'
import { clip, escapeForTerminal } from './safe-text.ts'
import type { Remaining, Side, SideNow, SwitchNow, SwitchRun, SwitchStep } from './switch.ts'
import { MOST_STRAYS, SWITCH_STEPS } from './switch.ts'
import { seenAfterRestart } from './switch-steps.ts'

/**
 * What a switch of providers says, on every screen. Names in the sentences are escaped already, so what prints them only
 * neutralises. How the two providers differ is in provider-words.ts.
 */

export const PROVIDER_VARIABLE = 'LOCK_PROVIDER'

/** The line that programs read. Null when both sides are of one kind: then only the place changes. */
export function providerLine({ from, to }: Sides): string | null {
  return from.kind === to.kind ? null : `${PROVIDER_VARIABLE}=${to.kind}`
}

type Sides = Pick<SwitchRun, 'from' | 'to'>

type StepWords = {
  readonly title: string
  /** What its check looks for. */
  readonly check: string
  readonly instruction: (sides: Sides) => string
}

export const STEP_WORDS: Readonly<Record<SwitchStep, StepWords>> = {
  understand: {
    title: 'Understand the change',
    check: 'Both stores can be read.',
    instruction: ({ from, to }) =>
      `Locks move from ${shown(from)} to ${shown(to)}. No lock is copied: a name that is held in the old store is free in the new one, so nothing may run while the provider changes. Read the differences, then continue.`,
  },
  stop: {
    title: 'Stop the workers',
    check: 'No worker acquires or renews anything in the old store.',
    instruction: ({ from }) =>
      `Stop every worker, scheduler and job that takes locks in ${shown(from)}, on every machine. What they still do there is shown here.`,
  },
  drain: {
    title: 'Let the old locks end',
    check: 'No worker holds a lock in the old store.',
    instruction: ({ from }) =>
      `Wait until no worker holds a lock in ${shown(from)}. Stop a holder that does not finish, or release its lock once you are sure that no job runs under it.`,
  },
  change: {
    title: 'Change the provider',
    check: `The file says the new ${PROVIDER_VARIABLE}.`,
    instruction: sides => {
      const line = providerLine(sides)
      if (line === null)
        return `Both stores are ${kindOf(sides.to.kind).label}, so ${PROVIDER_VARIABLE} stays as it is. Change the connection instead (${kindOf(sides.to.kind).variables.join(', ')}), for every program, then pass this step by hand.`
      return `Set ${line} for every program that takes locks, and see that ${kindOf(sides.to.kind).variables.join(', ')} lead to ${shown(sides.to)}.`
    },
  },
  clean: {
    title: 'Clean the old provider',
    check: 'No record of a lock is left in the old store.',
    instruction: ({ from }) =>
      `Release what is left in ${shown(from)}, expired locks included, so nothing is in the way if you ever go back.`,
  },
  restart: {
    title: 'Start the workers again',
    check: 'A lock was acquired in the new store.',
    instruction: ({ to }) =>
      `Start the workers again. The first lock that they take should appear in ${shown(to)}.`,
  },
  verify: {
    title: 'Verify',
    check: 'Workers take locks in the new store, none in the old one, and no name is held in both.',
    instruction: ({ from, to }) =>
      `Let the workers run for a while: locks have to appear in ${shown(to)}, and none in ${shown(from)}.`,
  },
}

/** `3 of 7`. */
export function stepPlace(step: SwitchStep): string {
  return `${SWITCH_STEPS.indexOf(step) + 1} of ${SWITCH_STEPS.length}`
}

/** How the check of a step stands, in one sentence. */
export function checkSentence(step: SwitchStep, run: SwitchRun, now: SwitchNow): string {
  const { is } = now.checks[step]
  if (is === 'unknown') return unknownSentence(step, run, now)
  const from = shown(run.from)
  const to = shown(run.to)
  const quiet = sayDuration(run.quietMs, { tenths: false })
  switch (step) {
    case 'understand':
      return is === 'met' ? 'Both stores can be read.' : unreadSentence(run, now)
    case 'stop':
      return is === 'met'
        ? `Nothing was acquired or renewed in ${from} for ${quiet}${now.from.holds ? ', maintenance holds aside' : ''}.`
        : `${lastArrival(now)} ${leftToWatch(run, now)}`
    case 'drain':
      return is === 'met' ? drainedSentence(run, now) : drainSentence(run, now)
    case 'change':
      return is === 'met'
        ? `The file says ${PROVIDER_VARIABLE}=${run.to.kind}.`
        : `The file says ${now.env?.value == null ? `nothing of ${PROVIDER_VARIABLE}` : `${PROVIDER_VARIABLE}=${name(now.env.value)}`}.`
    case 'clean':
      return is === 'met'
        ? `Nothing is left in ${from}.`
        : `${plural((now.from.held ?? 0) + (now.from.expired ?? 0), 'lock is', 'locks are')} still stored in ${from}${ofThemHolds(now)}.`
    case 'restart':
      return is === 'met' ? `A lock was acquired in ${to}.` : `Nothing has been acquired in ${to} yet.`
    case 'verify':
      return is === 'met'
        ? `Locks are taken in ${to}, and for ${quiet} no worker had one in ${from}.`
        : verifySentence(run, now)
  }
}

function unknownSentence(step: SwitchStep, run: SwitchRun, now: SwitchNow): string {
  if (step === 'change') {
    if (now.env?.problem != null) return `${now.env.problem}.`
    return providerLine(run) === null
      ? `${PROVIDER_VARIABLE} stays as it is; Lockkeeper cannot see whether the connection was changed.`
      : 'No file is set, so Lockkeeper cannot see whether the provider was changed.'
  }
  const needsNew = step === 'restart' || (step === 'verify' && now.from.status === 'live')
  const isNew = needsNew || (step === 'understand' && now.from.status !== 'closed')
  const side = isNew ? run.to : run.from
  const { status, error } = isNew ? now.to : now.from
  if (status === 'closed') return `${shown(side)} is not open here, so the check is unknown.`
  if (status === 'stale' && error === null) return `${shown(side)} is being read for the first time.`
  return `${shown(side)} cannot be read, so the check is unknown${because(error)}.`
}

function unreadSentence(run: SwitchRun, now: SwitchNow): string {
  const isNew = now.from.status === 'live'
  const side = shown(isNew ? run.to : run.from)
  const { status, error } = isNew ? now.to : now.from
  return status === 'stale' && error === null
    ? `${side} is being read for the first time.`
    : `${side} cannot be read now${because(error)}.`
}

function lastArrival({ arrivals, at }: SwitchNow): string {
  const [last] = arrivals
  if (!last) return 'Nothing has happened since watching started.'
  const ago = sayDuration(Math.max(0, at - last.at), { tenths: false })
  return `${name(last.key)} was ${last.what}${by(last.holder)} ${ago} ago.`
}

function leftToWatch(run: SwitchRun, now: SwitchNow): string {
  const since = Math.max(now.watchedSince ?? now.at, now.lastArrivalAt ?? 0)
  const left = Math.max(0, run.quietMs - (now.at - since))
  return `It has to be quiet for another ${sayDuration(Math.ceil(left / 1000) * 1000, { tenths: false })}.`
}

/** An operator's hold keeps nobody from going on here; but it is a record that is in the way later. */
function drainedSentence(run: SwitchRun, { from }: SwitchNow): string {
  if (!from.holds) return `No lock is held in ${shown(run.from)}.`
  return `No worker holds a lock in ${shown(run.from)}. ${plural(from.holds, 'maintenance hold is left there, and has', 'maintenance holds are left there, and have')} to be released before it is clean.`
}

/** How many locks workers have. */
function atWork({ held, holds }: SideNow): number {
  return (held ?? 0) - (holds ?? 0)
}

function ofThemHolds({ from: { held, expired, holds } }: SwitchNow): string {
  if (!holds) return ''
  if (holds === (held ?? 0) + (expired ?? 0))
    return holds === 1
      ? ', a maintenance hold that has to be released'
      : ', all of them maintenance holds that have to be released'
  return `, ${plural(holds, 'of them a maintenance hold that has', 'of them maintenance holds that have')} to be released`
}

function drainSentence(run: SwitchRun, { from, remaining, at }: SwitchNow): string {
  const working = atWork(from)
  if (working === 0)
    return `No worker holds a lock in ${shown(run.from)}, but something was acquired there a moment ago: a worker still runs.`
  const held = `${plural(working, 'lock is', 'locks are')} held in ${shown(run.from)}${from.holds ? ` besides ${plural(from.holds, 'maintenance hold', 'maintenance holds')}` : ''}`
  const stuck = remaining.filter(({ why }) => why !== 'ends' && why !== 'hold').length
  const last = Math.max(
    0,
    ...remaining.flatMap(({ why, endsAt }) => (why === 'ends' && endsAt !== null ? [endsAt - at] : [])),
  )
  if (stuck === 1 && working === 1) return `${held}, and will not end soon.`
  // What will not end comes first, and only so many are told.
  const isMore = stuck === remaining.length && stuck < working
  if (stuck > 0)
    return `${held}; ${isMore ? 'at least ' : ''}${plural(stuck, 'of them will not end', 'of them will not end')} soon.`
  return `${held}; the last one ends in ${sayDuration(last, { tenths: false })}.`
}

function verifySentence(run: SwitchRun, now: SwitchNow): string {
  const from = shown(run.from)
  const present =
    now.splits.length > 0
      ? `${plural(now.splits.length, 'name is', 'names are')} held in both stores at once.`
      : atWork(now.from) > 0
        ? `${plural(atWork(now.from), 'lock is', 'locks are')} held in ${from} again: a worker still uses it.`
        : null
  const seen = seenSentence(run, present === null)
  if (present !== null || seen !== null) return [present, seen].filter(each => each !== null).join(' ')
  if (now.firstArrivalInNewAt === null) return `Nothing has been acquired in ${shown(run.to)} yet.`
  return 'Everything is as expected, and must stay so for a while.'
}

/** What waiting does not mend: which lock it was, whose, and what has to be done. Null when there is no such thing. */
function seenSentence(run: SwitchRun, isOver: boolean): string | null {
  const { strays, splits } = seenAfterRestart(run)
  const stray = strays.at(-1)
  const split = splits.at(-1)
  const more = strays.length + splits.length - 1
  const what = split
    ? `${name(split.name)} was held in ${shown(run.from)}${by(split.fromHolder)} and in ${shown(run.to)}${by(split.toHolder)} at once`
    : stray && `${name(stray.key)} was acquired in ${shown(run.from)}${by(stray.holder)}`
  if (what === undefined) return null
  const others = more > 0 ? `, and ${plural(more, 'more such thing was', 'more such things were')} seen` : ''
  const advice = isOver ? 'Quiet now does not prove that it was the last time: stop' : 'Stop'
  return `${what} after the workers were started again${others}. ${advice} who it was and go back to "${STEP_WORDS.stop.title}", or finish with a reason.`
}

/** Why a lock is still there, and what to do about it. */
export function remainingSentence({ key, holder, endsAt, renewals, why }: Remaining, now: number): string {
  const lock = `${name(key)}${holder === null ? '' : `, held by ${name(holder)},`}`
  const ends =
    endsAt === null ? 'at some time' : `in ${sayDuration(Math.max(0, endsAt - now), { coarse: true })}`
  switch (why) {
    case 'hold':
      return `${name(key)} is a ${name(holder ?? 'maintenance hold')}: no worker has it. Release it before the old store is cleaned.`
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

/** Of a store that does not answer when a switch is begun or goes on: that is what switches are made for. */
export function unreachedWarning(side: Side, error: { readonly message: string }): string {
  return `${shown(side)} cannot be reached${because(error)}. Lockkeeper keeps retrying. Until it answers, its checks are unknown: such a step waits, or is passed by hand with --pass.`
}

/** Said at whatever step it is; null when all workers were stopped. */
export function strayWarning(run: SwitchRun): string | null {
  const last = run.strays.at(-1)
  if (!last || run.ended !== null) return null
  const more = run.strays.length >= MOST_STRAYS ? 'At least ' : ''
  return `${more}${plural(run.strays.length, 'lock was', 'locks were')} acquired in ${shown(run.from)} after its workers counted as stopped, last ${name(last.key)}${by(last.holder)}: a worker was not stopped, or still has the old provider.`
}

/** Why two holders of one name are a danger, and where they come from. */
export function splitWarning(run: SwitchRun, now: SwitchNow): string | null {
  if (now.splits.length === 0) return null
  const names = now.splits.slice(0, 5).map(split => name(split.name))
  const more = now.splits.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}: held in ${shown(run.from)} and in ${shown(run.to)} at once, so the same job may be running twice. Stop one of the two before you go on.`
}

function because(error: { readonly message: string } | null): string {
  return error === null ? '' : ` (${error.message.replace(/\.$/, '')})`
}

function by(holder: string | null): string {
  return holder === null ? '' : ` by ${name(holder)}`
}

function shown({ storeName }: Side): string {
  return escapeForTerminal(clip(storeName, LONGEST_STORE))
}

/** Two stores whose names are the same are told by their addresses, which must not be cut off where they differ. */
export function namedApart(run: SwitchRun): SwitchRun {
  const { from, to } = run
  if (from.storeName !== to.storeName) return run
  return {
    ...run,
    from: { ...from, storeName: from.address },
    to: { ...to, storeName: to.address },
  }
}

function name(text: string): string {
  return escapeForTerminal(clip(text, LONGEST))
}

const LONGEST = 80
const LONGEST_STORE = 400
