import { extname, resolve } from 'node:path'
import type { Client } from '../../../../shared/client.ts'
import { HOUR_MS } from '../../../../shared/duration.ts'
import type { Failure } from '../../../../shared/result.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { SWITCH_STEPS, type SwitchRun, type SwitchStep } from '../../../../shared/switch.ts'
import { namedApart, STEP_WORDS, stepPlace, unreachedWarning } from '../../../../shared/switch-words.ts'
import { shellQuote } from '../../../core/lib/shell-quote.ts'
import { type Args, duration } from '../lib/args.ts'
import { connect, openStores, type ReachedStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { openWholeFile } from '../lib/whole-file.ts'
import { SwitchFollower } from './follower.ts'
import { abandonSwitch, listSwitches } from './list.ts'
import { SwitchOperator, SwitchStopped, TypedLines } from './operator.ts'
import { SwitchPrinter } from './printer.ts'
import { SwitchSession } from './session.ts'

const SHORTEST_QUIET_MS = 1000
const LONGEST_QUIET_MS = HOUR_MS
const REPORTS = ['md', 'html', 'json'] as const

/** Guides an operator from one lock provider to another, and resumes an open switch at its step. */
export async function switchCommand(args: Args, io: Io): Promise<number> {
  const { list, abandon } = args.options
  if (list === true) return listSwitches(args, io)
  if (typeof abandon === 'string') return abandonSwitch(abandon, args, io)
  const [from, to] = args.positionals as [string, string]
  return runSwitch(from, to, args, io)
}

async function runSwitch(from: string, to: string, args: Args, io: Io): Promise<number> {
  const options = switchOptions(args)
  const opening = connect(io)
  const stores = (await openStores(io, opening, [from, to])) as [ReachedStore, ReachedStore]
  const away = stores.map(whyAway)
  // A stop takes effect between two steps of the work: a plan finishes what it has sent.
  const client = connect(io, { stoppable: false })
  const run = namedApart(await begin(client, stores, options))
  const { switchId } = run
  if (options.envFile !== null)
    unwrap(await client.call('switch.envPreview', { switchId, file: options.envFile }))
  const printer = new SwitchPrinter(io, options.json)
  const place = stepPlace(run.step)
  if (options.back !== null) await printer.print(`Going back in switch ${switchId} to step ${place}.`)
  else if (run.step !== 'understand') await printer.print(`Resuming switch ${switchId} at step ${place}.`)
  for (const [i, side] of [run.from, run.to].entries())
    if (away[i]) await printer.notify(unreachedWarning(side, away[i]), '! ')
  const lines = new TypedLines(io)
  const operator = new SwitchOperator(io, lines, printer)
  const follower = new SwitchFollower(client, switchId)
  const session = new SwitchSession({ ...options, io, client, follower, operator, printer, switchId, from })
  try {
    const stopped = await session.runToEnd().then(() => null, ifStopped)
    const { step, ended } = follower.last?.run ?? run
    printer.clear()
    await printer.print('')
    if (stopped !== null) await printer.print(`${stopped.message} (step "${STEP_WORDS[step].title}").`)
    // Another console may have abandoned it.
    else if (ended?.how === 'abandoned')
      await printer.print(`The switch was abandoned by ${escapeForTerminal(ended.by)}: ${ended.reason ?? ''}`)
    else await printer.print('The switch is finished.')
    if (options.report !== null) await writeReport(client, switchId, options.report, printer)
    const next = stopped === null ? null : commandOf(run, options, stopped.flags ?? session.flagsToContinue)
    const outcome = stopped === null ? (ended?.how ?? 'finished') : 'stopped'
    await printer.event('end', { outcome, switchId, step, why: stopped?.message ?? null, next })
    if (outcome === 'abandoned') return EXIT.denied
    if (next === null) return EXIT.done
    await printer.print('To continue, run:')
    await printer.print('')
    if (!options.json) await print(io, next)
    return EXIT.partly
  } finally {
    printer.clear()
    lines.close()
    follower.close()
  }
}

/**
 * Why a store does not answer, if it may answer later: leaving a provider that is down is what a switch is for. An error that only
 * another address or account can fix ends the command.
 */
function whyAway({ answer }: ReachedStore): Failure | null {
  if (answer.ok) return null
  if (answer.error.code === 'STORE_UNREACHABLE' || answer.error.code === 'STORE_ERROR') return answer.error
  throw new CliError(answer.error)
}

/** The open switch between the two stores, or a new one. */
async function begin(
  client: Client,
  [from, to]: readonly [ReachedStore, ReachedStore],
  { quietMs, back }: Options,
): Promise<SwitchRun> {
  if (back !== null) {
    const runs = unwrap(await client.call('switch.list', {}))
    const isIt = (run: SwitchRun) =>
      run.ended === null && run.from.address === from.info.address && run.to.address === to.info.address
    // Without an open switch, going back must not start one.
    if (!runs.some(isIt))
      throw new CliError({ code: 'NOT_FOUND', message: 'No switch is under way between these two stores' })
  }
  const ids = { fromStoreId: from.info.storeId, toStoreId: to.info.storeId }
  const asked = { ...ids, ...(quietMs === undefined ? {} : { quietMs }) }
  const run = unwrap(await client.call('switch.begin', asked))
  const { switchId } = run
  return back === null ? run : unwrap(await client.call('switch.back', { switchId, step: back }))
}

function ifStopped(error: unknown): SwitchStopped {
  if (error instanceof SwitchStopped) return error
  throw error
}

type Options = ReturnType<typeof switchOptions>

function switchOptions({ options }: Args) {
  const { clean, reason, report } = options
  const envFile = options['env-file']
  const byHand = [options['pass'] ?? []].flat().map(step => stepFrom(step, '--pass'))
  const back = options['back'] === undefined ? null : stepFrom(options['back'], '--back')
  const hasReason = typeof reason === 'string' && reason.trim() !== ''
  if ((byHand.length > 0 || clean !== undefined) && !hasReason)
    throw usageError('A reason is missing: say --reason TEXT, which goes into the audit log')
  if (options['change-env'] === true && envFile === undefined)
    throw usageError('--change-env needs --env-file FILE, the file that is changed')
  if (typeof report === 'string') reportFormat(report)
  return {
    envFile: typeof envFile === 'string' ? resolve(envFile) : null,
    mayChangeEnv: options['change-env'] === true,
    clean: typeof clean === 'string' ? clean : null,
    reason: hasReason ? reason.trim() : null,
    byHand,
    back,
    quietMs: quietFrom(options['quiet']),
    report: typeof report === 'string' ? report : null,
    json: options['json'] === true,
  }
}

function stepFrom(value: Args['options'][string], name: string): SwitchStep {
  const step = SWITCH_STEPS.find(each => each === value)
  if (step === undefined) throw usageError(`${name} must be one of ${SWITCH_STEPS.join(', ')}`)
  return step
}

function quietFrom(value: Args['options'][string]): number | undefined {
  const ms = duration(value, '--quiet')
  if (ms !== undefined && (ms < SHORTEST_QUIET_MS || ms > LONGEST_QUIET_MS))
    throw usageError('--quiet must be 1s to 1h')
  return ms
}

/** The command that continues the switch, without passwords. The operator replaces the TEXT in it. */
function commandOf({ from, to }: SwitchRun, options: Options, flags: readonly string[] | null): string {
  const known = [
    ...(options.envFile === null || flags?.includes('--env-file') ? [] : ['--env-file', options.envFile]),
    ...(options.mayChangeEnv ? ['--change-env'] : []),
    ...(options.report === null ? [] : ['--report', options.report]),
  ]
  const words = [from.address, to.address, ...known, ...(flags ?? [])]
  return ['lockkeeper switch', ...words.map(word => shellQuote(word))].join(' ')
}

function reportFormat(file: string): (typeof REPORTS)[number] {
  const as = REPORTS.find(each => each === extname(file).slice(1).toLowerCase())
  if (!as) throw usageError(`--report must name a file that ends with .${REPORTS.join(', .')}`)
  return as
}

async function writeReport(
  client: Client,
  switchId: string,
  name: string,
  printer: SwitchPrinter,
): Promise<void> {
  const file = await openWholeFile(name)
  try {
    const pieces: string[] = []
    await new Promise<void>((done, failed) => {
      client.open(
        'switch.report',
        { switchId, as: reportFormat(name) },
        ({ text }) => pieces.push(text),
        result => (result.ok ? done() : failed(new CliError(result.error))),
      )
    })
    for (const text of pieces) await file.write(text)
    await file.keep()
  } catch (error) {
    await file.drop()
    throw error
  }
  await printer.print(`The report is in ${escapeForTerminal(name)}.`)
}
