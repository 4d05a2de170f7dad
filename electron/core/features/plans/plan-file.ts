import { constants, type Stats } from 'node:fs'
import { access as accessFile, type FileHandle, stat } from 'node:fs/promises'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { codeOf, createFile, openToAppend, openToRead, whoElseMayWrite } from '../../files/disk.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { shellQuote } from '../../lib/shell-quote.ts'
import type { TrustedKeys } from '../keys/trusted-keys.ts'
import {
  addLines,
  isSigned,
  type JournalLine,
  type PlanContents,
  type PlanSignatures,
  type PlanText,
  readPlan,
} from './plan-text.ts'

export type PlanAccess = {
  readonly keys: TrustedKeys
  /** Also to a file that other users own or can write. Undefined where the operator cannot say so. */
  readonly acceptFile?: boolean | undefined
}

const CHUNK_BYTES = 256 * 1024

/** The file of one plan, for appending. A line is on disk before the change it announces. */
export class PlanFile {
  readonly #queue = new WorkQueue()
  /** As last read or written. What follows in the file is not signed, or was written by another process. */
  #signatures: PlanSignatures
  /** An append failed: its lines may be in the file, or a part of them. */
  #isTorn = false

  private constructor(
    readonly path: string,
    signatures: PlanSignatures,
    readonly access: PlanAccess,
  ) {
    this.#signatures = signatures
  }

  /** Writes the text of a plan unchanged, up to its last signature. */
  static async create(
    path: string,
    { text, signatures }: Omit<PlanText, 'contents'>,
    access: PlanAccess,
  ): Promise<PlanFile> {
    await createFile(path, signedPart(text, signatures), handle => handle.sync()).catch(failToWrite)
    return new PlanFile(path, signatures, access)
  }

  static async read(
    path: string,
    access: PlanAccess,
  ): Promise<{ readonly file: PlanFile; readonly contents: PlanContents }> {
    const { contents, signatures } = await readPlan(await readText(path, access), access.keys)
    return { file: new PlanFile(path, signatures, access), contents }
  }

