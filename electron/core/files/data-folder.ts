import envPaths from 'env-paths'
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'

/** Where the audit log and everything else that must survive is kept. LOCKKEEPER_DATA_DIR moves it. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return env['LOCKKEEPER_DATA_DIR'] || envPaths('lockkeeper', { suffix: '' }).data
}

/** For how long a release can be undone: LOCKKEEPER_UNDO_MINUTES, 15 unless it says otherwise, and 0 for never. */
export function undoWindowMs(env: NodeJS.ProcessEnv): number {
  const minutes = Number(env['LOCKKEEPER_UNDO_MINUTES'] || USUAL_UNDO_MINUTES)
  return (minutes >= 0 && minutes <= LONGEST_UNDO_MINUTES ? minutes : USUAL_UNDO_MINUTES) * MINUTE_MS
}

/** For how long what is observed is kept: LOCKKEEPER_HISTORY_HOURS, 24 unless it says otherwise, and 0 for not at all. */
export function historyMs(env: NodeJS.ProcessEnv): number {
  const hours = Number(env['LOCKKEEPER_HISTORY_HOURS'] || USUAL_HISTORY_HOURS)
  return (hours >= 0 && hours <= LONGEST_HISTORY_HOURS ? hours : USUAL_HISTORY_HOURS) * HOUR_MS
}

const USUAL_HISTORY_HOURS = 24
const LONGEST_HISTORY_HOURS = 7 * 24
const USUAL_UNDO_MINUTES = 15
const LONGEST_UNDO_MINUTES = 24 * 60
