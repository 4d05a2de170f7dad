import { parseAddress, showAddress } from '../../../../shared/address.ts'
import { type Client, comparePlan } from '../../../../shared/client.ts'
import { sayDuration } from '../../../../shared/duration.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { followPlan, type LoadedPlan, type PlanState } from '../../../../shared/plan-state.ts'
import { planOutcome } from '../../../../shared/plan-words.ts'
import {
  isAsWanted,
  missingConfirmations,
  type PlanEntry,
  type PlanProgress,
  type PlanResult,
  type PlanSummary,
  typedConfirmation,
} from '../../../../shared/plans.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { connect, openStores } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print, printJsonItems } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/layout.ts'
import { progressBar, StatusLine } from '../lib/status-line.ts'
import { explainMissing, productionNames, undoCommandLine, undoConfirmations } from './confirm.ts'

export type ApplyOptions = {
  /** The confirmations that were typed; for an undo, names of stores. */
  readonly confirm: readonly string[]
  readonly reason: string
  readonly rate?: number | undefined
  readonly json?: boolean | undefined
  /** The address that the operator expects the plan's store to have. */
  readonly store: string | undefined
  /** The operator has just read the plan. */
  readonly isShown?: boolean
  /** The operator has named what to undo. */
  readonly isUndo?: boolean
}

const NAMED_LOCKS = 20

/** Applies a plan and prints the result of every lock. */
export async function applyPlan(
  client: Client,
  plan: PlanSummary,
  options: ApplyOptions,
  io: Io,
): Promise<number> {
  const counts = unwrap(await followPlan(client, plan.planId)).countsByStore()
  const typed = options.confirm.map(typedConfirmation)
  // The author of a plan chooses where its passwords would go: nothing is contacted for a plan that the operator has not seen.
  if (options.isUndo || isSeen(plan, counts, typed)) await openPlanStores(plan, counts, options.store, io)
  // Only an open store has the name that the operator types.
  const state = unwrap(await followPlan(client, plan.planId))
  const { reason, rate, isShown = false, isUndo = false } = options
  const confirm = isUndo ? undoConfirmations(state, options.confirm) : options.confirm
  const isConfirmed = missingConfirmations(state.plan, counts, confirm).length === 0
  if (!options.json && isConfirmed) await printChanges(client, plan, io)

  const { planId } = plan
  // A wrong confirmation is sent too: core refuses it and audits the attempt.
  const started = await client.call('plans.apply', { planId, confirm: [...confirm], reason, rate })
  if (!started.ok && started.error.code === 'REFUSED')
    await explainMissing(client, planId, { confirm, isShown, isUndo }, io)
  unwrap(started)
  const stop = () => {
    io.stderr.write('\nStopping: requests in flight finish, the remaining locks are not touched.\n')
    void client.call('plans.steer', { planId, to: 'stop' })
  }
  io.signal.addEventListener('abort', stop)
  if (io.signal.aborted) stop()
  const line = new StatusLine(io.stderr)
  const showProgress = options.json ? () => {} : progressPrinter(io, line)
  const end = unwrap(await followPlan(client, planId, state => state.isOver, showProgress))
  line.clear()
  io.signal.removeEventListener('abort', stop)

  await (options.json ? printJson(end, io) : printEnd(end, io))
  const isWhole = end.kept().every(({ n }) => isAsWanted(end.results.get(n) ?? null))
  // An undo is not complete if a released lock cannot be restored and so is not in the plan.
  return isWhole && !(plan.kind === 'restore' && plan.left > 0) ? EXIT.done : EXIT.partly
}

/** Whether the number and the code of each store's locks were typed, which do not depend on its name. */
function isSeen({ code }: PlanSummary, counts: readonly number[], typed: readonly string[]): boolean {
  const distinct = [...new Set(typed)]
  return counts.every(count => {
    const ending = ` ${count}-${code}`
    const wanted = counts.filter(each => each === count).length
    return count === 0 || distinct.filter(text => text.endsWith(ending)).length >= wanted
  })
}

