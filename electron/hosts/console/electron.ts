import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Io } from '../cli/lib/io.ts'
import { type Start, startEnvironment } from './start.ts'

const PROGRAM: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
}
/** A program that a signal ends sooner than this never showed its window. */
const STARTING_MS = 10_000
/** The exit code of a program that the system cannot load. */
const LIBRARY_MISSING = 127

/**
 * The Electron program, if it is installed. The package itself is not imported: where the program is missing, that would
 * start a download, and a console that is opened in an outage must not.
 */
export function findElectron(
  from: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return existing(join(override, PROGRAM[platform] ?? 'electron'))
  for (let folder = from; ; folder = dirname(folder)) {
    const installed = programIn(join(folder, 'node_modules', 'electron'))
    if (installed !== null || dirname(folder) === folder) return installed
  }
}

/** The installer writes path.txt last: without it, the download or the unpacking was interrupted. */
export function programIn(home: string): string | null {
  try {
    return existing(join(home, 'dist', readFileSync(join(home, 'path.txt'), 'utf8').trim()))
  } catch {
    return null
  }
}

/** The electron package of the checkout that was built here, if its installer may run: npm installs it without its program. */
export function findInstallable(distFolder: string, env: NodeJS.ProcessEnv): string | null {
  const isCheckout = existsSync(join(distFolder, '..', 'electron', 'main.ts'))
  const home = join(distFolder, '..', 'node_modules', 'electron')
  return isCheckout && !env['ELECTRON_OVERRIDE_DIST_PATH'] && existsSync(join(home, 'install.js'))
    ? home
    : null
}

/** Runs the window until it ends, and returns its exit code; or why there was no window. */
export async function openWindow(
  io: Io,
  electron: string,
  start: Start,
): Promise<{ readonly code: number } | { readonly why: string }> {
  const { ELECTRON_RUN_AS_NODE: _, ...env } = startEnvironment(io.env, start)
  const startedAt = performance.now()
  // No addresses among the arguments: every user of the machine can read those.
  const child = spawn(electron, [join(io.distFolder, '..')], { stdio: 'inherit', env })
  const stop = () => child.kill('SIGTERM')
  io.signal.addEventListener('abort', stop)
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    // Ctrl-C is a regular end.
    if (io.signal.aborted) return { code: 0 }
    const neverShown =
      code === LIBRARY_MISSING || (code === null && performance.now() - startedAt < STARTING_MS)
    if (neverShown) return { why: `The window could not be opened (${signal ?? 'a library is missing'})` }
    return { code: code ?? 1 }
  } catch (error) {
    return { why: `The window could not be opened (${(error as NodeJS.ErrnoException).code})` }
  } finally {
    io.signal.removeEventListener('abort', stop)
  }
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null
}
