import { stat } from 'node:fs/promises'
import { codeOf } from './disk.ts'

/** Another one for every version of a file; why it cannot be looked at, where it cannot. */
export async function markOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch (error) {
    return codeOf(error)
  }
}
