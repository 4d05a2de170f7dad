import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { CliError, usageError } from './exit.ts'

/** A file that is complete or not there: written beside its place, and renamed when it is on disk. */
export type WholeFile = {
  write(text: string): Promise<void>
  keep(): Promise<void>
  /** Leaves the previous file unchanged. */
  drop(): Promise<void>
}

export async function openWholeFile(name: string): Promise<WholeFile> {
  const fail = (error: unknown): never => {
    throw unwritable(name, error)
  }
  const place = await placeOf(name).catch(fail)
  const part = `${place}.${randomBytes(4).toString('hex')}.part`
  // Readable by its owner only: a report names holders.
  const file: FileHandle = await open(part, 'wx', 0o600).catch(fail)
  let isOpen = true
  const close = async () => {
    if (isOpen) await file.close()
    isOpen = false
  }
  return {
    async write(text) {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done).catch(fail)
        done += bytesWritten
      }
    },
    async keep() {
      await file.sync().catch(fail)
      await close()
      await rename(part, place).catch(fail)
      await syncFolder(dirname(place))
    },
    async drop() {
      await close().catch(() => {})
      await rm(part, { force: true }).catch(() => {})
    },
  }
}

/** The target, through links. Only a file may be replaced: a rename would remove a device or a folder. */
async function placeOf(name: string): Promise<string> {
  const real = await realpath(name).catch(async error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(await realpath(dirname(name)), name.split('/').at(-1) ?? name)
  })
  const there = await stat(real).catch(() => null)
  if (there && !there.isFile())
    throw usageError(`${escapeForTerminal(name)} is not a file; --out - writes to the standard output`)
  return real
}

/** Flushes the new name to disk as well, on systems that can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']
const WRONG = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EINVAL', 'ELOOP']
const DENIED = ['EACCES', 'EPERM']
/** Errors that have nothing to do with permissions. */
const TROUBLES: Readonly<Record<string, string>> = {
  EROFS: 'the disk is read-only',
  EIO: 'the disk has failed',
  EMFILE: 'this process has too many files open',
  ENFILE: 'this machine has too many files open',
}

export function unwritable(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
  const file = escapeForTerminal(name)
  if (FULL.includes(code))
    return new CliError({ code: 'INTERNAL', message: `${file} was not written: the disk is full (${code})` })
  if (WRONG.includes(code))
    return usageError(`${file} cannot be written: its folder does not exist (${code})`)
  if (DENIED.includes(code))
    return new CliError({
      code: 'REFUSED',
      message: `${file} cannot be written: this account may not write there (${code})`,
    })
  const why = TROUBLES[code] === undefined ? code : `${TROUBLES[code]} (${code})`
  return new CliError({ code: 'INTERNAL', message: `${file} was not written: ${why}` })
}
