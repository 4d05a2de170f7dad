import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where Debian keeps servers is not on everybody's PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin']

/** Debian ships the Redis server inside redis-tools under another name; called as redis-server it is the server. */
const ALSO = { 'redis-server': ['redis-check-rdb'] }

/**
 * The path of a program, or null.
 * @param {string} program
 * @returns {string | null}
 */
export function findServer(program) {
  for (const name of [program, ...(ALSO[program] ?? [])]) {
    for (const folder of FOLDERS) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {}
    }
  }
  return null
}
