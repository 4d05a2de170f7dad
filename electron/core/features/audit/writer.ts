import { constants, ftruncate } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../../files/disk.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import { type Beginning, type CurrentFile, findAgain, findCurrent } from './current-file.ts'
import { fileName, LOCK_FILE, pathOf } from './files.ts'
import { writeHead } from './head.ts'
import { type Link, sealLine } from './line.ts'

export type WriterOptions = {
  /** A file of this size is followed by a next one. The last file is read as a whole before a process first writes. */
  readonly rotateBytes: number
  /** With less left on the disk nothing is begun: what comes of it could not be recorded. */
  readonly leastFreeBytes: number
  /** How long another process may take to write. */
  readonly patienceMs: number
}

export const WRITER_OPTIONS: WriterOptions = {
  rotateBytes: 8 * 1024 * 1024,
  leastFreeBytes: 8 * 1024 * 1024,
  patienceMs: 20_000,
}

export type Fields = Readonly<Record<string, unknown>>
type Waiting = {
  readonly entries: readonly Fields[]
  /** Something is to be done after it: it must leave room for what comes of that. */
  readonly begins: boolean
  done(): void
  fail(error: unknown): void
}

/** Appends to the chain. What several ask for at once is written and flushed together. */
export class ChainWriter {
  readonly #folder: string
  readonly #who: Fields
  readonly #options: WriterOptions
  readonly #lock: FolderLock
  #waiting: Waiting[] = []
  #isWriting = false
  #known: CurrentFile | null = null

  constructor(folder: string, who: Fields, options: Partial<WriterOptions> = {}) {
    this.#folder = folder
    this.#who = who
    this.#options = { ...WRITER_OPTIONS, ...options }
    this.#lock = new FolderLock(join(folder, LOCK_FILE), this.#options.patienceMs)
  }

  /** On disk when it returns. What fails is the error of the file system. */
  append(entries: readonly Fields[], begins: boolean): Promise<void> {
    return new Promise((done, fail) => {
      this.#waiting.push({ entries, begins, done, fail })
      if (!this.#isWriting) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      let batch = this.#waiting
      this.#waiting = []
      try {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 })
        await this.#lock.run(async () => {
          if (batch.some(each => each.begins) && !(await this.#hasRoom())) {
            const full = Object.assign(new Error('too little space is left'), { code: 'ENOSPC' })
            for (const each of batch) if (each.begins) each.fail(full)
            batch = batch.filter(each => !each.begins)
          }
          const entries = batch.flatMap(each => each.entries)
          if (entries.length > 0) await this.#write(entries)
        })
        for (const each of batch) each.done()
      } catch (error) {
        this.#known = null
        for (const each of batch) each.fail(error)
      }
    }
    this.#isWriting = false
  }

  async #hasRoom(): Promise<boolean> {
    const { bavail, bsize, blocks } = await statfs(this.#folder)
    // Some file systems tell nothing.
    return blocks === 0 || bavail * bsize >= this.#options.leastFreeBytes
  }

  async #write(entries: readonly Fields[]): Promise<void> {
    const found = await (this.#known ? findAgain(this.#folder, this.#known) : findCurrent(this.#folder))
    let file = 'after' in found ? await this.#begin(found) : found
    if (file.size >= this.#options.rotateBytes)
      file = await this.#begin({ number: file.number + 1, after: file.link, because: null, damaged: null })
    const { text, link } = this.#seal(entries, file.link)
    // For appending only: that much is still allowed where an administrator forbids everything else.
    const handle = await open(pathOf(this.#folder, file.number), constants.O_RDWR | constants.O_APPEND)
    try {
      await appendWhole(handle, text, file.size)
      const { size, ctimeNs } = await handle.stat({ bigint: true })
      this.#known = { number: file.number, size: Number(size), touched: ctimeNs, link }
    } finally {
      await handle.close()
    }
    await this.#remember(file.number, link)
  }

  /** The file appears with its first line in it, or not at all. */
  async #begin({ number, after, because, damaged }: Beginning): Promise<CurrentFile> {
    const file = fileName(number)
    const first = { event: 'chain', file, prev: after?.hash ?? null, because, damaged }
    const { text, link } = this.#seal([first], after)
    const draft = join(this.#folder, 'audit-next.new')
    await rm(draft, { force: true })
    const handle = await open(draft, 'ax', 0o600)
    try {
      await handle.appendFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    // We have the lock and have seen that there is no such file: nothing is replaced by this.
    await rename(draft, pathOf(this.#folder, number))
    await syncFolder(this.#folder)
    await this.#remember(number, link)
    return { number, size: Buffer.byteLength(text), touched: 0n, link }
  }

  #seal(entries: readonly Fields[], after: Link | null): { text: string; link: Link } {
    const at = new Date().toISOString()
    let link = after ?? { seq: 0, hash: '' }
    let text = ''
    for (const entry of entries) {
      const { hash, line } = sealLine(link.hash, lineOf(link.seq + 1, at, this.#who, entry))
      link = { seq: link.seq + 1, hash }
      text += line
    }
    return { text, link }
  }

  /** The lines are on disk without it. A head that is behind says less, and nothing wrong. */
  async #remember(number: number, { seq, hash }: Link): Promise<void> {
    await writeHead(this.#folder, { file: fileName(number), seq, hash }).catch(() => {})
  }
}

/** What the log itself says of a line is not an entry's to say. */
function lineOf(seq: number, at: string, who: Fields, entry: Fields): Fields {
  const { seq: _, at: _at, hash: _hash, ...own } = entry
  return { seq, at, ...who, ...own, ...who }
}

const cutOff = promisify(ftruncate)

/** All of it, flushed, or none: what was written of it is cut off again. */
async function appendWhole(handle: FileHandle, text: string, size: number): Promise<void> {
  try {
    await handle.appendFile(text)
    await handle.sync()
  } catch (error) {
    // When not even this works, the torn line is found by whoever writes next.
    await cutOff(handle.fd, size).catch(() => {})
    throw error
  }
}
