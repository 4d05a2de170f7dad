import { parseAddress } from '../../../../shared/address.ts'
import type { Input } from '../../../../shared/contract.ts'
import { LOCK_STATES } from '../../../../shared/locks.ts'
import { planWarnings } from '../../../../shared/plan-words.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, parse } from '../lib/args.ts'
import { connect, type OpenedStore, openStore } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/wrap.ts'
import { applyPlan } from './plan-apply.ts'
import { followPlan } from './plan-follow.ts'
import { applyCommand, countsOf, sayPlan } from './plan-summary.ts'

const OPTIONS = {
  plan: { type: 'string' },
  apply: { type: 'string' },
  confirm: { type: 'string', multiple: true },
  reason: { type: 'string' },
  rate: { type: 'string' },
  state: { type: 'string' },
  owner: { type: 'string' },
  key: { type: 'string' },
  filter: { type: 'string' },
  watch: { type: 'string' },
} as const

/** How far apart the two looks are that show who renews, unless it is said. */
const WATCH_SECONDS = 2

export async function releaseAllCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = parse(argv, OPTIONS, [], ['store'])
  const { plan, apply } = args.options
  if ((plan === undefined) === (apply === undefined))
    throw usageError(
      'release-all needs --plan FILE, which writes a plan, or --apply FILE, which applies one; it releases nothing by itself',
    )
  if (typeof apply === 'string') return applyFile(apply, args, io)
  const [address] = args.positionals
  if (address === undefined) throw usageError('The store is missing: a plan is made of its locks')
  const opened = await openStore(io, address)
  const made = await makePlan(opened, filterFrom(args), args, io)
  return showPlan(opened, made, args, io)
}

async function applyFile(file: string, args: Args, io: Io): Promise<number> {
  const options = applyOptions(args)
  const client = connect(io, { stoppable: false })
  const plan = unwrap(await client.call('plans.open', { file }))
  return applyPlan(client, plan, { ...options, store: args.positionals[0] }, io)
}

/** What applying needs, checked before anything is opened. */
export function applyOptions({ options }: Args) {
  const { reason, rate, json } = options
  const confirm = [options['confirm'] ?? []].flat().map(String)
  if (typeof reason !== 'string' || reason.trim() === '')
    throw usageError('A reason is missing: say --reason TEXT, which goes into the audit log')
  return { confirm, reason, rate: rateFrom(rate), json: json === true }
}

function rateFrom(value: Args['options'][string]): number | undefined {
  if (value === undefined) return undefined
  const rate = Number(value)
  if (!(rate >= 0.1 && rate <= 100_000)) throw usageError('--rate must be 0.1 to 100000 locks a second')
  return rate
}

/** The options as the console's own filter, which the plan keeps. */
export function filterFrom({ options }: Args): string {
  const { state, owner, key, filter } = options
  if (state !== undefined && !LOCK_STATES.some(each => each === state))
    throw usageError(`--state must be one of ${LOCK_STATES.join(', ')}`)
  const quoted = (name: string, value: Args['options'][string]) => {
    if (value === undefined) return []
    if (value === '' || String(value).includes('"')) throw usageError(`--${name} is empty or has a " in it`)
    return [`${name}:"${value}"`]
  }
  return [
    ...(state === undefined ? [] : [`state:${state}`]),
    ...quoted('owner', owner),
    ...quoted('key', key),
    ...(typeof filter === 'string' ? [filter] : []),
  ].join(' ')
}

export async function makePlan(
  { client, info }: OpenedStore,
  filter: string,
  { options }: Args,
  io: Io,
): Promise<PlanSummary> {
  const seconds = options['watch'] === undefined ? WATCH_SECONDS : Number(options['watch'])
  if (!(seconds >= 0 && seconds <= 60)) throw usageError('--watch must be 0 to 60 seconds')
  if (seconds > 0 && io.stderr.isTTY)
    io.stderr.write(`Looking twice, ${seconds} s apart, to see which locks are being renewed…\n`)
  const input: Input<'plans.create'> = {
    storeIds: [info.storeId],
    filter,
    watchMs: Math.round(seconds * 1000),
    ...(typeof options['plan'] === 'string' ? { file: options['plan'] } : {}),
  }
  return unwrap(await client.call('plans.create', input))
}

export async function showPlan(
  { client }: OpenedStore,
  plan: PlanSummary,
  { positionals, options }: Args,
  io: Io,
): Promise<number> {
  const { entries } = await followPlan(client, plan.planId, () => true)
  const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
  const reason = typeof options['reason'] === 'string' ? options['reason'] : null
  const command = applyCommand(plan, countsOf(plan, entries), reason)
  if (options['json']) {
    const { planId, file, count, left, stores, filter } = plan
    const warnings = planWarnings(plan, entries, formats)
    await print(io, safeJson({ planId, file, count, left, filter, stores, warnings, command }))
    return EXIT.done
  }
  const width = widthOf(io)
  const end = [
    `Nothing was changed. The plan is in ${escapeForTerminal(plan.file)}.`,
    ...(hasPassword(positionals[0] ?? '', io)
      ? ['The password is not in it: give it as LOCKKEEPER_PASSWORD, or when you are asked for it.']
      : []),
    'This applies exactly what the plan has:',
  ]
  for (const line of [...sayPlan(plan, entries, formats, width), '']) await print(io, line)
  for (const line of end.flatMap(each => wrap('', each, width))) await print(io, line)
  await print(io, '')
  await print(io, command)
  return EXIT.done
}

function hasPassword(address: string, io: Io): boolean {
  return io.env['LOCKKEEPER_PASSWORD'] !== undefined || parseAddress(address).password !== null
}
