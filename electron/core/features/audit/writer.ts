import { ftruncate } from 'node:fs'
import { type FileHandle, mkdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AuditDamage } from '../../../../shared/audit.ts'
import { codeOf, createFile, openToAppend, syncFolder } from '../../files/disk.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import type { Facts } from '../../lib/handler.ts'
import { checkFile, type Link, sealLine } from './chain.ts'
import { fileName, fileNumbers, LOCK_FILE, numberOf, pathOf, readHead, writeHead } from './files.ts'

export type WriterOptions = {
  /** A file of this size is followed by a new one. Before its first write, a process reads the whole newest file. */
  readonly rotateBytes: number
  /** With less free space, no intent is written: its outcome might not fit. */
  readonly leastFreeBytes: number
  /** How long another process may take to write. */
  readonly patienceMs: number
}

const DEFAULTS: WriterOptions = {
  rotateBytes: 8 * 1024 * 1024,
  leastFreeBytes: 8 * 1024 * 1024,
  patienceMs: 20_000,
}

type Request = {
  readonly entries: readonly Facts[]
  /** An act follows: the entries must leave space for its outcome. */
  readonly isIntent: boolean
  done(): void
  fail(error: unknown): void
}

/** Appends to the chain. Concurrent requests are written and flushed together. */
export class ChainWriter {
  readonly #options: WriterOptions
  readonly #lock: FolderLock
  #waiting: Request[] = []
  #isWriting = false
  #known: CurrentFile | null = null

  constructor(
    readonly folder: string,
    readonly who: Facts,
    options: Partial<WriterOptions> = {},
  ) {
    this.#options = { ...DEFAULTS, ...options }
    this.#lock = new FolderLock(join(folder, LOCK_FILE), this.#options.patienceMs)
  }

