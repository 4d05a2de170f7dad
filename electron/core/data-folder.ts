import envPaths from 'env-paths'

/** Where the audit log and everything else that must survive is kept. LOCKKEEPER_DATA_DIR moves it. */
export function dataFolder(env: NodeJS.ProcessEnv): string {
  return env['LOCKKEEPER_DATA_DIR'] || envPaths('lockkeeper', { suffix: '' }).data
}
