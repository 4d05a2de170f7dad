import { statSync } from 'node:fs'
import envPaths from 'env-paths'
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { escapeForTerminal } from '../../../shared/safe-text.ts'

/** The folder of the audit log and of every other file that must survive. LOCKKEEPER_DATA_DIR moves it. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return env['LOCKKEEPER_DATA_DIR'] || envPaths('lockkeeper', { suffix: '' }).data
}

const OTHERS_MAY_WRITE = 0o002

/** What an operator should know who trusts the files of the folder, as a sentence: other accounts can change them. */
export function folderWarning(folder: string): string | null {
  const owner = process.getuid?.()
  const stats = statSync(folder, { throwIfNoEntry: false })
  // Windows has other permissions.
  if (owner === undefined || stats === undefined) return null
  const name = `The data folder ${escapeForTerminal(folder)}`
  if (stats.uid !== owner)
    return `${name} belongs to another account, which can change its stores, plans and audit log`
  if ((stats.mode & OTHERS_MAY_WRITE) === 0) return null
  return `${name} can be written by every account, which can change its stores, plans and audit log: make it private with chmod 700`
}

/** How long a release can be undone: LOCKKEEPER_UNDO_MINUTES, by default 15; 0 for never. */
export function undoWindowMs(env: NodeJS.ProcessEnv): number {
  return numberIn(env['LOCKKEEPER_UNDO_MINUTES'], { usual: 15, longest: 24 * 60 }) * MINUTE_MS
}

/** How long observations are kept: LOCKKEEPER_HISTORY_HOURS, by default 24; 0 for not at all. */
export function historyMs(env: NodeJS.ProcessEnv): number {
  return numberIn(env['LOCKKEEPER_HISTORY_HOURS'], { usual: 24, longest: 7 * 24 }) * HOUR_MS
}

/** How long a browser's session lasts without an open page: LOCKKEEPER_SESSION_HOURS, by default 12, at least 1. */
export function sessionMs(env: NodeJS.ProcessEnv): number {
  return Math.max(1, numberIn(env['LOCKKEEPER_SESSION_HOURS'], { usual: 12, longest: 7 * 24 })) * HOUR_MS
}

function numberIn(text: string | undefined, { usual, longest }: { usual: number; longest: number }): number {
  const number = Number(text || usual)
  return number >= 0 && number <= longest ? number : usual
}
