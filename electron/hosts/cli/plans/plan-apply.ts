import { AddressError, parseAddress, showAddress } from '../../../../shared/address.ts'
import type { Client } from '../../../../shared/client.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
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
import { type Followed, followPlan, isOver, progressPrinter } from './plan-follow.ts'
import { countsOf, sayLocks } from './plan-summary.ts'

export type ApplyOptions = {
  readonly confirm: readonly string[]
  readonly reason: string
  readonly rate: number | undefined
  readonly json: boolean
  /** The address with its password, where it needs one. */
  readonly store: string | undefined
}

const NAMED_LOCKS = 20

/** Applies a plan, and tells what became of every lock of it. */
export async function applyPlan(
  client: Client,
  plan: PlanSummary,
  options: ApplyOptions,
  io: Io,
): Promise<number> {
  const known = await followPlan(client, plan.planId, () => true)
  const counts = countsOf(plan, known.entries)
  const missing = missingConfirmation(plan, counts, options.confirm)
  await openStores(plan, counts, options.store, io)
  if (!options.json && missing === null) await sayChanges(client, plan, io)

  const { confirm, reason, rate } = options
  const request = {
    planId: plan.planId,
    confirm: [...confirm],
    reason,
    ...(rate === undefined ? {} : { rate }),
  }
  // Also when the confirmation is wrong: core refuses it, and so it is on record that somebody tried.
  const begun = await client.call('plans.apply', request)
  if (!begun.ok && begun.error.code === 'REFUSED' && missing !== null)
    throw usageError(`To apply this plan, confirm it with --confirm "${neutralise(missing)}"`)
  unwrap(begun)
  const stop = () => {
    io.stderr.write('\nStopping: what was sent is finished, the rest is left alone.\n')
    void client.call('plans.steer', { planId: plan.planId, to: 'stop' })
  }
  io.signal.addEventListener('abort', stop)
  if (io.signal.aborted) stop()
  const printer = progressPrinter(io, options.json)
  const end = await followPlan(client, plan.planId, isOver, printer.show)
  printer.end()
  io.signal.removeEventListener('abort', stop)

  await (options.json ? printJson(end, io) : printEnd(end, io))
  const isWhole = end.entries.every(({ n }) => isAsWanted(end.results.get(n) ?? null))
  // What was released and cannot be put back is in no plan, and the undo is not a whole one.
  return isWhole && !(plan.kind === 'restore' && plan.left > 0) ? EXIT.done : EXIT.partly
}

/** What should have been typed and was not; null when everything was. */
function missingConfirmation(
  plan: PlanSummary,
  counts: readonly number[],
  confirm: readonly string[],
): string | null {
  const wanted = plan.stores.map((store, i) => confirmationOf(store, counts[i] ?? 0))
  return wanted.find((text, i) => (counts[i] ?? 0) > 0 && !confirm.includes(text)) ?? null
}

/** Opens the stores that the plan is about, by their own addresses. */
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
      throw usageError(`The plan is about another store: ${neutralise(address)}`)
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

async function sayChanges(client: Client, plan: PlanSummary, io: Io): Promise<void> {
  const { same, changes } = unwrap(await client.call('plans.compare', { planId: plan.planId }))
  if (changes.length === 0 || plan.kind === 'restore') return
  const count = (now: string) => changes.filter(change => change.now === now).length
  const parts = [
    [same, 'as they were'],
    [count('renewed'), 'renewed since by the same holder (released all the same)'],
    [count('changed'), 'renewed or taken by another since (not touched)'],
    [count('gone'), 'gone'],
    [count('unread'), 'that cannot be read now'],
  ] as const
  const said = parts.filter(([n]) => n > 0).map(([n, what]) => `${sayNumber(n)} ${what}`)
  for (const line of wrap('', `Since the plan was made: ${said.join(', ')}.`, widthOf(io)))
    await print(io, line)
}

async function printEnd({ plan, entries, results, returned }: Followed, io: Io): Promise<void> {
  const { progress } = plan
  const say = async (text: string, first = '') => {
    for (const line of wrap(first, text, widthOf(io))) await print(io, line)
  }
  await say(planOutcome(progress))
  const told = entries.flatMap(entry => {
    const said = sayResult(results.get(entry.n) ?? null, entry)
    return said === null ? [] : [`${clip(escapeForTerminal(entry.key), 60)}: ${said}`]
  })
  for (const line of told.slice(0, NAMED_LOCKS)) await say(line, '  ')
  if (told.length > NAMED_LOCKS)
    await print(io, `  and ${sayNumber(told.length - NAMED_LOCKS)} more; --json lists them all`)
  const back = entries.filter(({ n }) => returned.includes(n))
  if (back.length > 0) {
    await say(
      `${plural(back.length, 'lock came', 'locks came')} back with the same token: the holder is alive and wrote it again.`,
    )
    for (const { key } of back.slice(0, NAMED_LOCKS)) await print(io, `  ${clip(escapeForTerminal(key), 90)}`)
  }
  if (plan.kind === 'restore' && plan.left > 0)
    await say(`${sayLocks(plan.left)} released with them cannot be put back: lockkeeper formats says why.`)
  if (plan.kind === 'release' && progress.returned === null && progress.counts.released > 0)
    await print(io, 'Whether any of them came back could not be looked at.')
  for (const { store, error } of progress.troubles)
    await say(`${escapeForTerminal(plan.stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
  if (progress.state === 'stopped')
    await print(io, 'The same command goes on with what is left; the file says what is known so far.')
  if (plan.undoUntil !== null)
    await print(
      io,
      `Until ${new Date(plan.undoUntil).toISOString().slice(11, 19)} UTC it can be undone: lockkeeper undo ${plan.planId}`,
    )
}

/** What is worth a line of its own; what went as wanted is not. */
function sayResult(result: PlanResult | null, entry: PlanEntry): string | null {
  switch (result?.is) {
    case 'failed':
      return `failed${result.error.uncertain ? ', or perhaps not' : ''}: ${neutralise(result.error.message)}`
    case 'changed':
      return sayChanged(result.owner, entry)
    case 'taken':
      return 'not put back, its name is taken'
    case 'ended':
      return 'not put back, its lease would be over by now'
    case 'tried':
      return 'tried, and nobody knows what came of it'
    case 'gone':
      return result.perhapsOurs ? 'gone, perhaps by an earlier attempt of this plan' : null
    default:
      return null
  }
}

function sayChanged(owner: string | null, entry: PlanEntry): string {
  if (owner === null) return 'not touched, it is not the lock that was seen'
  // Where the deadline is part of the fence, a renewal cannot be told from a next holder that writes the same.
  return owner === entry.owner
    ? 'not touched, it was renewed or taken again since, under the same name'
    : `not touched, it has another holder now (${clip(escapeForTerminal(owner), 40)})`
}

async function printJson({ plan, entries, results, returned }: Followed, io: Io): Promise<void> {
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
    ...(kind === 'restore' ? { cannotBePutBack: plan.left } : {}),
    undoUntil: undoUntil === null ? null : new Date(undoUntil).toISOString(),
  }
  await print(io, `${safeJson(head).slice(0, -1)},"locks":[`)
  const back = new Set(returned)
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
      ...(back.has(n) ? { cameBack: true } : {}),
    }
    await print(io, `${safeJson(line)}${i + 1 < entries.length ? ',' : ''}`)
  }
  await print(io, ']}')
}
