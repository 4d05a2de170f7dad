import { column, escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { STEP_WORDS, stepPlace } from '../../../../shared/switch-words.ts'
import type { Args } from '../lib/args.ts'
import { connect } from '../lib/connect.ts'
import { EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { endJson, switchJson } from './switch-json.ts'

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
      : `The switch from ${escapeForTerminal(from.address)} to ${escapeForTerminal(to.address)} is abandoned. Everything is as it was left.`,
  )
  return EXIT.done
}