  /** Returns once the entries are on disk, or fails with the error of the file system. */
  append(entries: readonly Facts[], isIntent: boolean): Promise<void> {
    return new Promise((done, fail) => {
      this.#waiting.push({ entries, isIntent, done, fail })
      if (!this.#isWriting) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      let batch = this.#waiting
      this.#waiting = []
      try {
        await mkdir(this.folder, { recursive: true, mode: 0o700 })
        await this.#lock.run(async () => {
          if (batch.some(each => each.isIntent) && !(await this.#hasRoom())) {
            const full = Object.assign(new Error('too little space is left'), { code: 'ENOSPC' })
            for (const each of batch) if (each.isIntent) each.fail(full)
            batch = batch.filter(each => !each.isIntent)
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
    const { bavail, bsize, blocks } = await statfs(this.folder)
    // Some file systems report no sizes.
    return blocks === 0 || bavail * bsize >= this.#options.leastFreeBytes
  }

  async #write(entries: readonly Facts[]): Promise<void> {
    const found = await (this.#known ? findAgain(this.folder, this.#known) : findCurrent(this.folder))
    let file = 'after' in found ? await this.#create(found) : found
    if (file.size >= this.#options.rotateBytes)
      file = await this.#create({ number: file.number + 1, after: file.link, because: null, damaged: null })
    const { text, link } = this.#seal(entries, file.link)
    // Append-only: an administrator may forbid everything else.
    const handle = await openToAppend(pathOf(this.folder, file.number), { create: false })
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
  async #create({ number, after, because, damaged }: NextFile): Promise<CurrentFile> {
    const file = fileName(number)
    const first = { event: 'chain', file, prev: after?.hash ?? null, because, damaged }
    const { text, link } = this.#seal([first], after)
    const draft = join(this.folder, 'audit-next.new')
    await rm(draft, { force: true })
    await createFile(draft, text, handle => handle.sync())
    // No such file exists, and we have the lock: the rename replaces nothing.
    await rename(draft, pathOf(this.folder, number))
    await syncFolder(this.folder)
    await this.#remember(number, link)
    return { number, size: Buffer.byteLength(text), touched: 0n, link }
  }

  #seal(entries: readonly Facts[], after: Link | null): { text: string; link: Link } {
    const at = new Date().toISOString()
    let link = after ?? { seq: 0, hash: '' }
    let text = ''
    for (const entry of entries) {
      const { hash, line } = sealLine(link.hash, lineOf(link.seq + 1, at, this.who, entry))
      link = { seq: link.seq + 1, hash }
      text += line
    }
    return { text, link }
  }

  /** May fail: the lines are on disk, and a head that is behind proves less, but nothing false. */
  async #remember(number: number, { seq, hash }: Link): Promise<void> {
    await writeHead(this.folder, { file: fileName(number), seq, hash }).catch(() => {})
  }
}

/** An entry cannot replace the fields of the log itself. */
function lineOf(seq: number, at: string, who: Facts, entry: Facts): Facts {
  const { seq: _, at: _at, hash: _hash, sudoUser: _sudoUser, ...own } = entry
  return { seq, at, ...who, ...own, ...who }
}

const cutOff = promisify(ftruncate)

/** Writes and flushes all of the text or none: a partial write is truncated. */
async function appendWhole(handle: FileHandle, text: string, size: number): Promise<void> {
  try {
    await handle.appendFile(text)
    await handle.sync()
  } catch (error) {
    // If this fails too, the next writer finds the torn line.
    await cutOff(handle.fd, size).catch(() => {})
    throw error
  }
}

/** The file being written, intact up to `size`. `touched` is when any process last changed it. */
type CurrentFile = {
  readonly number: number
  readonly size: number
  readonly touched: bigint
  readonly link: Link
}

/** A new file, and why it starts. Without `after`, it starts a new chain. */
type NextFile = {
  readonly number: number
  readonly after: Link | null
  readonly because: string | null
  readonly damaged: (AuditDamage & { readonly file: string }) | null
}

/** A head may name any number; a file that far away was never written. */
const FARTHEST = 1000

/** Checks the whole newest file, and that it has the line of the head. Only under the lock. */
async function findCurrent(folder: string): Promise<CurrentFile | NextFile> {
  const head = await readHead(folder)
  const number = (await fileNumbers(folder)).at(-1) ?? 0
  const known = typeof head === 'string' ? null : head
  const headNumber = known ? (numberOf(known.file) ?? 0) : 0
  if (known && headNumber > number) {
    const next = headNumber - number < FARTHEST ? headNumber + 1 : number + 1
    return fileAfterDamage(next, known.file, { line: null, why: 'the file is missing' })
  }
  if (number === 0) return { number: 1, after: null, because: 'Log started', damaged: null }
  const file = fileName(number)
  const { damage, last, size } = await checkFile(pathOf(folder, number), file, {
    known: known?.file === file ? known : null,
  })
  if (damage !== null || last === null)
    return fileAfterDamage(number + 1, file, damage ?? { line: null, why: 'the file is empty' })
  if (known === null) {
    const because = `the head was ${head}, so lines may be missing at the end of ${file}`
    return { number: number + 1, after: last, because, damaged: null }
  }
  const { ctimeNs } = await stat(pathOf(folder, number), { bigint: true })
  return { number, size, touched: ctimeNs, link: last }
}

/**
 * The same at the lowest cost, for a file that this process has written before: added lines are checked, and a file that was
 * changed in another way is checked as a whole.
 */
async function findAgain(folder: string, known: CurrentFile): Promise<CurrentFile | NextFile> {
  const path = pathOf(folder, known.number)
  const [now, next] = await Promise.all([
    stat(path, { bigint: true }).catch(nullIfMissing),
    stat(pathOf(folder, known.number + 1)).catch(nullIfMissing),
  ])
  if (now === null || next !== null || now.size < known.size) return findCurrent(folder)
  if (now.size === BigInt(known.size)) return now.ctimeNs === known.touched ? known : findCurrent(folder)
  const added = await checkFile(path, fileName(known.number), { from: known })
  // Only a check of the whole file gives the number of the damaged line.
  if (added.damage !== null || added.last === null) return findCurrent(folder)
  return { ...known, size: added.size, touched: now.ctimeNs, link: added.last }
}

function fileAfterDamage(number: number, file: string, { line, why }: AuditDamage): NextFile {
  const where = line === null ? '' : ` at line ${line}`
  const because = `${file} is damaged${where}: ${why}`
  return { number, after: null, because, damaged: { file, line, why } }
}

function nullIfMissing(error: unknown): null {
  if (codeOf(error) === 'ENOENT') return null
  throw error
}
