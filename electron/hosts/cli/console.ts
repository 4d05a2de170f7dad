import { findElectron, findInstallable, openWindow } from '../console/electron.ts'
import { installElectron } from '../console/install-electron.ts'
import { browserBecause, chooseScreen } from '../console/screen.ts'
import { serveConsole } from '../console/serve.ts'
import { readStart } from '../console/start.ts'
import { type Args, portNumber } from './lib/args.ts'
import { cannotListen, EXIT } from './lib/exit.ts'
import { type Io, print, warn } from './lib/io.ts'

export async function consoleCommand({ options }: Args, io: Io): Promise<number> {
  const { env, signal } = io
  const port = portNumber(options.port, '--port')
  const start = readStart(env, {
    stores: options.store ?? [],
    envFile: options['env-file'],
    passwordLines: await io.passwordLines(),
  })
  let screen = chooseScreen({
    web: options.web === true,
    electron: findElectron(io.distFolder, env),
    installable: findInstallable(io.distFolder, env),
    platform: process.platform,
    env,
    isRoot: process.getuid?.() === 0,
  })
  if (screen.kind === 'install') {
    screen = await installElectron({ home: screen.home, env, signal, log: line => warn(io, line) })
    if (signal.aborted) return EXIT.done
  }
  if (screen.kind === 'window') {
    const ended = await openWindow(io, screen.electron, start)
    if ('code' in ended) return ended.code
    screen = browserBecause(ended.why)
  }
  if (screen.kind === 'browser' && screen.why !== null) await print(io, screen.why)
  await serveConsole(io, start, port).catch(error => {
    throw cannotListen(error, port)
  })
  return EXIT.done
}
