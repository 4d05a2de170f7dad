import { chooseScreen } from '../console/choose-screen.ts'
import { findElectron } from '../console/find-electron.ts'
import { openWindow } from '../console/open-window.ts'
import { serveConsole } from '../console/serve.ts'
import { readStart, type Start, StartError } from '../console/start.ts'
import { NotBuilt } from '../http/static-files.ts'
import { parse, portNumber } from './lib/args.ts'
import { CliError, cannotListen, EXIT, usageError } from './lib/exit.ts'
import { type Io, print } from './lib/io.ts'

export async function consoleCommand(argv: readonly string[], io: Io): Promise<number> {
  const args = parse(
    argv,
    {
      web: { type: 'boolean' },
      port: { type: 'string' },
      store: { type: 'string', multiple: true },
      'env-file': { type: 'string' },
    },
    [],
  )
  const port = portNumber(args.options['port'])
  const start = startOf(io, args.options as Record<string, unknown>)
  const screen = chooseScreen({
    web: args.options['web'] === true,
    electron: findElectron(io.distFolder, io.env),
    platform: process.platform,
    env: io.env,
    isRoot: process.getuid?.() === 0,
  })
  if (screen.kind === 'window') return openWindow(io, screen.electron, start)
  if (screen.why !== null) await print(io, screen.why)
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
