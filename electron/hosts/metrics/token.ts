import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, createFile } from '../../core/files/disk.ts'
import { FolderLock } from '../../core/files/folder-lock.ts'

const BUSY_MS = 2000

export type MetricsToken = {
  readonly token: string
  /** Where it is kept; null if the environment has it. */
  readonly file: string | null
}

/** LOCKKEEPER_METRICS_TOKEN, or a token that is made once for the data folder: a monitoring system is configured once. */
export async function metricsToken(env: NodeJS.ProcessEnv, folder: string): Promise<MetricsToken> {
  const given = env['LOCKKEEPER_METRICS_TOKEN']
  if (given !== undefined) return { token: given, file: null }
  const file = join(folder, 'metrics-token')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  return new FolderLock(`${file}.lock`, BUSY_MS).run(async () => {
    const kept = await readFile(file, 'utf8').catch(error => {
      if (codeOf(error) !== 'ENOENT') throw error
      return null
    })
    if (kept !== null) return { token: kept.trim(), file }
    const token = randomToken()
    await createFile(file, `${token}\n`)
    return { token, file }
  })
}

export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}
