import { type Client, readText } from '../../../../shared/client.ts'
import { withIsoTimes } from '../../../../shared/lease.ts'
import type { Failure } from '../../../../shared/result.ts'
import { column, escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import type { Side, SwitchRun } from '../../../../shared/switch.ts'
import { namedApart, STEP_WORDS, stepPlace, unreachedWarning } from '../../../../shared/switch-words.ts'
import { type Args, requireReason } from '../lib/args.ts'
import { connect, openStores, type ReachedStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { openWholeFile } from '../lib/whole-file.ts'
import { commandToContinue, reportFormat, type SwitchOptions, switchOptions } from './options.ts'
import { SwitchSession } from './session.ts'
import { SwitchStopped, SwitchTerminal } from './terminal.ts'

/** Guides an operator from one lock provider to another, and resumes an open switch at its step. */
export async function switchCommand(args: Args, io: Io): Promise<number> {
  const { list, abandon } = args.options
  if (list) return listSwitches(args, io)
  if (abandon !== undefined) return abandonSwitch(abandon, args, io)
  const [from, to] = args.positionals as [string, string]
  return runSwitch(from, to, switchOptions(args), io)
}

async function runSwitch(from: string, to: string, options: SwitchOptions, io: Io): Promise<number> {
  const stores = (await openStores(io, connect(io), [from, to])) as [ReachedStore, ReachedStore]
  const errors = stores.map(temporaryError)
  // A stop takes effect between two steps of the work: a plan finishes what it has sent.
  const client = connect(io, { stoppable: false })
  const run = namedApart(await begin(client, stores, options))
  const { switchId } = run
  if (options.envFile !== null)
    unwrap(await client.call('switch.envPreview', { switchId, file: options.envFile }))
  const terminal = new SwitchTerminal(io, options.json)
  const session = new SwitchSession({ io, client, terminal, options, switchId, from })
  try {
    const place = stepPlace(run.step)
    if (options.back !== null) await terminal.print(`Going back in switch ${switchId} to step ${place}.`)
    else if (run.step !== 'understand') await terminal.print(`Resuming switch ${switchId} at step ${place}.`)
    for (const [i, side] of [run.from, run.to].entries())
      if (errors[i]) await terminal.notify(unreachedWarning(side, errors[i]), '! ')
    const stopped = await session.runToEnd().then(() => null, ifStopped)
    const { step, ended } = session.run ?? run
    await terminal.print('')
    if (stopped !== null) await terminal.print(`${stopped.message} (step "${STEP_WORDS[step].title}").`)
    // Another console may have abandoned it.
    else if (ended?.how === 'abandoned')
      await terminal.print(
        `The switch was abandoned by ${escapeForTerminal(ended.by)}: ${ended.reason ?? ''}`,
      )
    else await terminal.print('The switch is finished.')
    if (options.report !== null) {
      await writeReport(client, switchId, options.report)
      await terminal.print(`The report is in ${escapeForTerminal(options.report)}.`)
    }
    const flags = stopped?.flags ?? session.flagsToContinue ?? []
    const next = stopped === null ? null : commandToContinue(run, options, flags)
    const outcome = stopped === null ? (ended?.how ?? 'finished') : 'stopped'
    await terminal.event('end', { outcome, switchId, step, why: stopped?.message ?? null, next })
    if (outcome === 'abandoned') return EXIT.denied
    if (next === null) return EXIT.done
    await terminal.print('To continue, run:')
    await terminal.print('')
    if (!options.json) await print(io, next)
    return EXIT.partly
  } finally {
    terminal.close()
    session.close()
  }
}

/**
 * Why a store does not answer, if it may answer later: leaving a provider that is down is what a switch is for. An error that only
 * another address or account can fix ends the command.
 */
function temporaryError({ answer }: ReachedStore): Failure | null {
  if (answer.ok) return null
  if (answer.error.code === 'STORE_UNREACHABLE' || answer.error.code === 'STORE_ERROR') return answer.error
  throw new CliError(answer.error)
}

/** The open switch between the two stores, or a new one. */
async function begin(
  client: Client,
  [from, to]: readonly [ReachedStore, ReachedStore],
  { quietMs, back }: SwitchOptions,
): Promise<SwitchRun> {
  if (back !== null) {
    const runs = unwrap(await client.call('switch.list', {}))
    const isBetween = (run: SwitchRun) =>
      run.ended === null && run.from.address === from.info.address && run.to.address === to.info.address
    // Without an open switch, going back must not start one.
    if (!runs.some(isBetween))
      throw new CliError({ code: 'NOT_FOUND', message: 'No switch is under way between these two stores' })
  }
  const ids = { fromStoreId: from.info.storeId, toStoreId: to.info.storeId }
  const run = unwrap(await client.call('switch.begin', { ...ids, quietMs }))
  const { switchId } = run
  return back === null ? run : unwrap(await client.call('switch.back', { switchId, step: back }))
}

function ifStopped(error: unknown): SwitchStopped {
  if (error instanceof SwitchStopped) return error
  throw error
}

async function writeReport(client: Client, switchId: string, name: string): Promise<void> {
  const file = await openWholeFile(name)
  try {
    const input = { switchId, as: reportFormat(name) }
    const pieces = unwrap(await readText(client.open, 'switch.report', input))
    for (const text of pieces) await file.write(text)
    await file.keep()
  } catch (error) {
    await file.drop()
    throw error
  }
}

async function listSwitches({ options }: Args, io: Io): Promise<number> {
  const runs = unwrap(await connect(io).call('switch.list', {}))
  if (options.json) {
    const switches = runs.map(run => ({ ...run, from: withoutId(run.from), to: withoutId(run.to) }))
    await print(io, safeJson({ switches: withIsoTimes(switches) }))
    return EXIT.done
  }
  if (runs.length === 0) await print(io, 'There are no provider switches.')
  for (const { switchId, from, to, begunAt, by, ended, step } of runs) {
    const state = ended === null ? `at ${stepPlace(step)}, ${STEP_WORDS[step].title}` : ended.how
    const begun = `${new Date(begunAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    await print(io, `${column(switchId, 14)} ${begun}  ${escapeForTerminal(by)}  ${state}`)
    await print(io, `  ${escapeForTerminal(from.address)} to ${escapeForTerminal(to.address)}`)
  }
  return EXIT.done
}

/** Ids of stores mean nothing outside of this process. */
function withoutId({ storeId: _, ...side }: Side): Omit<Side, 'storeId'> {
  return side
}

async function abandonSwitch(switchId: string, { options }: Args, io: Io): Promise<number> {
  const reason = requireReason(options.reason)
  const { from, to, ended } = unwrap(await connect(io).call('switch.abandon', { switchId, reason }))
  await print(
    io,
    options.json
      ? safeJson({ switchId, ended: withIsoTimes(ended) })
      : `The switch from ${escapeForTerminal(from.address)} to ${escapeForTerminal(to.address)} is abandoned. Nothing was undone: changed files and released locks stay as they are.`,
  )
  return EXIT.done
}
