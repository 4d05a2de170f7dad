import { byAttention, stateAt } from '../../../../shared/lease.ts'
import type { ListPage, Lock } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, lockState, positiveInteger } from '../lib/args.ts'
import { type OpenedStore, openStore, readStream } from '../lib/connect.ts'
import { EXIT, exitCodeOf } from '../lib/exit.ts'
import { type Io, print, printJsonItems } from '../lib/io.ts'
import { countLocks, lockJson, lockTable, sayCounts, sayServer } from './lock-output.ts'

const SHOWN_UNRECOGNISED = 5

type Listing = Required<ListPage> & { readonly complete: boolean; readonly serverTime: number }

export async function listCommand(args: Args, io: Io): Promise<number> {
  const { owner, json } = args.options
  const state = lockState(args.options.state, '--state')
  const limit = positiveInteger(args.options.limit, '--limit')
  const opened = await openStore(io, args.positionals[0] as string)
  const ownerText = owner?.toLowerCase()
  const isWanted = (lock: Lock, now: number) =>
    (state === undefined || stateAt(lock, now) === state) &&
    (ownerText === undefined ||
      [lock.owner, lock.holder?.label].some(text => text?.toLowerCase().includes(ownerText)))

  // Reads everything before applying the limit, which keeps the locks that need attention most, not the first found.
  const listing = await readAll(opened, io)
  const sorted = listing.locks
    .filter(lock => isWanted(lock, listing.serverTime))
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

async function readAll({ client, info }: OpenedStore, io: Io): Promise<Listing> {
  const pages: ListPage[] = []
  let end = { complete: false, serverTime: 0 }
  await readStream(io, client, 'locks.list', { storeId: info.storeId }, event => {
    if (event.type === 'page') pages.push(event)
    else end = event
  })
  return {
    locks: pages.flatMap(({ locks }) => locks),
    unrecognised: pages.flatMap(({ unrecognised }) => unrecognised),
    companions: pages.reduce((sum, { companions }) => sum + companions, 0),
    scanned: pages.reduce((sum, { scanned }) => sum + scanned, 0),
    skipped: pages.reduce((sum, { skipped = 0 }) => sum + skipped, 0),
    problems: pages.flatMap(({ problems }) => problems),
    complete: end.complete,
    serverTime: end.serverTime,
  }
}

async function printJson({ description }: OpenedStore, listing: Listing, io: Io): Promise<void> {
  const { kind, address, server, clock } = description
  const { locks, unrecognised, companions, skipped, problems, complete } = listing
  const serverTime = new Date(listing.serverTime).toISOString()
  const store = { kind, address, server, serverTime, clockOffsetMs: clock.offsetMs }
  await print(io, `{"store":${safeJson(store)},"locks":[`)
  await printJsonItems(io, locks, lock => lockJson(lock, listing.serverTime))
  await print(io, '],"unrecognised":[')
  await printJsonItems(io, unrecognised, each => each)
  await print(io, `],${safeJson({ companions, skipped, problems, complete }).slice(1)}`)
}

async function printTable({ description }: OpenedStore, listing: Listing, io: Io): Promise<void> {
  const { locks, serverTime, unrecognised, companions, scanned, skipped, problems } = listing
  const colour = io.stdout.isTTY === true && !io.env['NO_COLOR']
  const more = unrecognised.length - SHOWN_UNRECOGNISED
  const lines = [
    ...(locks.length > 0
      ? lockTable(locks, serverTime, colour, io.stdout.columns)
      : [`No locks in ${description.address} (${plural(scanned, 'record', 'records')}).`]),
    '',
    `${sayCounts(countLocks(locks, serverTime))}${listing.complete ? '' : ' (not all of them)'}.`,
    `${sayServer(description)}.`,
  ]
  if (unrecognised.length > 0)
    lines.push(`${plural(unrecognised.length, 'unrecognized record', 'unrecognized records')}:`)
  for (const { key, reason } of unrecognised.slice(0, SHOWN_UNRECOGNISED))
    lines.push(`  ${clip(`${escapeForTerminal(key)}: ${neutralise(reason)}`, 98)}`)
  if (more > 0) lines.push(`  and ${more} more; --json lists them`)
  if (companions > 0) {
    const records = plural(companions, 'more record belongs', 'more records belong')
    lines.push(`${records} to locks without being locks.`)
  }
  if (skipped > 0) {
    const keys = plural(skipped, 'key was', 'keys were')
    lines.push(
      `${keys} not read: many of the same kind are no locks. match= in the address reads all it matches.`,
    )
  }
  for (const { where, message } of problems)
    lines.push(`Not read: ${escapeForTerminal(where)}: ${neutralise(message)}`)
  for (const line of lines) await print(io, line)
}
