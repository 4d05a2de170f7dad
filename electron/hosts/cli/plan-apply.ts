import { parseAddress, showAddress } from '../../../shared/address.ts'
import type { Client } from '../../../shared/client.ts'
import { sayDuration } from '../../../shared/lease.ts'
import { confirmationOf, isAsWanted, type PlanResult, type PlanSummary } from '../../../shared/plan.ts'
import { planOutcome } from '../../../shared/plan-words.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { openStore } from './connect.ts'
import { EXIT, unwrap, usageError } from './exit.ts'
import { type Io, print } from './io.ts'
import { type Followed, followPlan, isOver, progressPrinter } from './plan-follow.ts'
import { countsOf } from './plan-summary.ts'

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
  checkConfirmation(plan, counts, options.confirm)
  await openStores(plan, counts, options.store, io)
  if (!options.json) await sayChanges(client, plan, io)

  const { confirm, reason, rate } = options
  const request = {
    planId: plan.planId,
    confirm: [...confirm],
    reason,
    ...(rate === undefined ? {} : { rate }),
  }
  unwrap(await client.call('plans.apply', request))
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
  return end.entries.every(({ n }) => isAsWanted(end.results.get(n) ?? null)) ? EXIT.done : EXIT.partly
}

function checkConfirmation(plan: PlanSummary, counts: readonly number[], confirm: readonly string[]): void {
  for (const [i, store] of plan.stores.entries()) {
    const wanted = confirmationOf(store, counts[i] ?? 0)
    if ((counts[i] ?? 0) > 0 && !confirm.includes(wanted))
      throw usageError(`To apply this plan, confirm it with --confirm "${neutralise(wanted)}"`)
  }
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
    const isIt = given !== undefined && showAddress(parseAddress(given)) === address
    if (given !== undefined && !isIt && plan.stores.length === 1)
      throw usageError(`The plan is about another store: ${neutralise(address)}`)
    await openStore(io, isIt ? given : address)
  }
}

async function sayChanges(client: Client, plan: PlanSummary, io: Io): Promise<void> {
  const { same, changes } = unwrap(await client.call('plans.compare', { planId: plan.planId }))
  if (changes.length === 0 || plan.kind === 'restore') return
  const count = (now: string) => changes.filter(change => change.now === now).length
  const parts = [
    [same, 'as they were'],
    [count('renewed'), 'renewed since (they are released all the same)'],
    [count('changed'), 'with another holder now (they are not touched)'],
    [count('gone'), 'gone'],
    [count('unread'), 'that cannot be read now'],
  ] as const
  const said = parts.filter(([n]) => n > 0).map(([n, what]) => `${n.toLocaleString('en')} ${what}`)
  await print(io, `Since the plan was made: ${said.join(', ')}.`)
}

async function printEnd({ plan, entries, results, returned }: Followed, io: Io): Promise<void> {
  const { progress } = plan
  await print(io, planOutcome(progress))
  const told = entries.flatMap(({ n, key }) => {
    const said = sayResult(results.get(n) ?? null)
    return said === null ? [] : [`  ${clip(escapeForTerminal(key), 60)}: ${said}`]
  })
  for (const line of told.slice(0, NAMED_LOCKS)) await print(io, line)
  if (told.length > NAMED_LOCKS)
    await print(io, `  and ${(told.length - NAMED_LOCKS).toLocaleString('en')} more; --json lists them all`)
  const back = entries.filter(({ n }) => returned.includes(n))
  if (back.length > 0) {
    await print(
      io,
      `${back.length === 1 ? '1 lock came' : `${back.length} locks came`} back with the same token: the holder is alive and wrote it again.`,
    )
    for (const { key } of back.slice(0, NAMED_LOCKS)) await print(io, `  ${clip(escapeForTerminal(key), 90)}`)
  }
  if (plan.kind === 'release' && progress.returned === null && progress.counts.released > 0)
    await print(io, 'Whether any of them came back could not be looked at.')
  for (const { store, error } of progress.troubles)
    await print(io, `${escapeForTerminal(plan.stores[store]?.name ?? '')}: ${neutralise(error.message)}`)
  if (progress.state === 'stopped')
    await print(io, 'The same command goes on with what is left; the file says what is known so far.')
  if (plan.undoUntil !== null)
    await print(
      io,
      `For ${sayDuration(plan.undoUntil - Date.now(), { coarse: true })} it can be undone: lockkeeper undo ${plan.planId}`,
    )
}

/** What is worth a line of its own; what went as wanted is not. */
function sayResult(result: PlanResult | null): string | null {
  switch (result?.is) {
    case 'failed':
      return `failed${result.error.uncertain ? ', or perhaps not' : ''}: ${neutralise(result.error.message)}`
    case 'changed':
      return `not touched, it has another holder now${result.owner === null ? '' : ` (${clip(escapeForTerminal(result.owner), 40)})`}`
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
