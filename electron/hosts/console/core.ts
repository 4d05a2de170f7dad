import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CoreOptions, createCore } from '../../core/compose.ts'
import type { Core } from '../../core/dispatch.ts'
import { dataFolder, folderWarning, historyMs, undoWindowMs } from '../../core/files/data-folder.ts'

/** The core of a program, as its environment configures it. Rooms pay in a console; for one command, starting one takes too long. */
export function createHostCore(
  env: NodeJS.ProcessEnv,
  distFolder: string,
  options: Omit<CoreOptions, 'dataFolder'> = {},
): Core {
  const folder = dataFolder(env)
  const { start } = options
  const warning = folderWarning(folder)
  if (warning !== null) process.stderr.write(`lockkeeper: ${warning}\n`)
  return createCore({
    dataFolder: folder,
    undoWindowMs: undoWindowMs(env),
    historyMs: historyMs(env),
    version: readVersion(distFolder),
    ...options,
    ...(start && {
      roomFile: join(distFolder, 'node', 'room.js'),
      start: { ...start, notice: warning && `${warning}.` },
    }),
  })
}

/** The version in the package.json beside the build. */
export function readVersion(distFolder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(distFolder, '..', 'package.json'), 'utf8'))
    return typeof version === 'string' ? version : 'unknown'
  } catch {
    return 'unknown'
  }
}
