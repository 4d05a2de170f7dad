import { createCore } from '../../core/compose.ts'
import type { Core } from '../../core/dispatch.ts'
import type { PrintPdf } from '../../core/features/reports/reports.ts'
import type { SecretVault } from '../../core/features/stores/vault.ts'
import { dataFolder, historyMs, undoWindowMs } from '../../core/files/data-folder.ts'
import type { Start } from './start.ts'
import { readVersion } from './version.ts'

/** The core behind a console, whatever shows it. */
export function createConsoleCore(options: {
  readonly host: 'electron' | 'web'
  readonly env: NodeJS.ProcessEnv
  readonly distFolder: string
  readonly vault: SecretVault
  readonly start: Start
  readonly printPdf?: PrintPdf
}): Core {
  const { envFile: _, ...start } = options.start
  return createCore({
    dataFolder: dataFolder(options.env),
    undoWindowMs: undoWindowMs(options.env),
    historyMs: historyMs(options.env),
    host: options.host,
    version: readVersion(options.distFolder),
    vault: options.vault,
    start,
    ...(options.printPdf ? { printPdf: options.printPdf } : {}),
  })
}
