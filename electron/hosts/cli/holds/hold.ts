import { parseAddress } from '../../../../shared/address.ts'
import type { Client } from '../../../../shared/client.ts'
import type { Input } from '../../../../shared/contract.ts'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { endedEarly, holdEndSentence, utc } from '../../../../shared/hold-words.ts'
import { LONGEST_HOLD_MS, type MaintenanceHold, SHORTEST_HOLD_MS } from '../../../../shared/holds.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import type { Failure } from '../../../../shared/result.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, duration } from '../lib/args.ts'
import { connect, openStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap, usageError } from '../lib/exit.ts'
import { type Io, isDeserted, print } from '../lib/io.ts'
import { holdJson } from './hold-json.ts'
import { holdScreen } from './hold-screen.ts'
import { extendHold } from './holds.ts'

/** Takes a lock on purpose, so that a job does not run. */
export async function holdCommand(args: Args, io: Io): Promise<number> {
  const { json, reason, extend } = args.options
  const forMs = duration(args.options['for'], '--for')
  if (forMs === undefined) throw usageError('A hold needs --for, such as --for 30m')
  if (forMs > LONGEST_HOLD_MS || forMs < SHORTEST_HOLD_MS) throw usageError('--for must be 10s to 7d')
  if (typeof extend === 'string')
    return extendHold(
      io,
      { holdId: extend, forMs, ...(typeof reason === 'string' ? { reason } : {}) },
      json === true,
    )
  if (typeof reason !== 'string' || reason.trim() === '')
    throw usageError('A hold needs --reason: whoever finds the lock held will ask why')
  return takeHold(io, args, forMs, reason)
}

async function takeHold(
  io: Io,
  { positionals, options }: Args,
  forMs: number,
  reason: string,
): Promise<number> {
  const [address, key] = positionals as [string, string]
  const waitMs = duration(options['wait'], '--wait')
  if (waitMs !== undefined && waitMs > LONGEST_HOLD_MS) throw usageError('--wait must be 7d at most')
  const mode = options['once'] === true ? 'once' : 'renewed'
  if (parseAddress(address).kind === 'memory')
    throw usageError('A memory store is inside of one process: a hold from here would keep nobody out')
  const { info } = await openStore(io, address)
  // Ctrl-C must not drop the answer: a lock that was taken has to be let go again.
  const client = connect(io, { stoppable: false })
  const json = options['json'] === true
  if (!json) await warnOfGuess(io, client, { storeId: info.storeId, key }, options['format'])
  const answer = unwrap(
    await client.call('holds.take', {
      ...{ storeId: info.storeId, key, forMs, mode, reason },
      ...(waitMs === undefined ? {} : { waitMs }),
      ...(typeof options['format'] === 'string' ? { format: options['format'] } : {}),
      ...(typeof options['confirm'] === 'string' ? { confirm: options['confirm'] } : {}),
    }),
  )
  if (answer.outcome === 'refused') {
    const who = answer.other ?? (answer.current ? holderText(answer.current) : 'somebody else')
    if (json) await print(io, safeJson({ outcome: 'refused', other: answer.other }))
    else {
      await print(io, `Not taken: ${escapeForTerminal(key)} is held by ${escapeForTerminal(who)}.`)
      await print(io, 'With --wait 10m it is waited for. Nothing was changed.')
    }
    return EXIT.changed
  }
  const { hold } = answer
  if (mode === 'once' && hold.state === 'held') {
    if (json) await print(io, safeJson(holdJson(hold)))
    else for (const line of takenOnce(hold)) await print(io, line)
    return EXIT.done
  }
  return stay(io, hold, json)
}

/** A lock in another format than the programs use, or under a key that is misspelt, keeps nobody out. */
async function warnOfGuess(
  io: Io,
  client: Client,
  input: Input<'holds.choices'>,
  chosen: Args['options'][string],
): Promise<void> {
  const looked = await client.call('holds.choices', input)
  if (!looked.ok || looked.value.certain || chosen !== undefined) return
  const { formats, suggested } = looked.value
  const guess = formats.find(({ format }) => format === suggested)
  // The beginning of a key says more than nothing.
  if (guess?.prefix !== '' || formats.length < 2) return
  io.stderr.write(
    `lockkeeper: Nothing was seen under this key, so its format is a guess: ${escapeForTerminal(guess.title)}. The job is kept out only if it uses this key and format (--format, one of ${formats.map(({ format }) => format).join(', ')}).\n`,
  )
}

