import type { Client } from '../../../../shared/client.ts'
import type { Input, Output, StreamEvent } from '../../../../shared/contract.ts'
import { holdEndSentence, holdSentence, utc } from '../../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import type { Failure } from '../../../../shared/result.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import type { Args } from '../lib/args.ts'
import { connect, openStores } from '../lib/connect.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { holdJson } from './hold-json.ts'

/** All holds of the data folder, whoever keeps them. */
export async function holdsCommand(args: Args, io: Io): Promise<number> {
  const { holds, notice } = await readHolds(connect(io))
  if (notice !== null)
    io.stderr.write(`lockkeeper: There may be more holds than these. ${escapeForTerminal(notice)}\n`)
  const code = notice === null ? EXIT.done : EXIT.other
  if (args.options['json']) {
    await print(io, safeJson({ holds: holds.map(holdJson), notice }, 2))
    return code
  }
  if (holds.length === 0 && notice === null) await print(io, 'Nothing is held for maintenance.')
  for (const hold of holds) for (const line of linesOf(hold, Date.now())) await print(io, line)
  return code
}

/** Lets one go, or stops waiting for it. */
export async function unholdCommand(args: Args, io: Io): Promise<number> {
  const [holdId] = args.positionals as [string]
  const hold = await change(io, 'holds.release', { holdId })
  if (args.options['json']) await print(io, safeJson(holdJson(hold)))
  else await print(io, escapeForTerminal(holdEndSentence(hold)))
  return hold.ended?.how === 'lost' ? EXIT.changed : EXIT.done
}

export async function extendHold(io: Io, input: Input<'holds.extend'>, json: boolean): Promise<number> {
  const hold = await change(io, 'holds.extend', input)
  if (json) await print(io, safeJson(holdJson(hold)))
  else await print(io, `Holding ${escapeForTerminal(hold.key)} until ${utc(hold.until ?? 0)}.`)
  return EXIT.done
}

/** Who keeps the hold does it; where nobody does, its store is opened for it. */
async function change<M extends 'holds.extend' | 'holds.release'>(
  io: Io,
  method: M,
  input: Input<M>,
): Promise<Output<M>> {
  const client = connect(io, { stoppable: false })
  const hold = (await readHolds(client)).holds.find(each => each.holdId === input.holdId)
  if (!hold)
    throw new CliError({ code: 'NOT_FOUND', message: 'There is no such hold; lockkeeper holds lists them' })
  if (hold.state !== 'ended' && !hold.elsewhere) {
    const [store] = await openStores(io, client, [hold.address])
    if (store) unwrap(store.answer)
  }
  return unwrap(await client.call(method, input))
}

function readHolds(client: Client): Promise<StreamEvent<'holds.watch'>> {
  return new Promise((resolve, reject) => {
    const fail = (error: Failure) => reject(new CliError(error))
    const close = client.open(
      'holds.watch',
      {},
      event => {
        // Not while the stream is being opened: `close` is not there yet.
        queueMicrotask(() => close())
        resolve(event)
      },
      result => result.ok || fail(result.error),
    )
  })
}

function linesOf(hold: MaintenanceHold, now: number): string[] {
  const { holdId, state, storeName, by, reason, problem, elsewhere } = hold
  const more =
    state === 'ended' ? [] : [storeName, `by ${by}`, ...(elsewhere ? ['kept by a running console'] : [])]
  const until = state === 'held' && hold.until !== null ? ` (until ${utc(hold.until)})` : ''
  return [
    `${holdId}  ${escapeForTerminal(holdSentence(hold, now))}${until}`,
    `    ${escapeForTerminal([reason, ...more].join(' · '))}`,
    ...(problem === null ? [] : [`    ! ${escapeForTerminal(problem)}`]),
  ]
}
