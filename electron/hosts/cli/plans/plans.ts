import { followPlan } from '../../../../shared/plan-state.ts'
import { planWarnings } from '../../../../shared/plan-words.ts'
import { confirmationsOf, type PlanSummary } from '../../../../shared/plans.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, lockState, locksPerSecond, requireReason } from '../lib/args.ts'
import { connect, type OpenedStore, openStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/layout.ts'
import { type ApplyOptions, applyPlan } from './apply.ts'
import { applyCommand, planText } from './summary.ts'

/** Default time between the two reads that show which locks are being renewed. */
const WATCH_SECONDS = 2

/** Selects the locks that have expired but are still stored. */
const LEFTOVERS = 'state:expired'

export async function releaseAllCommand(args: Args, io: Io): Promise<number> {
  const { plan, apply } = args.options
  if ((plan === undefined) === (apply === undefined))
    throw usageError(
      'release-all needs either --plan FILE, which writes a plan, or --apply FILE, which applies one',
    )
  if (apply !== undefined) {
    const options = applyOptions(args)
    const client = connect(io, { stoppable: false })
    const acceptFile = args.options['accept-file']
    const opened = unwrap(await client.call('plans.open', { file: apply, acceptFile }))
    return applyPlan(client, opened, options, io)
  }
  const opened = await openStore(io, args.positionals[0] as string)
  const made = await makePlan(opened, filterFrom(args), args, io)
  return showPlan(opened, made, args, io)
}

/** Makes a plan of the expired locks; with --confirm, applies it. */
export async function cleanupCommand(args: Args, io: Io): Promise<number> {
  const options = args.options.confirm === undefined ? null : applyOptions(args)
  const opened = await openStore(io, args.positionals[0] as string)
  // An expired lock is renewed by no one, so one read is enough.
  const onceRead = { ...args, options: { ...args.options, watch: '0' } }
  const plan = await makePlan(opened, LEFTOVERS, onceRead, io).catch(error => {
    if (error instanceof CliError && error.failure.code === 'NOT_FOUND') return null
    throw error
  })
  if (plan === null) {
    await print(io, args.options.json ? '{"count":0}' : 'There are no expired locks.')
    return EXIT.done
  }
  if (options === null) return showPlan(opened, plan, args, io)
  return applyPlan(connect(io, { stoppable: false }), plan, options, io)
}

/** Restores what a plan or a single release released, where the name is still free. */
export async function undoCommand(args: Args, io: Io): Promise<number> {
  const [of, store] = args.positionals as [string, string | undefined]
  const { reason, json } = args.options
  const confirm = [args.options.confirm ?? []].flat()
  const why = confirm.length > 0 ? requireReason(reason) : reason?.trim() || `Undo of ${of}`
  const client = connect(io, { stoppable: false })
  const plan = unwrap(await client.call('plans.undo', { of }))
  try {
    return await applyPlan(client, plan, { confirm, reason: why, json, store, isUndo: true }, io)
  } catch (error) {
    const { planId } = plan
    const state = await followPlan(client, planId)
    if (state.ok && state.value.plan.progress.state === 'ready') await client.call('plans.remove', { planId })
    throw error
  }
}

/** The options for applying a plan, checked before any store is opened. */
function applyOptions({ positionals: [store], options }: Args): ApplyOptions {
  return {
    confirm: [options.confirm ?? []].flat(),
    reason: requireReason(options.reason),
    rate: locksPerSecond(options.rate, '--rate'),
    json: options.json,
    store,
  }
}

/** The options as one filter, which the plan keeps. */
function filterFrom({ options }: Args): string {
  const state = lockState(options.state, '--state')
  const quoted = (name: 'owner' | 'key') => {
    const value = options[name]
    if (value === '' || value?.includes('"')) throw usageError(`--${name} is empty or contains a "`)
    return value && `${name}:"${value}"`
  }
  return [state && `state:${state}`, quoted('owner'), quoted('key'), options.filter].filter(Boolean).join(' ')
}

async function makePlan(
  { client, info }: OpenedStore,
  filter: string,
  { options }: Args,
  io: Io,
): Promise<PlanSummary> {
  const seconds = options.watch === undefined ? WATCH_SECONDS : Number(options.watch)
  if (!(seconds >= 0 && seconds <= 60)) throw usageError('--watch must be 0 to 60 seconds')
  if (seconds > 0 && io.stderr.isTTY)
    io.stderr.write(`Reading twice, ${seconds} s apart, to see which locks are being renewed…\n`)
  const watchMs = Math.round(seconds * 1000)
  const input = { storeIds: [info.storeId], filter, watchMs, file: options.plan }
  return unwrap(await client.call('plans.create', input))
}

async function showPlan(
  { client, info, hasPassword }: OpenedStore,
  plan: PlanSummary,
  { options }: Args,
  io: Io,
): Promise<number> {
  const state = unwrap(await followPlan(client, plan.planId))
  const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
  const confirm = confirmationsOf(plan, state.countsByStore())
  const command = applyCommand(plan, confirm, {
    reason: options.reason,
    // A plan alone gets no password that may be for another store.
    store: hasPassword ? info.address : undefined,
  })
  if (options.json) {
    const { planId, file, count, left, stores, filter } = plan
    const warnings = planWarnings(plan, state.entries, formats)
    await print(io, safeJson({ planId, file, count, left, filter, stores, warnings, confirm, command }))
    return EXIT.done
  }
  const width = widthOf(io)
  const end = [
    `Nothing was changed. The plan is in ${escapeForTerminal(plan.file)}.`,
    ...(hasPassword
      ? ['The password is not in it: give it again in the same way, or enter it when asked.']
      : []),
    'To apply exactly this plan:',
  ]
  await print(io, ...planText(state, formats, width), '', ...end.flatMap(each => wrap('', each, width)))
  await print(io, '', command)
  return EXIT.done
}