/** Opens the stores of the plan. Their addresses are the plan's own, except for one that the operator gave too. */
async function openPlanStores(
  plan: PlanSummary,
  counts: readonly number[],
  given: string | undefined,
  io: Io,
): Promise<void> {
  const wanted = plan.stores.filter((_, i) => (counts[i] ?? 0) > 0).map(({ address }) => address)
  const [only] = wanted
  const isOther = given !== undefined && showAddress(parseAddress(given)) !== only
  if (isOther && only !== undefined && plan.stores.length === 1)
    throw usageError(`The plan is for another store: ${neutralise(only)}`)
  for (const { answer } of await openStores(io, connect(io), wanted, given === undefined ? [] : [given]))
    unwrap(answer)
}

async function printChanges(client: Client, plan: PlanSummary, io: Io): Promise<void> {
  const { same, changes } = unwrap(await comparePlan(client.open, plan.planId))
  if (changes.length === 0 || plan.kind === 'restore') return
  const count = (now: string) => changes.filter(change => change.now === now).length
  const parts = [
    [same, 'unchanged'],
    [count('renewed'), 'renewed by the same holder (still released)'],
    [count('changed'), 'renewed or acquired by another holder (not touched)'],
    [count('gone'), 'gone'],
    [count('unread'), 'unreadable'],
  ] as const
  const texts = parts.filter(([n]) => n > 0).map(([n, what]) => `${sayNumber(n)} ${what}`)
  await printWrapped([`Since the plan was made: ${texts.join(', ')}.`], io)
}

