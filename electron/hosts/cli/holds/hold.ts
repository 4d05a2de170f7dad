import { setTimeout as sleep } from 'node:timers/promises'
import { parseAddress } from '../../../../shared/address.ts'
import { type Client, firstInStream } from '../../../../shared/client.ts'
import type { Input } from '../../../../shared/contract.ts'
import { endedEarly, holdEndSentence } from '../../../../shared/hold-words.ts'
import { LONGEST_HOLD_MS, type MaintenanceHold, SHORTEST_HOLD_MS } from '../../../../shared/holds.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, duration } from '../lib/args.ts'
import { connect, openStore } from '../lib/connect.ts'
import { CliError, EXIT, unwrap, usageError } from '../lib/exit.ts'
import { aborted, type Io, isDeserted, keepRunning, print, warn } from '../lib/io.ts'
import { holdingSentence, holdJson, holdScreen, printHold } from './hold-screen.ts'
import { extendHold } from './holds.ts'

/** Holds a lock for maintenance, to keep a job from running. */
export async function holdCommand(args: Args, io: Io): Promise<number> {
  const { json = false, reason, extend: holdId } = args.options
  const forMs = duration(args.options.for, '--for')
  if (forMs === undefined) throw usageError('A hold needs a time: add --for, such as --for 30m')
  if (forMs > LONGEST_HOLD_MS || forMs < SHORTEST_HOLD_MS) throw usageError('--for must be 10s to 7d')
  if (holdId !== undefined) return extendHold(io, { holdId, forMs, reason }, json)
  if (!reason?.trim())
    throw usageError('A hold needs a reason: add --reason TEXT for the operator who finds the lock held')
  return takeHold(io, args, forMs, reason)
}

async function takeHold(
  io: Io,
  { positionals, options }: Args,
  forMs: number,
  reason: string,
): Promise<number> {
  const [address, key] = positionals as [string, string]
  const { json = false, format, confirm } = options
  const waitMs = duration(options.wait, '--wait')
  if (waitMs !== undefined && waitMs > LONGEST_HOLD_MS) throw usageError('--wait must be 7d at most')
  const mode = options.once ? 'once' : 'renewed'
  if (kindOf(parseAddress(address).kind).isEmbedded)
    throw usageError('A memory store lives inside one process: a hold from this command would block no job')
  const { storeId } = (await openStore(io, address)).info
  // Ctrl-C must not drop the answer: an acquired lock has to be released.
  const client = connect(io, { stoppable: false })
  if (!json && format === undefined) await warnOfGuess(io, client, { storeId, key })
  const name = confirm as string | undefined
  const answer = unwrap(
    await client.call('holds.take', { storeId, key, forMs, mode, reason, waitMs, format, confirm: name }),
  )
  if (answer.outcome === 'refused') {
    const who = answer.other ?? (answer.current ? holderText(answer.current) : 'another holder')
    const refused = `Not acquired: ${escapeForTerminal(key)} is held by ${escapeForTerminal(who)}.`
    if (json) await print(io, safeJson({ outcome: 'refused', other: answer.other }))
    else await print(io, refused, 'Nothing was changed. Add --wait 10m to wait for it.')
    return EXIT.changed
  }
  const { hold } = answer
  if (mode === 'once' && hold.state === 'held') {
    await printHold(io, hold, json, ...takenOnce(hold))
    return EXIT.done
  }
  return stay(io, hold, json)
}

/** A lock in the wrong format, or under a misspelled key, blocks no job. */
async function warnOfGuess(io: Io, client: Client, input: Input<'holds.choices'>): Promise<void> {
  const choices = await client.call('holds.choices', input)
  if (!choices.ok || choices.value.certain) return
  const { formats, suggested } = choices.value
  const guess = formats.find(({ format }) => format === suggested)
  // A format with a prefix fits the key by its prefix.
  if (guess?.prefix !== '' || formats.length < 2) return
  const others = formats.map(({ format }) => format).join(', ')
  warn(
    io,
    `This key has no lock yet, so its format is a guess: ${escapeForTerminal(guess.title)}. The hold blocks the job only if it uses this key and format (--format, one of ${others}).`,
  )
}

function takenOnce(hold: MaintenanceHold): string[] {
  return [holdingSentence(hold), `To release it earlier: lockkeeper unhold ${hold.holdId}`]
}

/** Stays with a hold until it ends. Ctrl-C releases it; a closed terminal does not, because that would start the job. */
async function stay(io: Io, first: MaintenanceHold, json: boolean): Promise<number> {
  // Ctrl-C must not drop the stream that reports the release.
  const client = connect(io, { stoppable: false })
  const screen = holdScreen(io, json)
  let hold = first
  screen.show(hold)
  const ticking = setInterval(() => screen.show(hold), 1000)
  try {
    hold = await follow(client, first, io.signal, now => {
      hold = now
      screen.show(now)
    })
  } finally {
    clearInterval(ticking)
    screen.end()
  }
  if (json) await print(io, safeJson(holdJson(hold)))
  if (hold.state !== 'ended' && isDeserted(io.signal)) {
    warn(io, escapeForTerminal(leftAlone(hold)))
    return EXIT.partly
  }
  if (hold.state === 'held' && hold.mode === 'once') {
    if (!json) await print(io, ...takenOnce(hold))
    return EXIT.done
  }
  const how = hold.ended?.how
  const sentence = escapeForTerminal(holdEndSentence(hold))
  if (endedEarly(hold)) warn(io, sentence)
  else if (!json) await print(io, sentence)
  if (how === 'given-up') return EXIT.changed
  return endedEarly(hold) ? EXIT.other : EXIT.done
}

function leftAlone({ key, state }: MaintenanceHold): string {
  return state === 'held'
    ? `The hold on ${key} was not released and is no longer renewed: the lock ends within a minute unless a console adopts it`
    : `The wait for ${key} has ended unless a console adopts it`
}

/** The stream reports the end of a hold within this time. */
const STREAM_DELAY_MS = 2000

/** Until the hold has ended, or the lock is held for its whole time without us. */
async function follow(
  client: Client,
  first: MaintenanceHold,
  signal: AbortSignal,
  onChange: (hold: MaintenanceHold) => void,
): Promise<MaintenanceHold> {
  const { holdId, key } = first
  let last: MaintenanceHold | undefined = first
  const end = firstInStream(client, 'holds.watch', {}, ({ holds }) => {
    last = holds.find(each => each.holdId === holdId)
    if (!last || last.state === 'ended' || (last.state === 'held' && last.mode === 'once'))
      return { hold: last }
    onChange(last)
    return undefined
  }).then(result => {
    const { hold } = unwrap(result)
    if (hold) return hold
    const message = `The hold on ${escapeForTerminal(key)} is no longer in the list of holds, so it is not renewed: the lock ends within a minute`
    throw new CliError({ code: 'NOT_FOUND', message })
  })
  const release = async () => {
    const answer = await client.call('holds.release', { holdId })
    if (answer.ok) return answer.value
    // If the hold ends at the same moment, the stream reports it a moment later.
    await Promise.race([end, sleep(STREAM_DELAY_MS)])
    throw new CliError(answer.error)
  }
  const stop = aborted(signal).then(() => (isDeserted(signal) ? (last ?? first) : release()))
  return keepRunning(Promise.race([end, stop]))
}