function takenOnce({ holdId, key, until }: MaintenanceHold): string[] {
  return [
    `Holding ${escapeForTerminal(key)} until ${utc(until ?? 0)}.`,
    `To release it earlier: lockkeeper unhold ${holdId}`,
  ]
}

/** Stays with a hold until it ends. Ctrl-C lets it go; a terminal that is closed does not, or a job would begin to run by it. */
async function stay(io: Io, first: MaintenanceHold, json: boolean): Promise<number> {
  // Ctrl-C must not drop what tells of the release.
  const client = connect(io, { stoppable: false })
  const screen = holdScreen(io, json)
  let hold = first
  screen.show(hold)
  const ticking = setInterval(() => screen.tick?.(hold), 1000)
  try {
    hold = await follow(client, first, io.signal, now => {
      hold = now
      screen.show(now)
    })
  } finally {
    clearInterval(ticking)
    screen.end?.()
  }
  if (json) await print(io, safeJson(holdJson(hold)))
  if (hold.state !== 'ended' && isDeserted(io.signal)) {
    io.stderr.write(`lockkeeper: ${escapeForTerminal(leftAlone(hold))}\n`)
    return EXIT.partly
  }
  if (hold.state === 'held' && hold.mode === 'once') {
    if (!json) for (const line of takenOnce(hold)) await print(io, line)
    return EXIT.done
  }
  const how = hold.ended?.how
  const said = escapeForTerminal(holdEndSentence(hold))
  if (endedEarly(hold)) io.stderr.write(`lockkeeper: ${said}\n`)
  else if (!json) await print(io, said)
  if (how === 'given-up') return EXIT.changed
  return endedEarly(hold) ? EXIT.other : EXIT.done
}

function leftAlone({ key, state }: MaintenanceHold): string {
  return state === 'held'
    ? `The hold on ${key} was not released. It is not renewed any more: the lock ends within a minute, unless a console goes on with it`
    : `Nobody waits for ${key} any more, unless a console goes on with it`
}

/** What became of a hold reaches whoever follows it within this. */
const TOLD_MS = 2000

/** Nobody may believe in a hold that is not kept. */
function forgotten({ key }: MaintenanceHold): Failure {
  return {
    code: 'NOT_FOUND',
    message: `The hold on ${escapeForTerminal(key)} is not in the list of holds any more, so nobody renews it: the lock ends within a minute`,
  }
}

/** Until it has ended, or is held for its whole time without us. */
function follow(
  client: Client,
  first: MaintenanceHold,
  signal: AbortSignal,
  onChange: (hold: MaintenanceHold) => void,
): Promise<MaintenanceHold> {
  return new Promise((resolve, reject) => {
    // Holds the process as well, should nothing else.
    const alive = setInterval(() => {}, MINUTE_MS)
    const finish = (settle: () => void) => {
      clearInterval(alive)
      signal.removeEventListener('abort', leave)
      queueMicrotask(() => close())
      settle()
    }
    const release = () => {
      void client.call('holds.release', { holdId: first.holdId }).then(answer => {
        if (answer.ok) finish(() => resolve(answer.value))
        // One that ended in the same moment is told by the stream, a moment later.
        else setTimeout(() => finish(() => reject(new CliError(answer.error))), TOLD_MS)
      })
    }
    let last = first
    const leave = () => (isDeserted(signal) ? finish(() => resolve(last)) : release())
    const close = client.open(
      'holds.watch',
      {},
      ({ holds }) => {
        const hold = holds.find(each => each.holdId === first.holdId)
        if (!hold) return finish(() => reject(new CliError(forgotten(first))))
        last = hold
        const isDone = hold.state === 'ended' || (hold.state === 'held' && hold.mode === 'once')
        if (!isDone) onChange(hold)
        else finish(() => resolve(hold))
      },
      result => result.ok || finish(() => reject(new CliError(result.error))),
    )
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave)
  })
}
