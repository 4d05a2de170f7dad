import { createHash, randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { EnvPreview } from '../../../../shared/switch.ts'
import { PROVIDER_VARIABLE } from '../../../../shared/switch-words.ts'
import { codeOf } from '../../files/disk.ts'
import { StoreError } from '../../lib/errors.ts'
import { changeEnv, type EnvText, readEnv } from './env-lines.ts'

const LARGEST = 1024 * 1024
const LOOKS_LIKE_ENV = /^(?:\.env(?:\..+)?|.+\.env)$/
/** Of copies made within one second. */
const MOST_COPIES = 100

type Read = {
  /** Where it really is, through links. */
  readonly file: string
  readonly text: string
  readonly env: EnvText
  /** What programs take for the value; null when none is said. */
  readonly value: string | null
  readonly digest: string
  readonly stats: Stats
}

/** What a file of settings says about the provider now. */
export async function readEnvFile(path: string): Promise<Read> {
  const file = await placeOf(path)
  const { bytes, stats } = await readWhole(file)
  const text = decode(bytes, file)
  const env = readEnv(text, PROVIDER_VARIABLE)
  if (env.unclear.length > 0)
    throw new StoreError(
      'REFUSED',
      `Line ${env.unclear[0]} of ${escapeForTerminal(file)} names ${PROVIDER_VARIABLE} in a way that Lockkeeper cannot parse: change it by hand`,
    )
  const digest = createHash('sha256').update(file).update('\0').update(bytes).digest('hex')
  return { file, text, env, value: env.places.at(-1)?.value ?? null, digest, stats }
}

/** What would become of it. Only the lines that change are told: the others may be secrets. */
export async function previewEnv(path: string, wanted: string): Promise<EnvPreview> {
  const { file, env, value, digest } = await readEnvFile(path)
  checkEnd(file, env)
  const { lines } = changeEnv(env, PROVIDER_VARIABLE, wanted)
  return { file, digest, value, wanted, lines, copy: copyName(file, Date.now(), 0) }
}

export type Changed = { readonly file: string; readonly copy: string; readonly before: string | null }

/**
 * Keeps a copy and puts a new file in the place of the old one, whole or not at all. Refused if it is not exactly what was shown.
 * Everything but the value stays byte for byte. Every failure says in which state the file is.
 */
export async function changeEnvFile(path: string, wanted: string, digest: string): Promise<Changed> {
  const seen = await readEnvFile(path)
  if (seen.digest !== digest)
    throw refused(seen.file, 'has changed since it was shown. Nothing was written: preview it again')
  if (seen.stats.nlink > 1)
    throw refused(
      seen.file,
      'has several names (hard links), and only one of them would change: change it by hand',
    )
  checkEnd(seen.file, seen.env)
  const { text, lines } = changeEnv(seen.env, PROVIDER_VARIABLE, wanted)
  if (lines.length === 0) throw refused(seen.file, `says ${PROVIDER_VARIABLE}=${wanted} already`)
  const copy = await keepCopy(seen)
  await replace(seen, text, copy)
  await verify(seen.file, text, copy)
  return { file: seen.file, copy, before: seen.value }
}

/** Where a line has to be added, it must be one of its own. */
function checkEnd(file: string, { places, openEnd }: EnvText): void {
  if (places.length === 0 && openEnd !== null)
    throw new StoreError(
      'REFUSED',
      `Line ${openEnd} of ${escapeForTerminal(file)}, its last one, ends with a backslash, so an added line would belong to it: change it by hand`,
    )
}

async function placeOf(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new StoreError('BAD_INPUT', 'Give the absolute path of the file')
  checkName(path)
  const file = await realpath(path).catch(error => {
    throw unreadable(path, error)
  })
  // A link must not lead to what nobody would take for a file of settings.
  checkName(file)
  return file
}

function checkName(path: string): void {
  if (!LOOKS_LIKE_ENV.test(basename(path)))
    throw new StoreError('BAD_INPUT', 'Only files named .env, .env.something or something.env are read')
}

async function readWhole(file: string): Promise<{ bytes: Buffer; stats: Stats }> {
  let handle: FileHandle | null = null
  try {
    // Neither waits for somebody to write into a pipe nor follows a link that came in between.
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
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

/** Never over one that is there already. Nobody may read it who may not read the file. */
async function keepCopy({ file, text, stats }: Read): Promise<string> {
  for (let n = 0; n < MOST_COPIES; n++) {
    const copy = copyName(file, Date.now(), n)
    try {
      await writeNew(copy, text, handle => handle.chmod(stats.mode & 0o600))
      await syncFolder(dirname(file))
      return copy
    } catch (error) {
      if (codeOf(error) === 'EEXIST') continue
      throw refused(file, `was not changed: its copy cannot be written (${codeOf(error)})`)
    }
  }
  throw refused(file, 'was not changed: there are too many copies of it')
}

async function replace({ file, text: before, stats }: Read, text: string, copy: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}.new`
  try {
    await writeNew(draft, text, async handle => {
      // One that belongs to somebody else could not be read by the programs that it is for: then nothing is changed. The mode
      // goes last, because a change of the owner takes bits away.
      const { uid, gid } = await handle.stat()
      if (uid !== stats.uid || gid !== stats.gid) await handle.chown(stats.uid, stats.gid)
      await handle.chmod(stats.mode & 0o7777)
    })
    const { bytes } = await readWhole(file)
    if (!bytes.equals(Buffer.from(before)))
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
  await syncFolder(dirname(file))
}

async function verify(file: string, text: string, copy: string): Promise<void> {
  const found = await readWhole(file).catch(() => null)
  if (found?.bytes.equals(Buffer.from(text))) return
  throw new StoreError(
    'REFUSED',
    `${escapeForTerminal(file)} was replaced, but its content is not what Lockkeeper wrote: check it. The previous version is ${escapeForTerminal(copy)}`,
    { uncertain: true },
  )
}

async function writeNew(
  path: string,
  text: string,
  settle: (handle: FileHandle) => Promise<unknown>,
): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await settle(handle)
    await handle.sync()
  } catch (error) {
    await rm(path, { force: true }).catch(() => {})
    throw error
  } finally {
    await handle.close()
  }
}

/** That it has its name is on disk as well. Not every system can say so of a folder. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

function copyName(file: string, at: number, n: number): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
  return `${file}.lockkeeper-${time}${n === 0 ? '' : `-${n + 1}`}`
}

function refused(file: string, what: string): StoreError {
  return new StoreError('REFUSED', `${escapeForTerminal(file)} ${what}`)
}

function unreadable(file: string, error: unknown): StoreError {
  const code = codeOf(error)
  const shown = escapeForTerminal(file)
  if (code === 'ENOENT' || code === 'ENOTDIR') return new StoreError('NOT_FOUND', `There is no ${shown}`)
  if (code === 'ELOOP') return new StoreError('REFUSED', `${shown} is a broken link`)
  return new StoreError('REFUSED', `${shown} cannot be read (${code})`)
}
