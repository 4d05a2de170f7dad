import { findElectron, findInstallable, openWindow } from '../console/electron.ts'
import { installElectron } from '../console/install-electron.ts'
import { browserBecause, chooseScreen } from '../console/screen.ts'
import { serveConsole } from '../console/serve.ts'
import { readStart, type Start, StartError } from '../console/start.ts'
import { NotBuilt } from '../http/static-files.ts'
import { type Args, portNumber } from './lib/args.ts'
import { CliError, cannotListen, EXIT, usageError } from './lib/exit.ts'
import { type Io, print } from './lib/io.ts'

export async function consoleCommand(args: Args, io: Io): Promise<number> {
  const port = portNumber(args.options['port'], '--port')
  const start = startOf(io, args.options as Record<string, unknown>)
  const { env, signal } = io
  let screen = chooseScreen({
    web: args.options['web'] === true,
    electron: findElectron(io.distFolder, env),
    installable: findInstallable(io.distFolder, env),
    platform: process.platform,
    env,
    isRoot: process.getuid?.() === 0,
  })
  if (screen.kind === 'install') {
    const log = (line: string) => void io.stderr.write(`lockkeeper: ${line}\n`)
    screen = await installElectron({ home: screen.home, env, signal, log })
    if (signal.aborted) return EXIT.done
  }
  if (screen.kind === 'window') {
    const ended = await openWindow(io, screen.electron, start)
    if ('code' in ended) return ended.code
    screen = browserBecause(ended.why)
  }
  if (screen.kind === 'browser' && screen.why !== null) await print(io, screen.why)
  try {
    await serveConsole(io, start, port)
  } catch (error) {
    throw error instanceof NotBuilt
      ? new CliError({ code: 'INTERNAL', message: error.message })
      : cannotListen(error, port)
  }
  return EXIT.done
}

function startOf(io: Io, options: Record<string, unknown>): Start {
  const { store, 'env-file': envFile } = options
  try {
    return readStart(io.env, {
      stores: (store as string[] | undefined) ?? [],
      ...(typeof envFile === 'string' ? { envFile } : {}),
    })
  } catch (error) {
    throw error instanceof StartError ? usageError(error.message) : error
  }
}
