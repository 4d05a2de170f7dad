import type { Client } from '../../../shared/client.ts'
import { kindOf } from '../../../shared/kinds.ts'
import type { WatchEvent } from '../../../shared/locks.ts'
import { escapeForTerminal, neutralise } from '../../../shared/safe-text.ts'
import type { StoreInfo } from '../../../shared/stores.ts'
import { dataFolder } from '../../core/files/data-folder.ts'
import { codeOf } from '../../core/files/disk.ts'
import { readVersion } from '../console/core.ts'
import { createMetricsPage, startMetricsServer } from '../metrics/server.ts'
import { metricsToken } from '../metrics/token.ts'
import { type Args, interval, portNumber, reader } from './lib/args.ts'
import { connect, openStores } from './lib/connect.ts'
import { cannotListen, EXIT, usageError } from './lib/exit.ts'
import { aborted, type Io, keepRunning, print, warn } from './lib/io.ts'

/** Next to the console's, and fixed, because a monitoring system is configured once. */
const USUAL_PORT = 5626
const MOST_KEYS = 1000

const keyCount = reader(`a whole number from 0 to ${MOST_KEYS}`, text =>
  /^\d*$/.test(text) && Number(text) <= MOST_KEYS ? Number(text) : null,
)

/** Watches stores and serves their metrics to a monitoring system on this machine, until Ctrl-C. */
export async function metricsCommand(args: Args, io: Io): Promise<number> {
  const port = portNumber(args.options['port'], '--port') ?? USUAL_PORT
  const keys = keyCount(args.options['keys'], '--keys') ?? 0
  const intervalMs = interval(args.options['interval'], '--interval')
  const { token, file } = await metricsToken(io.env, dataFolder(io.env)).catch(error => {
    throw usageError(
      `The token of the metrics cannot be kept (${codeOf(error)}): set LOCKKEEPER_METRICS_TOKEN`,
    )
  })
  if (!/^\S+$/.test(token))
    throw usageError(`${file ?? 'LOCKKEEPER_METRICS_TOKEN'} is set, but is empty or contains a space`)

  const log = (line: string) => warn(io, line)
  const client = connect(io)
  const page = await createMetricsPage({
    metrics: io.core().metrics,
    version: readVersion(io.distFolder),
    keys,
    token,
  })
  // First, so that a port in use is reported before any store is opened.
  const server = await startMetricsServer({ page, port, log }).catch(error => {
    throw cannotListen(error, port)
  })
  try {
    const stores = await openStores(io, client, args.positionals)
    for (const { info } of stores) watch(client, info, intervalMs ?? kindOf(info.kind).rests.unwatchedMs, log)
    await print(io, `Metrics are at http://127.0.0.1:${server.port}/metrics`)
    if (file !== null) await print(io, `Requests need the bearer token in ${escapeForTerminal(file)}`)
    await keepRunning(aborted(io.signal))
  } finally {
    await server.close()
  }
  return EXIT.done
}

/** Keeps the store watched, which feeds the metrics. Logs when the store goes down and when it comes back. */
function watch(
  client: Client,
  { storeId, address }: StoreInfo,
  intervalMs: number,
  log: (line: string) => void,
) {
  let status: Extract<WatchEvent, { type: 'status' }>['status'] = 'live'
  client.open(
    'locks.watch',
    { storeId, intervalMs },
    event => {
      if (event.type !== 'status' || event.status === status) return
      status = event.status
      const words =
        status === 'live'
          ? 'can be read again'
          : `${status}: ${neutralise(event.error?.message ?? 'no reason')}`
      log(`${escapeForTerminal(address)} ${words}`)
    },
    result => {
      if (!result.ok && result.error.code !== 'ABORTED') log(neutralise(result.error.message))
    },
  )
}
