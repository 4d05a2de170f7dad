import { AddressError, parseAddress, showAddress } from '../../../../shared/address.ts'
import type { Client } from '../../../../shared/client.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { followPlan, type LoadedPlan } from '../../../../shared/plan-state.ts'
import { planOutcome } from '../../../../shared/plan-words.ts'
import {
  confirmationOf,
  isAsWanted,
  type PlanEntry,
  type PlanResult,
  type PlanSummary,
} from '../../../../shared/plans.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { openStore } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/wrap.ts'
import { ProgressPrinter } from './progress.ts'

export type ApplyOptions = {
  readonly confirm: readonly string[]
  readonly reason: string
  readonly rate: number | undefined
  readonly json: boolean
  /** The address of the plan's store with its password, if it needs one. */
  readonly store: string | undefined
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
  const missing = missingConfirmation(plan, counts, options.confirm)
  await openStores(plan, counts, options.store, io)
  if (!options.json && missing === null) await printChanges(client, plan, io)

  const { reason, rate } = options
  const request = {
    planId: plan.planId,
    confirm: [...options.confirm],
    reason,
    ...(rate === undefined ? {} : { rate }),
  }
  // A wrong confirmation is sent too: core refuses it and audits the attempt.
  const started = await client.call('plans.apply', request)
  if (!started.ok && started.error.code === 'REFUSED' && missing !== null)
    throw usageError(`To apply this plan, confirm it with --confirm "${neutralise(missing)}"`)
  unwrap(started)
  const stop = () => {
    io.stderr.write('\nStopping: requests in flight finish, the remaining locks are not touched.\n')
    void client.call('plans.steer', { planId: plan.planId, to: 'stop' })
  }
  io.signal.addEventListener('abort', stop)
  if (io.signal.aborted) stop()
  const printer = options.json ? null : new ProgressPrinter(io)
  const end = unwrap(
    await followPlan(
      client,
      plan.planId,
      state => state.isOver,
      state => state.plan && printer?.show(state.plan),
    ),
  )
  printer?.end()
  io.signal.removeEventListener('abort', stop)

  await (options.json ? printJson(end, io) : printEnd(end, io))
  const isWhole = end.kept().every(({ n }) => isAsWanted(end.results.get(n) ?? null))
  // An undo is not complete if a released lock cannot be restored and so is not in the plan.
  return isWhole && !(plan.kind === 'restore' && plan.left > 0) ? EXIT.done : EXIT.partly
}

/** The first confirmation that was not given. */
function missingConfirmation(
  plan: PlanSummary,
  counts: readonly number[],
  confirm: readonly string[],
): string | null {
  const wanted = plan.stores.map((store, i) => confirmationOf(store, counts[i] ?? 0))
  return wanted.find((text, i) => (counts[i] ?? 0) > 0 && !confirm.includes(text)) ?? null
}

/** Opens the stores of the plan. */
async function openStores(
  plan: PlanSummary,
  counts: readonly number[],
  given: string | undefined,
  io: Io,
): Promise<void> {
  for (const [i, { address }] of plan.stores.entries()) {
    if ((counts[i] ?? 0) === 0) continue
    const isIt = given !== undefined && shownAddress(given) === address
    if (given !== undefined && !isIt && plan.stores.length === 1)
      throw usageError(`The plan is for another store: ${neutralise(address)}`)
    await openStore(io, isIt ? given : address)
  }
}

function shownAddress(given: string): string {
  try {
    return showAddress(parseAddress(given))
  } catch (error) {
    throw usageError(error instanceof AddressError ? error.message : 'This is not the address of a store')
  }
}

async function printChanges(client: Client, plan: PlanSummary, io: Io): Promise<void> {
  const { same, changes } = unwrap(await client.call('plans.compare', { planId: plan.planId }))
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
  for (const line of wrap('', `Since the plan was made: ${texts.join(', ')}.`, widthOf(io)))
    await print(io, line)
}

async function printEnd(state: LoadedPlan, io: Io): Promise<void> {
  const { plan, results, returned } = state
  const { progress } = plan
  const entries = state.kept()
  const say = async (text: string, first = '') => {
    for (const line of wrap(first, text, widthOf(io))) await print(io, line)
  }
  await say(planOutcome(progress))
  const lines = entries.flatMap(entry => {
    const text = resultText(results.get(entry.n), entry)
    return text === null ? [] : [`${clip(escapeForTerminal(entry.key), 60)}: ${text}`]
  })
  for (const line of lines.slice(0, NAMED_LOCKS)) await say(line, '  ')
  if (lines.length > NAMED_LOCKS)
    await print(io, `  and ${sayNumber(lines.length - NAMED_LOCKS)} more; --json lists them all`)
  const back = entries.filter(({ n }) => returned.has(n))
  if (back.length > 0) {
    await say(
      back.length === 1
        ? '1 lock was re-acquired by its previous holder: it is alive.'
        : `${back.length} locks were re-acquired by their previous holders: they are alive.`,
    )
    for (const { key } of back.slice(0, NAMED_LOCKS)) await print(io, `  ${clip(escapeForTerminal(key), 90)}`)
  }
  if (plan.kind === 'restore' && plan.left > 0)
    await say(
      `${plural(plan.left, 'lock', 'locks')} released with them cannot be restored: see lockkeeper formats.`,
    )
  if (plan.kind === 'release' && progress.returned === null && progress.counts.released > 0)
    await print(io, 'Whether any of them was re-acquired could not be checked.')
  for (const { store, error } of progress.troubles)
    await say(`${escapeForTerminal(plan.stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
  if (progress.state === 'stopped')
    await print(
      io,
      'Run the same command to resume with the remaining locks; the file has the results so far.',
    )
  if (plan.undoUntil !== null)
    await print(
      io,
      `Until ${new Date(plan.undoUntil).toISOString().slice(11, 19)} UTC this can be undone: lockkeeper undo ${plan.planId}`,
    )
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
  const { planId, kind, file, undoUntil, progress } = plan
  const { state, total, counts, troubles, reason } = progress
  const head = {
    planId,
    kind,
    file,
    state,
    reason,
    total,
    counts,
    cameBack: progress.returned,
    troubles,
    ...(kind === 'restore' ? { cannotBeRestored: plan.left } : {}),
    undoUntil: isoTime(undoUntil),
  }
  await print(io, `${safeJson(head).slice(0, -1)},"locks":[`)
  const entries = end.kept()
  for (const [i, { n, id, key, store, format, fence }] of entries.entries()) {
    const { is = 'pending', ...more } = results.get(n) ?? {}
    const line = {
      id,
      key,
      store: plan.stores[store]?.address,
      format,
      fence,
      outcome: is === 'pending' ? 'not attempted' : is,
      ...more,
      ...(returned.has(n) ? { cameBack: true } : {}),
    }
    await print(io, `${safeJson(line)}${i + 1 < entries.length ? ',' : ''}`)
  }
  await print(io, ']}')
}
