import { type Client, firstInStream } from '../../../../shared/client.ts'
import type { Input, Output, StreamEvent } from '../../../../shared/contract.ts'
import { holdEndSentence, holdSentence, utc } from '../../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import type { Result } from '../../../../shared/result.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import type { Args } from '../lib/args.ts'
import { connect, openStores } from '../lib/connect.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import { type Io, print, warn } from '../lib/io.ts'
import { holdingSentence, holdJson, printHold } from './hold-screen.ts'

/** Lists the holds of the data folder. */
export async function holdsCommand(args: Args, io: Io): Promise<number> {
  const { holds, notice } = unwrap(await readHolds(connect(io)))
  if (notice !== null) warn(io, `The list may be incomplete. ${escapeForTerminal(notice)}`)
  const code = notice === null ? EXIT.done : EXIT.other
  if (args.options.json) {
    await print(io, safeJson({ holds: holds.map(holdJson), notice }, 2))
    return code
  }
  if (holds.length === 0 && notice === null) await print(io, 'There are no maintenance holds.')
  await print(io, ...holds.flatMap(hold => linesOf(hold, Date.now())))
  return code
}

/** Releases a hold, or stops waiting for its lock. */
export async function unholdCommand(args: Args, io: Io): Promise<number> {
  const [holdId] = args.positionals as [string]
  const hold = await change(io, 'holds.release', { holdId })
  await printHold(io, hold, args.options.json, escapeForTerminal(holdEndSentence(hold)))
  return hold.ended?.how === 'lost' ? EXIT.changed : EXIT.done
}

export async function extendHold(io: Io, input: Input<'holds.extend'>, json: boolean): Promise<number> {
  const hold = await change(io, 'holds.extend', input)
  await printHold(io, hold, json, holdingSentence(hold))
  return EXIT.done
}

/** The console that keeps the hold makes the change. Without one, this command opens the store and does. */
async function change<M extends 'holds.extend' | 'holds.release'>(
  io: Io,
  method: M,
  input: Input<M>,
): Promise<Output<M>> {
  const client = connect(io, { stoppable: false })
  const hold = unwrap(await readHolds(client)).holds.find(each => each.holdId === input.holdId)
  if (!hold)
    throw new CliError({
      code: 'NOT_FOUND',
      message: 'This hold does not exist: lockkeeper holds lists them',
    })
  if (hold.state !== 'ended' && !hold.elsewhere) {
    const [store] = await openStores(io, client, [hold.address], [])
    if (store) unwrap(store.answer)
  }
  return unwrap(await client.call(method, input))
}

function readHolds(client: Client): Promise<Result<StreamEvent<'holds.watch'>>> {
  return firstInStream(client, 'holds.watch', {}, event => event)
}

function linesOf(hold: MaintenanceHold, now: number): string[] {
  const { holdId, state, storeName, by, reason, problem, elsewhere } = hold
  const more =
    state === 'ended' ? [] : [storeName, `by ${by}`, ...(elsewhere ? ['kept by another console'] : [])]
  const until = state === 'held' && hold.until !== null ? ` (until ${utc(hold.until)})` : ''
  return [
    `${holdId}  ${escapeForTerminal(holdSentence(hold, now))}${until}`,
    `    ${escapeForTerminal([reason, ...more].join(' · '))}`,
    ...(problem === null ? [] : [`    ! ${escapeForTerminal(problem)}`]),
  ]
}
