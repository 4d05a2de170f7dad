import { join } from 'node:path'
import { sessionVault } from '../../core/features/stores/vault.ts'
import { dataFolder, sessionMs } from '../../core/files/data-folder.ts'
import { codeOf } from '../../core/files/disk.ts'
import { atMost } from '../../core/lib/timers.ts'
import { aborted, type Io, keepRunning, print, warn } from '../cli/lib/io.ts'
import { loadStaticFiles } from '../http/static-files.ts'
import { createMetricsPage } from '../metrics/server.ts'
import { metricsToken, randomToken } from '../metrics/token.ts'
import { startWebHost, type WebHost } from '../web/host.ts'
import { createHostCore, readVersion } from './core.ts'
import type { Start } from './start.ts'

/** Tried first: browsers keep settings by host and port. */
const USUAL_PORT = 5625
/** A store that hangs must not keep the console running. */
const CLOSING_MS = 700

/** Serves the console until Ctrl-C. */
export async function serveConsole(io: Io, start: Start, port: number | undefined): Promise<void> {
  const files = loadStaticFiles(join(io.distFolder, 'renderer'))
  const vault = sessionVault('Passwords are kept only while the console runs: a browser has no keyring')
  const core = createHostCore(io.env, io.distFolder, { host: 'web', vault, start })
  const log = (line: string) => warn(io, line)
  // A console without metrics is better than none.
  const { token } = await metricsToken(io.env, dataFolder(io.env)).catch(error => {
    log(`The metrics cannot be read: their token cannot be kept (${codeOf(error)})`)
    return { token: randomToken() }
  })
  const metrics = await createMetricsPage({
    metrics: core.metrics,
    version: readVersion(io.distFolder),
    keys: 0,
    token,
  })
  const idleMs = sessionMs(io.env)
  const host = (at: number) => startWebHost({ core, files, metrics, idleMs, port: at, log })
  let web: WebHost | undefined
  try {
    web = port === undefined ? await host(USUAL_PORT).catch(() => host(0)) : await host(port)
    const { launchAddress } = web
    const announce = () => print(io, `Lockkeeper is at ${launchAddress()}`)
    await announce()
    if (io.stdin.isTTY) {
      await print(io, 'The address works once. Press Enter for another, Ctrl-C to stop.')
      io.stdin.on('data', announce)
    }
    await keepRunning(aborted(io.signal))
    io.stdin.off('data', announce)
    io.stdin.pause()
  } finally {
    const closing = Promise.allSettled([web?.close(), core.close()])
    await atMost(CLOSING_MS, closing)
  }
}
