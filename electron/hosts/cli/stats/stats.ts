import type { Client } from '../../../../shared/client.ts'
import { withIsoTimes } from '../../../../shared/lease.ts'
import { neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { type Args, duration, oneOf, reader } from '../lib/args.ts'
import { connect, openStores } from '../lib/connect.ts'
import { EXIT, exitCodeOf, stopped, unwrap, usageError } from '../lib/exit.ts'
import { type Io, pause, print, warn } from '../lib/io.ts'
import { widthOf } from '../lib/layout.ts'
import { isTimedOut } from '../lib/time-limit.ts'
import {
  MANAGER_SHAPES,
  type ManagerShape,
  managerStats,
  observedMetrics,
  providerFrom,
  readActiveLocks,
} from './manager-shapes.ts'
import { statsLines } from './stats-text.ts'

const LONGEST_WATCH_SECONDS = 86_400
const watchTime = reader(`a number of seconds up to ${LONGEST_WATCH_SECONDS}`, text =>
  Number(text) > 0 && Number(text) <= LONGEST_WATCH_SECONDS ? Number(text) * 1000 : null,
)
const managerShape = oneOf(MANAGER_SHAPES)

/** Counts the locks in the stores, and the observed events. */
export async function statsCommand(args: Args, io: Io): Promise<number> {
  const sinceMs = duration(args.options.since, '--since')
  const watchMs = watchTime(args.options.watch, '--watch') ?? 0
  const as = shapeFrom(args)
  const provider = as === 'getStats' ? providerFrom(io.env) : null

  const client = connect(io)
  const opened = await openStores(io, client, args.positionals)
  const storeIds = opened.map(({ info }) => info.storeId)
  if (as === 'get_active_locks') return printActiveLocks(client, storeIds[0] ?? '', io)

  await watchFor(watchMs, storeIds, client, io)
  const since = sinceMs && Math.max(0, Date.now() - sinceMs)
  const stats = unwrap(await client.call('stats.read', { storeIds, since }))
  const { at, stores, overall } = stats
  if (provider !== null) {
    const counted = stores.map(({ kind, active, error }) => ({
      kind,
      active: error === null ? active : null,
    }))
    await print(io, safeJson(managerStats(provider, counted), 2))
  } else if (as === 'getMetrics')
    await print(io, safeJson(observedMetrics(overall.flows, overall.observedMs), 2))
  else if (args.options.json)
    await print(io, safeJson(withIsoTimes({ at, since: stats.since, stores, overall }), 2))
  else await print(io, ...statsLines(stats, widthOf(io)))

  const failures = stores.flatMap(({ name, error }) => (error ? [{ name, error }] : []))
  if (as !== null) for (const { name, error } of failures) warn(io, neutralise(`${name}: ${error.message}`))
  if (as === 'getMetrics' && overall.observedMs === 0)
    warn(io, 'Nothing was observed in this time, so nothing can be counted; --watch SECONDS observes first')
  // A store that cannot be read does not stop the others, and they do not hide it.
  const [first] = failures
  if (first === undefined) return EXIT.done
  return failures.length === stores.length ? exitCodeOf(first.error) : EXIT.partly
}

/** Watches the stores for a time, and until the command ends. */
async function watchFor(watchMs: number, storeIds: readonly string[], client: Client, io: Io): Promise<void> {
  if (watchMs === 0) return
  if (io.stderr.isTTY) io.stderr.write(`Looking for ${watchMs / 1000} s…\n`)
  const ignore = () => {}
  for (const storeId of storeIds) client.open('locks.watch', { storeId }, ignore, ignore)
  await pause(watchMs, io.signal)
  // Ctrl-C prints what was observed until then; a time limit asked for the whole.
  if (isTimedOut(io.signal)) throw stopped()
}

async function printActiveLocks(client: Client, storeId: string, io: Io): Promise<number> {
  const { locks, problems } = await readActiveLocks(io, client, storeId)
  await print(io, safeJson(locks, 2))
  const [problem] = problems
  if (problem === undefined) return EXIT.done
  warn(io, `Not all could be read: ${neutralise(problem.message)}`)
  return exitCodeOf(problem)
}

function shapeFrom({ options, positionals }: Args): ManagerShape | null {
  const as = managerShape(options.as, '--as') ?? null
  if (as === 'get_active_locks' && positionals.length > 1)
    throw usageError('get_active_locks reads one store: keys of two could be the same')
  return as
}
