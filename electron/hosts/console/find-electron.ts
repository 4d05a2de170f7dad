import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const PROGRAM: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
}

/**
 * The Electron program, if it is installed. The package itself is not asked: importing it where the program is missing
 * starts a download, and a console that is opened in an outage must not.
 */
export function findElectron(
  from: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const program = PROGRAM[platform] ?? 'electron'
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return existing(join(override, program))
  for (let folder = from; ; folder = dirname(folder)) {
    const home = join(folder, 'node_modules', 'electron')
    const installed = existing(join(home, 'dist', readName(join(home, 'path.txt')) ?? program))
    if (installed !== null || dirname(folder) === folder) return installed
  }
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null
}

function readName(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch {
    return null
  }
}
