import type { Client } from '../../../../shared/client.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { MANAGER_SHAPES, type ManagerShape } from '../../../../shared/manager-stats.ts'
import type { Failure } from '../../../../shared/result.ts'
import { neutralise, safeJson } from '../../../../shared/safe-text.ts'
import type { Figures, Stats, StoreStats } from '../../../../shared/stats.ts'
import { type Args, duration } from '../lib/args.ts'
import { connect, openStores, type ReachedStore } from '../lib/connect.ts'
import { EXIT, exitCodeOf, unwrap, usageError } from '../lib/exit.ts'
import { type Io, pause, print } from '../lib/io.ts'
import { widthOf } from '../lib/wrap.ts'
import { asGetActiveLocks, asGetMetrics, asGetStats, providerFrom } from './stats-as.ts'
import { statsLines } from './stats-text.ts'

const LONGEST_WATCH_SECONDS = 86_400

/** What is there, and what was seen to happen, in numbers. */
export async function statsCommand(args: Args, io: Io): Promise<number> {
  const sinceMs = duration(args.options['since'], '--since')
  const watchMs = watchFrom(args.options['watch'])
  const as = shapeFrom(args)
  const provider = as === 'getStats' ? providerFrom(io.env) : null

  const client = connect(io)
  const stores = await openStores(io, client, args.positionals)
  if (as === 'get_active_locks') return printActiveLocks(client, stores[0] as ReachedStore, io)

  const storeIds = stores.map(({ info }) => info.storeId)
  const stats = await observing(client, storeIds, watchMs, io, async () =>
    unwrap(
      await client.call('stats.read', {
        storeIds,
        ...(sinceMs === undefined ? {} : { since: Math.max(0, Date.now() - sinceMs) }),
      }),
    ),
  )
  if (provider !== null) await print(io, safeJson(asGetStats(stats, provider), 2))
  else if (as === 'getMetrics') await print(io, safeJson(asGetMetrics(stats), 2))
  else if (args.options['json']) await print(io, safeJson(statsJson(stats), 2))
  else for (const line of statsLines(stats, widthOf(io))) await print(io, line)
  if (as !== null) sayDown(stats, io)
  if (as === 'getMetrics' && stats.overall.observedMs === 0) sayUnobserved(io)
  return exitCode(stats.stores)
}

/** Looks for so long first, if that is wanted. The answer is made while it still looks. */
async function observing<T>(
  client: Client,
  storeIds: readonly string[],
  watchMs: number,
  io: Io,
  read: () => Promise<T>,
): Promise<T> {
  if (watchMs === 0) return read()
  if (io.stderr.isTTY) io.stderr.write(`Looking for ${watchMs / 1000} s…\n`)
  const ends = storeIds.map(storeId =>
    client.open(
      'locks.watch',
      { storeId },
      () => {},
      () => {},
    ),
  )
  await pause(watchMs, io.signal)
  const answer = await read()
  for (const end of ends) end()
  return answer
}

async function printActiveLocks(client: Client, { info }: ReachedStore, io: Io): Promise<number> {
  const { locks, problems } = await asGetActiveLocks(client, info.storeId)
  await print(io, safeJson(locks, 2))
  const [problem] = problems
  if (problem === undefined) return EXIT.done
  io.stderr.write(`lockkeeper: Not all could be read: ${neutralise(problem.message)}\n`)
  return exitCodeOf(problem)
}

function sayDown({ stores }: Stats, io: Io): void {
  for (const { name, error } of stores)
    if (error) io.stderr.write(`lockkeeper: ${neutralise(`${name}: ${error.message}`)}\n`)
}

function sayUnobserved(io: Io): void {
  io.stderr.write(
    'lockkeeper: Nothing was observed in this time, so nothing can be counted; --watch SECONDS looks itself\n',
  )
}

/** One that cannot be read does not stop the others, and is not hidden by them either. */
function exitCode(stores: readonly StoreStats[]): number {
  const failures = stores.flatMap(({ error }): Failure[] => (error ? [error] : []))
  const [first] = failures
  if (first === undefined) return EXIT.done
  return failures.length === stores.length ? exitCodeOf(first) : EXIT.partly
}

/** The same numbers, with times as people and other programs read them. */
function statsJson({ at, since, stores, overall }: Stats): unknown {
  return {
    at: isoTime(at),
    since: isoTime(since),
    stores: stores.map(store => ({ ...store, ...figuresJson(store), asOf: isoTime(store.asOf) })),
    overall: figuresJson(overall),
  }
}

function figuresJson(figures: Figures): Record<string, unknown> {
  const { oldest, longest } = figures
  return {
    ...figures,
    oldest: oldest && { ...oldest, since: isoTime(oldest.since) },
    longest: longest && { ...longest, since: isoTime(longest.since), until: isoTime(longest.until) },
  }
}

function watchFrom(value: Args['options'][string]): number {
  if (value === undefined) return 0
  const seconds = Number(value)
  if (!(seconds > 0 && seconds <= LONGEST_WATCH_SECONDS))
    throw usageError(`--watch must be a number of seconds up to ${LONGEST_WATCH_SECONDS}`)
  return seconds * 1000
}

function shapeFrom({ options, positionals }: Args): ManagerShape | null {
  if (options['as'] === undefined) return null
  const as = MANAGER_SHAPES.find(each => each === options['as'])
  if (as === undefined) throw usageError(`--as must be one of ${MANAGER_SHAPES.join(', ')}`)
  if (as === 'get_active_locks' && positionals.length > 1)
    throw usageError('get_active_locks tells of one store: keys of two could be the same')
  return as
}
