import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of what was built, from the package that it lies in. */
export function readVersion(distFolder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(distFolder, '..', 'package.json'), 'utf8'))
    return typeof version === 'string' ? version : 'unknown'
  } catch {
    return 'unknown'
  }
}
