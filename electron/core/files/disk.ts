import { open } from 'node:fs/promises'

/** So that a new name in it outlasts a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows does not open folders, and needs no such thing.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The system's code of an error: `ENOENT`, `EACCES`. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException)?.code ?? 'unknown error'
}

/** Null for text that is not JSON; no schema accepts null. */
export function parseJson(text: Buffer | string): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return null
  }
}
