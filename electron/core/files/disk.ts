import { randomBytes } from 'node:crypto'
import { constants, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'

/**
 * How files are written. Other accounts may be able to make links in a folder: a new file gets an unguessable name, or must
 * not exist yet, and no existing file is opened through a link.
 */

/** Makes a new name in the folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders, and does not need this.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A new file that this account alone may read. Fails with EEXIST if there is a file or a link. */
export function openNew(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600)
}

/** Creates a file with its whole content, or none. Fails if there is one, which is not touched. */
export async function createFile(
  path: string,
  content: string | Buffer,
  finish?: (handle: FileHandle) => Promise<unknown>,
): Promise<void> {
  const handle = await openNew(path)
  try {
    await handle.writeFile(content)
    await finish?.(handle)
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** File systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/** Creates a file that is complete as soon as it exists. False if there is one, which is not touched. */
export async function createWholeFile(path: string, content: string): Promise<boolean> {
  const draft = draftOf(path)
  try {
    await createFile(draft, content)
    await link(draft, path).catch(error => {
      if (!NO_LINKS.includes(codeOf(error))) throw error
      return createFile(path, content)
    })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

/** Replaces a file as a whole, or a link in its place. With `flush`, the new content is on disk before it replaces the old. */
export async function replaceFile(
  path: string,
  content: string,
  { flush }: { readonly flush: boolean },
): Promise<void> {
  const draft = draftOf(path)
  await createFile(draft, content, async handle => flush && handle.sync())
  await rename(draft, path).catch(async error => {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  })
}

/** The same at once, for a window that is closing. */
export function replaceFileNow(path: string, content: string): void {
  const draft = draftOf(path)
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600 })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function draftOf(path: string): string {
  return `${path}.${randomBytes(4).toString('hex')}.new`
}

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants

/** Opens a file for reading. Neither waits for a writer of a pipe, nor follows a link. */
export function openToRead(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
}

/** Opens a file for appending. A link in its place fails with ELOOP: it would lead the text elsewhere. */
export function openToAppend(path: string, { create }: { readonly create: boolean }): Promise<FileHandle> {
  return open(path, O_RDWR | O_APPEND | O_NOFOLLOW | (create ? O_CREAT : 0), 0o600)
}

/** Appends to a file that this account alone may read, and creates it if it is missing. */
export async function appendTo(
  path: string,
  text: string,
  { flush }: { readonly flush: boolean },
): Promise<void> {
  const handle = await openToAppend(path, { create: true })
  try {
    await handle.appendFile(text)
    if (flush) await handle.sync()
  } finally {
    await handle.close()
  }
}

const GROUP_OR_OTHERS_WRITE = 0o022

/** Which other users could have written an open file, as the rest of a sentence about it; null if only this one and root could. */
export function whoElseMayWrite({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | null {
  const own = process.getuid?.()
  // Windows has other permissions.
  if (own === undefined) return null
  // Under sudo, the files of the user who called it.
  const caller = own === 0 ? Number(process.env['SUDO_UID'] ?? 0) : 0
  if (![own, caller, 0].includes(uid)) return `belongs to another user (uid ${uid})`
  if ((mode & GROUP_OR_OTHERS_WRITE) === 0) return null
  return `can be written by other users (mode ${(mode & 0o777).toString(8)})`
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

/** Changes with each version of the file; an error code if it is unreadable. */
export async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch (error) {
    return codeOf(error)
  }
}