  /** Refuses a plan that someone has signed who is no longer trusted. */
  async checkSigners(): Promise<void> {
    await this.access.keys.namesOf(this.#signatures.signers)
  }

  /** Returns once the lines are on disk. */
  append(lines: readonly JournalLine[]): Promise<void> {
    return this.#queue.run(async () => {
      const { text, signatures } = await addLines(
        this.#signatures,
        lines.map(line => `${safeJson(line)}\n`).join(''),
        this.access.keys,
      ).catch(failToWrite)
      await this.#write(text, signatures)
    })
  }

  /** The content, if another process has written to the file. */
  async changed(): Promise<PlanContents | null> {
    const now = await stat(this.path).catch(() => null)
    if (now?.size === this.#signatures.length) return null
    const { contents, signatures } = await readPlan(await readText(this.path, this.access), this.access.keys)
    if (signatures.frozen !== this.#signatures.frozen)
      throw new StoreError('REFUSED', 'The plan file was replaced by another plan: open it again')
    this.#signatures = signatures
    return contents
  }

  /** Whether the text of this plan has more lines than the file. Refuses another plan, and one that went on differently. */
  async isShorterThan(other: Omit<PlanText, 'contents'>): Promise<boolean> {
    return (await this.#missing(other)).length > 0
  }

  /** Appends what the text has more than the file. */
  async catchUpWith(other: Omit<PlanText, 'contents'>): Promise<void> {
    await this.#queue.run(async () => this.#write(await this.#missing(other), other.signatures))
  }

  async *chunks(): AsyncIterable<string> {
    const handle = await openPlan(this.path, this.access)
    try {
      const options = { encoding: 'utf8', highWaterMark: CHUNK_BYTES, autoClose: false } as const
      for await (const text of handle.createReadStream(options)) yield text as string
    } finally {
      await handle.close()
    }
  }

  async #missing({ text, signatures }: Omit<PlanText, 'contents'>): Promise<Buffer> {
    if (signatures.frozen !== this.#signatures.frozen)
      throw new StoreError('REFUSED', 'A different plan with this id is kept here: the file was not imported')
    const here = signedPart(await readText(this.path, this.access), this.#signatures)
    const there = signedPart(text, signatures)
    const common = Math.min(here.length, there.length)
    if (!here.subarray(0, common).equals(there.subarray(0, common)))
      throw new StoreError(
        'REFUSED',
        'This plan was changed both here and in the file: the file was not imported. Open the plan that is kept here',
      )
    return there.subarray(common)
  }

  async #write(text: string | Buffer, signatures: PlanSignatures): Promise<void> {
    const { length } = this.#signatures
    const handle = await openToAppend(this.path, { create: false }).catch(error => {
      if (!NOT_ALLOWED.includes(codeOf(error))) failToWrite(error)
      const what = `This account cannot write the plan file ${escapeForTerminal(this.path)}`
      throw new StoreError('REFUSED', `${what}: ${MAKE_A_COPY}`, { cause: error })
    })
    try {
      const stats = await handle.stat()
      await checkWriters(this.path, stats, this.access)
      const { size } = stats
      if (!this.#isTorn && (size < length || (await hasSignature(handle, length, size))))
        throw new StoreError('REFUSED', 'The plan cannot be written: another process has changed its file')
      // A partial line followed by others would make the whole plan unreadable.
      if (length < size) await handle.truncate(length)
      this.#isTorn = true
      await handle.appendFile(text)
      await handle.datasync()
      this.#isTorn = false
      this.#signatures = signatures
    } catch (error) {
      failToWrite(error)
    } finally {
      await handle.close().catch(failToWrite)
    }
  }
}

function signedPart(text: string, { length }: PlanSignatures): Buffer {
  return Buffer.from(text).subarray(0, length)
}

async function hasSignature(handle: FileHandle, from: number, to: number): Promise<boolean> {
  if (to <= from) return false
  const { buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
  return isSigned(buffer.toString())
}

async function readText(path: string, access: PlanAccess): Promise<string> {
  const handle = await openPlan(path, access)
  try {
    return await handle.readFile('utf8')
  } catch (error) {
    failToRead(error)
  } finally {
    await handle.close()
  }
}

async function openPlan(path: string, access: PlanAccess): Promise<FileHandle> {
  const handle = await openToRead(path).catch(failToRead)
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new StoreError('BAD_INPUT', 'The plan cannot be read: it is not a file')
    await checkWriters(path, stats, access)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS']
const MAKE_A_COPY = 'make a copy that only you can write, and use that'

async function checkWriters(path: string, stats: Stats, { acceptFile }: PlanAccess): Promise<void> {
  const who = acceptFile ? null : whoElseMayWrite(stats)
  if (who === null) return
  const isOwn = stats.uid === process.getuid?.()
  const advice = [isOwn ? `run chmod go-w ${shellQuote(path)}` : MAKE_A_COPY]
  // An accepted file is written, too.
  const mayWrite = await accessFile(path, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (acceptFile === false && mayWrite) advice.push('add --accept-file to the command')
  throw new StoreError('REFUSED', `The plan file ${who}, so it is not used: ${advice.join(', or ')}`)
}

const REASONS: Record<string, string> = {
  EEXIST: 'a file with that name already exists',
  ENOENT: 'the folder does not exist',
  ELOOP: 'it is a symbolic link: name the file that it leads to',
}

function failToRead(error: unknown): never {
  const code = codeOf(error)
  if (code === 'ENOENT') throw new StoreError('NOT_FOUND', 'This plan does not exist', { cause: error })
  throw new StoreError('BAD_INPUT', `The plan cannot be read (${REASONS[code] ?? code})`, { cause: error })
}

function failToWrite(error: unknown): never {
  if (error instanceof StoreError) throw error
  const code = codeOf(error)
  throw new StoreError('REFUSED', `The plan cannot be written (${REASONS[code] ?? code})`, { cause: error })
}
