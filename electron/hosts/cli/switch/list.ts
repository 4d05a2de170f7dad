import { isoTime } from '../../../../shared/lease.ts'
import { column, escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import type { SwitchRun } from '../../../../shared/switch.ts'
import { STEP_WORDS, stepPlace } from '../../../../shared/switch-words.ts'
import type { Args } from '../lib/args.ts'
import { connect } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'

export async function listSwitches({ options }: Args, io: Io): Promise<number> {
  const runs = unwrap(await connect(io).call('switch.list', {}))
  if (options['json']) {
    await print(io, safeJson({ switches: runs.map(switchJson) }))
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

export async function abandonSwitch(switchId: string, { options }: Args, io: Io): Promise<number> {
  const { reason, json } = options
  if (typeof reason !== 'string' || reason.trim() === '')
    throw usageError('A reason is missing: say --reason TEXT, which goes into the audit log')
  const run = unwrap(await connect(io).call('switch.abandon', { switchId, reason }))
  const { from, to } = run
  await print(
    io,
    json
      ? safeJson({ switchId, ended: endJson(run) })
      : `The switch from ${escapeForTerminal(from.address)} to ${escapeForTerminal(to.address)} is abandoned. Nothing was undone: changed files and released locks stay as they are.`,
  )
  return EXIT.done
}

/** JSON of a switch, with times in ISO 8601. */
function switchJson(run: SwitchRun): Record<string, unknown> {
  const { storeId: _, ...from } = run.from
  const { storeId: __, ...to } = run.to
  return {
    ...run,
    ...{ from, to },
    begunAt: isoTime(run.begunAt),
    passed: run.passed.map(dated),
    wentBack: run.wentBack.map(dated),
    envChanges: run.envChanges.map(dated),
    strays: run.strays.map(dated),
    splits: run.splits.map(split => ({ ...split, since: isoTime(split.since), until: isoTime(split.until) })),
    ended: endJson(run),
  }
}

function endJson({ ended }: SwitchRun): Record<string, unknown> | null {
  return ended && dated(ended)
}

function dated<T extends { readonly at: number }>(what: T): Omit<T, 'at'> & { readonly at: string | null } {
  return { ...what, at: isoTime(what.at) }
}