async function printEnd(state: LoadedPlan, io: Io): Promise<void> {
  const { plan, results, returned } = state
  const { progress, kind, left, undoUntil } = plan
  const entries = state.kept()
  const lines = [planOutcome(progress)]
  const untouched = entries.flatMap(entry => {
    const text = resultText(results.get(entry.n), entry)
    return text === null ? [] : [`  ${clip(escapeForTerminal(entry.key), 60)}: ${text}`]
  })
  lines.push(...untouched.slice(0, NAMED_LOCKS))
  if (untouched.length > NAMED_LOCKS)
    lines.push(`  and ${sayNumber(untouched.length - NAMED_LOCKS)} more; --json lists them all`)
  const back = entries.filter(({ n }) => returned.has(n))
  if (back.length > 0)
    lines.push(
      plural(
        back.length,
        'lock was re-acquired by its previous holder: it is alive.',
        'locks were re-acquired by their previous holders: they are alive.',
      ),
    )
  for (const { key } of back.slice(0, NAMED_LOCKS)) lines.push(`  ${clip(escapeForTerminal(key), 90)}`)
  if (kind === 'restore' && left > 0)
    lines.push(
      `${plural(left, 'lock', 'locks')} released with them cannot be restored: their format rules it out, or their record was too large for a copy.`,
    )
  if (kind === 'release' && progress.returned === null && progress.counts.released > 0)
    lines.push('Whether any of them was re-acquired could not be checked.')
  for (const { store, error } of progress.troubles)
    lines.push(`${escapeForTerminal(plan.stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
  if (progress.state === 'stopped')
    lines.push('Run the same command to resume with the remaining locks; the file has the results so far.')
  await printWrapped(lines, io)
  const until = isoTime(undoUntil)?.slice(11, 19)
  // A command is not wrapped, because it is copied.
  const command = undoCommandLine(plan.planId, productionNames(state))
  if (until) await print(io, `Until ${until} UTC this can be undone: ${command}`)
}

/** Breaks long lines, and keeps their indent. */
async function printWrapped(lines: readonly string[], io: Io): Promise<void> {
  for (const line of lines) {
    const indent = line.startsWith('  ') ? '  ' : ''
    await print(io, ...wrap(indent, line.slice(indent.length), widthOf(io)))
  }
}

/** A line for each result that is not the wanted one. */
function resultText(result: PlanResult | undefined, entry: PlanEntry): string | null {
  switch (result?.is) {
    case 'failed':
      return `failed${result.error.uncertain ? ', or perhaps not' : ''}: ${neutralise(result.error.message)}`
    case 'changed':
      return changedText(result.owner, entry)
    case 'taken':
      return 'not restored, another holder has the name'
    case 'ended':
      return 'not restored, its lease would have ended by now'
    case 'tried':
      return 'attempted with unknown outcome'
    case 'gone':
      return result.perhapsOurs ? 'gone, perhaps by an earlier attempt of this plan' : null
    default:
      return null
  }
}

function changedText(owner: string | null, entry: PlanEntry): string {
  if (owner === null) return 'not touched, it is not the lock of the plan'
  // With the deadline in the fence, a renewal looks the same as a new holder that writes the same value.
  return owner === entry.owner
    ? 'not touched, it was renewed or re-acquired under the same name'
    : `not touched, it has another holder now (${clip(escapeForTerminal(owner), 40)})`
}

async function printJson(end: LoadedPlan, io: Io): Promise<void> {
  const { plan, results, returned } = end
  const { planId, kind, file } = plan
  const { state, reason, total, counts, returned: cameBack, troubles } = plan.progress
  const undoUntil = isoTime(plan.undoUntil)
  const shown = { planId, kind, file, state, reason, total, counts, cameBack, troubles, undoUntil }
  const head = kind === 'restore' ? { ...shown, cannotBeRestored: plan.left } : shown
  await print(io, `${safeJson(head).slice(0, -1)},"locks":[`)
  await printJsonItems(io, end.kept(), ({ n, id, key, store, format, fence }) => {
    const { is = 'not attempted', ...more } = results.get(n) ?? {}
    const lock = { id, key, store: plan.stores[store]?.address, format, fence, outcome: is, ...more }
    return returned.has(n) ? { ...lock, cameBack: true } : lock
  })
  await print(io, ']}')
}

/** Between two lines without a terminal. */
const LINE_EVERY_MS = 5000

/** Prints a bar on a terminal, and a line now and then elsewhere. */
function progressPrinter({ stderr }: Io, line: StatusLine) {
  let printedAt = performance.now()
  return ({ plan }: PlanState): void => {
    if (plan === null) return
    const text = progressLine(plan)
    const share = doneOf(plan.progress) / (plan.progress.total || 1)
    if (line.paint(`${progressBar(share)} ${text}`) || performance.now() - printedAt < LINE_EVERY_MS) return
    printedAt = performance.now()
    stderr.write(`${text}\n`)
  }
}

function doneOf({ total, counts }: PlanProgress): number {
  return total - counts.pending - counts.tried
}

function progressLine({ progress, stores }: PlanSummary): string {
  const parts = [
    `${sayNumber(doneOf(progress))} of ${sayNumber(progress.total)}`,
    ...(progress.counts.failed > 0 ? [`${progress.counts.failed} failed`] : []),
    ...paceOf(progress),
  ]
  const [trouble] = progress.troubles
  if (trouble) {
    const { store, error, retryInMs } = trouble
    parts.push(`${escapeForTerminal(stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
    if (retryInMs !== null) parts.push(`retrying in ${sayDuration(retryInMs)}`)
  }
  return parts.join(' · ')
}

function paceOf({ state, perSecond, leftMs }: PlanProgress): string[] {
  if (state === 'checking') return ['checking whether any was re-acquired']
  if (state === 'stopping') return ['stopping']
  return [
    ...(perSecond ? [`${sayNumber(Math.round(perSecond))}/s`] : []),
    ...(leftMs === null ? [] : [`${sayDuration(leftMs, { tenths: false })} left`]),
  ]
}
