import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { EnvPreview } from '../../../../shared/switch.ts'
import { PROVIDER_VARIABLE } from '../../../../shared/switch-words.ts'
import { codeOf, createFile, openToRead, syncFolder } from '../../files/disk.ts'
import { StoreError } from '../../lib/errors.ts'
import { changeEnv, type EnvText, readEnv } from './env-lines.ts'

const LARGEST = 1024 * 1024
const LOOKS_LIKE_ENV = /^(?:\.env(?:\..+)?|.+\.env)$/
/** Of copies made within one second. */
const MOST_COPIES = 100

type EnvFile = Awaited<ReturnType<typeof readEnvFile>>

/** `file` is its real path, through links, and `value` the one that programs take; null without one. */
export async function readEnvFile(path: string) {
  if (!isAbsolute(path)) throw new StoreError('BAD_INPUT', 'Give the absolute path of the file')
  checkName(path)
  const file = await realpath(path).catch(error => {
    throw unreadable(path, error)
  })
  // A link must not lead to a file that is no settings file.
  checkName(file)
  const { bytes, stats } = await readWhole(file)
  const env = readEnv(decode(bytes, file), PROVIDER_VARIABLE)
  if (env.unclear.length > 0)
    throw new StoreError(
      'REFUSED',
      `Line ${env.unclear[0]} of ${escapeForTerminal(file)} names ${PROVIDER_VARIABLE} in a way that Lockkeeper cannot parse: change it by hand`,
    )
  const digest = createHash('sha256').update(file).update('\0').update(bytes).digest('hex')
  return { file, bytes, env, value: env.places.at(-1)?.value ?? null, digest, stats }
}

/** The lines that would change, and no others: they may be secrets. */
export async function previewEnv(path: string, wanted: string, dataFolder: string): Promise<EnvPreview> {
  const { file, env, value, digest } = await readEnvFile(path)
  const { lines } = changed(file, env, wanted)
  return { file, digest, value, wanted, lines, copy: copyName(dataFolder, file, 0) }
}

/**
 * Keeps a copy in the data folder, and replaces the file as a whole. Refused if its content is not exactly what was shown. Everything but the value
 * stays byte for byte. Every failure says in which state the file is.
 */
export async function changeEnvFile(
  path: string,
  wanted: string,
  digest: string,
  dataFolder: string,
): Promise<{ readonly file: string; readonly copy: string; readonly before: string | null }> {
  const seen = await readEnvFile(path)
  const { file, env, value } = seen
  if (seen.digest !== digest)
    throw refused(file, 'has changed since it was shown. Nothing was written: preview it again')
  if (seen.stats.nlink > 1)
    throw refused(
      file,
      'has several names (hard links), and only one of them would change: change it by hand',
    )
  const { text, lines } = changed(file, env, wanted)
  if (lines.length === 0) throw refused(file, `says ${PROVIDER_VARIABLE}=${wanted} already`)
  const copy = await keepCopy(seen, dataFolder)
  await replace(seen, text, copy)
  const written = await readWhole(file).catch(() => null)
  if (!written?.bytes.equals(Buffer.from(text)))
    throw new StoreError(
      'REFUSED',
      `${escapeForTerminal(file)} was replaced, but its content is not what Lockkeeper wrote: check it. The previous version is ${escapeForTerminal(copy)}`,
      { uncertain: true },
    )
  return { file, copy, before: value }
}

function changed(file: string, env: EnvText, wanted: string): ReturnType<typeof changeEnv> {
  // An added line must be a line of its own.
  if (env.places.length === 0 && env.openEnd !== null)
    throw new StoreError(
      'REFUSED',
      `Line ${env.openEnd} of ${escapeForTerminal(file)}, its last one, ends with a backslash, so an added line would belong to it: change it by hand`,
    )
  return changeEnv(env, PROVIDER_VARIABLE, wanted)
}

function checkName(path: string): void {
  if (!LOOKS_LIKE_ENV.test(basename(path)))
    throw new StoreError('BAD_INPUT', 'Only files named .env, .env.something or something.env are read')
}

async function readWhole(file: string) {
  let handle: FileHandle | null = null
  try {
    handle = await openToRead(file)
    const stats = await handle.stat()
    if (!stats.isFile()) throw refused(file, 'is not a regular file')
    if (stats.size > LARGEST)
      throw refused(file, 'is larger than 1 MB, which is too large for a settings file')
    return { bytes: await handle.readFile(), stats }
  } catch (error) {
    throw error instanceof StoreError ? error : unreadable(file, error)
  } finally {
    await handle?.close()
  }
}

function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw refused(file, 'is not UTF-8 text: change it by hand')
  }
}

/** Never overwrites a file, and is readable only by accounts that can read the original. */
async function keepCopy({ file, bytes, stats }: EnvFile, dataFolder: string): Promise<string> {
  for (let n = 0; n < MOST_COPIES; n++) {
    const copy = copyName(dataFolder, file, n)
    try {
      await mkdir(dirname(copy), { recursive: true, mode: 0o700 })
      await writeNew(copy, bytes, handle => handle.chmod(stats.mode & 0o600))
      return copy
    } catch (error) {
      if (codeOf(error) !== 'EEXIST')
        throw refused(file, `was not changed: its copy cannot be written (${codeOf(error)})`)
    }
  }
  throw refused(file, 'was not changed: there are too many copies of it')
}

async function replace({ file, bytes: before, stats }: EnvFile, text: string, copy: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.new`
  try {
    await writeNew(draft, text, async handle => {
      // With another owner, the programs that use the file may be unable to read it: then nothing is changed. The mode comes
      // last, because changing the owner clears bits of it.
      const { uid, gid } = await handle.stat()
      if (uid !== stats.uid || gid !== stats.gid) await handle.chown(stats.uid, stats.gid)
      await handle.chmod(stats.mode & 0o7777)
    })
    const { bytes } = await readWhole(file)
    if (!bytes.equals(before))
      throw refused(
        file,
        `was changed by another program just now, and not by Lockkeeper. A copy is ${escapeForTerminal(copy)}`,
      )
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    if (error instanceof StoreError) throw error
    throw refused(file, `was not changed (${codeOf(error)}). A copy of it is ${escapeForTerminal(copy)}`)
  }
  await syncName(file)
}

async function writeNew(
  path: string,
  content: string | Buffer,
  setMode: (handle: FileHandle) => Promise<unknown>,
): Promise<void> {
  await createFile(path, content, async handle => {
    await setMode(handle)
    await handle.sync()
  })
  await syncName(path)
}

/** Not every system can sync a folder. */
function syncName(path: string): Promise<void> {
  return syncFolder(dirname(path)).catch(() => {})
}

/** Not beside the file, where no ignore rule matches it and its secrets would be committed. */
function copyName(dataFolder: string, file: string, n: number): string {
  const folder = createHash('sha256').update(dirname(file)).digest('hex').slice(0, 16)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const name = `${basename(file)}.lockkeeper-${time}${n === 0 ? '' : `-${n + 1}`}`
  return resolve(dataFolder, 'env-copies', folder, name)
}

function refused(file: string, what: string): StoreError {
  return new StoreError('REFUSED', `${escapeForTerminal(file)} ${what}`)
}

function unreadable(file: string, error: unknown): StoreError {
  const code = codeOf(error)
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new StoreError('NOT_FOUND', `There is no ${escapeForTerminal(file)}`)
  return refused(file, code === 'ELOOP' ? 'is a broken link' : `cannot be read (${code})`)
}
