import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCore } from '../../core/compose.ts'
import type { Core } from '../../core/dispatch.ts'
import type { PrintPdf } from '../../core/features/reports/reports.ts'
import type { SecretVault } from '../../core/features/stores/vault.ts'
import { dataFolder, historyMs, undoWindowMs } from '../../core/files/data-folder.ts'
import type { Start } from './start.ts'

/** The core of a console, in a window or a browser. */
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

/** The version in the package.json beside the build. */
export function readVersion(distFolder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(distFolder, '..', 'package.json'), 'utf8'))
    return typeof version === 'string' ? version : 'unknown'
  } catch {
    return 'unknown'
  }
}
