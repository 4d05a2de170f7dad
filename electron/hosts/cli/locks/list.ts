import { byAttention, stateAt } from '../../../../shared/lease.ts'
import { type ListEvent, LOCK_STATES, type Lock, type Unrecognised } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, positiveInteger } from '../lib/args.ts'
import { type OpenedStore, openStore } from '../lib/connect.ts'
import { CliError, EXIT, exitCodeOf, usageError } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { lockJson, lockTable, sayCounts, sayServer } from './lock-output.ts'

const SHOWN_UNRECOGNISED = 5

type Listing = {
  locks: Lock[]
  unrecognised: Unrecognised[]
  companions: number
  scanned: number
  problems: Extract<ListEvent, { type: 'page' }>['problems']
  complete: boolean
  serverTime: number
}

export async function listCommand(args: Args, io: Io): Promise<number> {
  const { state, owner, json } = args.options
  if (state !== undefined && !LOCK_STATES.some(each => each === state)) {
    throw usageError(`--state must be one of ${LOCK_STATES.join(', ')}`)
  }
  const limit = positiveInteger(args.options['limit'], '--limit')
  const opened = await openStore(io, args.positionals[0] as string)
  const wanted = (lock: Lock, now: number) =>
    (state === undefined || stateAt(lock, now) === state) &&
    (owner === undefined ||
      [lock.owner, lock.holder?.label].some(text =>
        text?.toLowerCase().includes(String(owner).toLowerCase()),
      ))

  // Reads everything before applying the limit, which keeps the locks that need attention most, not the first found.
  const listing = await collect(opened, io)
  const sorted = listing.locks
    .filter(lock => wanted(lock, listing.serverTime))
    .sort(byAttention(listing.serverTime))
  const shown = {
    ...listing,
    locks: sorted.slice(0, limit),
    complete: listing.complete && sorted.length <= (limit ?? sorted.length),
  }

  await (json ? printJson(opened, shown, io) : printTable(opened, shown, io))
  const [problem] = listing.problems
  return problem ? exitCodeOf(problem) : EXIT.done
}

function collect({ client, info }: OpenedStore, io: Io): Promise<Listing> {
  const listing: Listing = {
    locks: [],
    unrecognised: [],
    companions: 0,
    scanned: 0,
    problems: [],
    complete: false,
    serverTime: 0,
  }
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CliError({ code: 'ABORTED', message: 'Stopped on request' }))
    io.signal.addEventListener('abort', stop)
    client.open(
      'locks.list',
      { storeId: info.storeId },
      event => {
        if (event.type === 'done') {
          listing.complete = event.complete
          listing.serverTime = event.serverTime
          return
        }
        for (const lock of event.locks) listing.locks.push(lock)
        for (const each of event.unrecognised) listing.unrecognised.push(each)
        listing.companions += event.companions
        listing.scanned += event.scanned
        listing.problems.push(...event.problems)
      },
      result => (result.ok ? resolve(listing) : reject(new CliError(result.error))),
    )
  })
}

/** One JSON object, written lock by lock: a hundred thousand locks are never one string. */
async function printJson({ description }: OpenedStore, listing: Listing, io: Io): Promise<void> {
  const { kind, address, server, clock } = description
  const store = {
    kind,
    address,
    server,
    serverTime: new Date(listing.serverTime).toISOString(),
    clockOffsetMs: clock.offsetMs,
  }
  await print(io, `{"store":${safeJson(store)},"locks":[`)
  for (const [i, lock] of listing.locks.entries()) {
    await print(
      io,
      `${safeJson(lockJson(lock, listing.serverTime))}${i + 1 < listing.locks.length ? ',' : ''}`,
    )
  }
  await print(io, '],"unrecognised":[')
  for (const [i, each] of listing.unrecognised.entries()) {
    await print(io, `${safeJson(each)}${i + 1 < listing.unrecognised.length ? ',' : ''}`)
  }
  const { companions, problems, complete } = listing
  await print(io, `],${safeJson({ companions, problems, complete }).slice(1)}`)
}

async function printTable({ description }: OpenedStore, listing: Listing, io: Io): Promise<void> {
  const { locks, serverTime } = listing
  const colour = io.stdout.isTTY === true && !io.env['NO_COLOR']
  if (locks.length > 0)
    for (const line of lockTable(locks, serverTime, colour, io.stdout.columns)) await print(io, line)
  else await print(io, `No locks in ${description.address} (${listing.scanned} records looked at).`)
  await print(io, '')
  await print(io, `${sayCounts(locks, serverTime)}${listing.complete ? '' : ' (not all of them)'}.`)
  await print(io, `${sayServer(description)}.`)
  if (listing.unrecognised.length > 0) {
    await print(io, `${plural(listing.unrecognised.length, 'unrecognized record', 'unrecognized records')}:`)
    for (const { key, reason } of listing.unrecognised.slice(0, SHOWN_UNRECOGNISED)) {
      await print(io, `  ${clip(`${escapeForTerminal(key)}: ${neutralise(reason)}`, 98)}`)
    }
    const more = listing.unrecognised.length - SHOWN_UNRECOGNISED
    if (more > 0) await print(io, `  and ${more} more; --json lists them`)
  }
  if (listing.companions > 0) {
    await print(
      io,
      `${plural(listing.companions, 'more record belongs', 'more records belong')} to locks without being locks.`,
    )
  }
  for (const { where, message } of listing.problems)
    await print(io, `Not read: ${escapeForTerminal(where)}: ${neutralise(message)}`)
}
