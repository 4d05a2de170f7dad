import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The copies of settings files in a data folder. */
export function envCopies(dataFolder: string): string[] {
  return readdirSync(join(dataFolder, 'env-copies'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.includes('.env.lockkeeper-'))
    .map(name => join(dataFolder, 'env-copies', name))
}
