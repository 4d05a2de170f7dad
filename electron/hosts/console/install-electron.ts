import { type ExecFileException, execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clip, neutralise } from '../../../shared/safe-text.ts'
import { codeOf } from '../../core/files/disk.ts'
import { FolderLock, LockBusy } from '../../core/files/folder-lock.ts'
import { withoutSecrets } from '../start/passwords.ts'
import { programIn } from './electron.ts'
import { browserBecause, type Screen } from './screen.ts'

/** About 110 MB. With a stuck lock at hand, a slower download is not worth the wait. */
const LIMIT_MS = 120_000
const PROGRESS_MS = 5000
/** How long to wait for another process that is downloading. */
const BUSY_MS = 500

type Installation = {
  /** The electron package, with its own installer in it. */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly log: (line: string) => void
  readonly limitMs?: number
}

/** Downloads the Electron program with the installer of its package, completely or not at all. */
export async function installElectron(installation: Installation): Promise<Screen> {
  const { home } = installation
  try {
    const why = await new FolderLock(join(home, 'installing'), BUSY_MS).run(async () =>
      // Another process may have installed it meanwhile.
      programIn(home) === null ? download(installation) : null,
    )
    const electron = programIn(home)
    if (electron !== null) return { kind: 'window', electron }
    return browserBecause(why ?? 'Electron could not be installed (its program is missing)')
  } catch (error) {
    if (error instanceof LockBusy) return browserBecause('Another process is downloading Electron')
    return browserBecause(`Electron could not be installed (${codeOf(error)})`)
  }
}

/** Null if the installer succeeded, otherwise why it did not. */
async function download({
  home,
  env,
  signal,
  log,
  limitMs = LIMIT_MS,
}: Installation): Promise<string | null> {
  // Also clears up after an installer that was killed.
  const clear = async () => {
    for (const name of ['path.txt', 'dist']) await rm(join(home, name), { recursive: true, force: true })
  }
  await clear()
  log('Downloading Electron for the window, this once; Ctrl-C stops, and --web serves the browser instead')
  const running = promisify(execFile)(process.execPath, [join(home, 'install.js')], {
    env: withoutSecrets(env),
    signal,
    timeout: limitMs,
    killSignal: 'SIGKILL',
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  const startedAt = performance.now()
  const progress = setInterval(
    () => log(`Still downloading Electron: ${Math.round((performance.now() - startedAt) / 1000)} s`),
    PROGRESS_MS,
  )
  try {
    await running
    return null
  } catch (error) {
    await clear()
    const { killed, code, stderr = '' } = error as ExecFileException & { readonly stderr?: string }
    if (signal.aborted) return 'The download of Electron was stopped'
    if (killed) return `Electron could not be downloaded within ${Math.round(limitMs / 1000)} s`
    return `Electron could not be downloaded (${firstError(stderr) ?? `its installer ended with ${code}`})`
  } finally {
    clearInterval(progress)
  }
}

/** The message of the installer's stack trace. Advice in it is not repeated: a package of its name may be a stranger's. */
function firstError(errors: string): string | null {
  const message = /^\s*(?:\w*Error: )+(.+)$/m.exec(errors)?.[1]
  return message === undefined || RUNS_PACKAGE.test(message) ? null : clip(neutralise(message), 120)
}

const RUNS_PACKAGE = /\b(npx|npm|yarn|pnpm|bunx?)\b/i
