import { randomBytes } from 'node:crypto'
import { type FileHandle, lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ErrorCode } from '../../../../shared/error-codes.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import { openNew, syncFolder } from '../../../core/files/disk.ts'
import { CliError, usageError } from './exit.ts'

/** A file that is complete or absent: written under another name, and renamed once it is on disk. */
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
  const file: FileHandle = await openNew(part).catch(fail)
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
      await file.close()
      await rename(part, place).catch(fail)
      // Not every file system can.
      await syncFolder(dirname(place)).catch(() => {})
    },
    async drop() {
      // Closing twice does nothing.
      await file.close().catch(() => {})
      await rm(part, { force: true }).catch(() => {})
    },
  }
}

/**
 * The file that links lead to; a link that another account made in a shared folder could lead anywhere. Only a file may be replaced: a
 * rename would remove a device or a folder.
 */
async function placeOf(name: string): Promise<string> {
  const link = await lstat(name).catch(() => null)
  // Root's links are part of the system.
  const isOwn = link?.uid === 0 || link?.uid === (process.getuid?.() ?? link?.uid)
  if (link?.isSymbolicLink() && !isOwn)
    throw usageError(`${escapeForTerminal(name)} is a link of another account: choose another name`)
  const real = await realpath(name).catch(async error => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return join(await realpath(dirname(name)), name.split('/').at(-1) ?? name)
  })
  const there = await stat(real).catch(() => null)
  if (there && !there.isFile())
    throw usageError(`${escapeForTerminal(name)} is not a file; --out - writes to the standard output`)
  return real
}

/** System errors by their codes. */
const CAUSES: readonly { readonly of: string; readonly code: ErrorCode; readonly why: string }[] = [
  { of: 'ENOSPC EDQUOT EFBIG', code: 'INTERNAL', why: 'the disk is full' },
  {
    of: 'ENOENT ENOTDIR EISDIR ENAMETOOLONG EINVAL',
    code: 'BAD_INPUT',
    why: 'its folder does not exist',
  },
  { of: 'ELOOP', code: 'BAD_INPUT', why: 'it is a symbolic link' },
  { of: 'EACCES EPERM', code: 'REFUSED', why: 'this account may not write there' },
  { of: 'EROFS', code: 'INTERNAL', why: 'the disk is read-only' },
  { of: 'EIO', code: 'INTERNAL', why: 'the disk has failed' },
  { of: 'EMFILE', code: 'INTERNAL', why: 'this process has too many files open' },
  { of: 'ENFILE', code: 'INTERNAL', why: 'this machine has too many files open' },
]

export function unwritable(name: string, error: unknown): CliError {
  if (error instanceof CliError) return error
  const systemCode = (error as NodeJS.ErrnoException).code ?? 'unknown'
  const cause = CAUSES.find(each => each.of.split(' ').includes(systemCode))
  const { code, why } = cause ?? { code: 'INTERNAL', why: null }
  const what = code === 'INTERNAL' ? 'was not written' : 'cannot be written'
  const because = why === null ? systemCode : `${why} (${systemCode})`
  return new CliError({ code, message: `${escapeForTerminal(name)} ${what}: ${because}` })
}
