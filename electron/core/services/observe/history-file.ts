import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { codeOf } from '../audit/files.ts'
import {
  type HistoryLine,
  isHeaderOf,
  isWorthKeeping,
  readLine,
  writeHeader,
  writeLine,
} from './history-lines.ts'

/** How long what was seen may wait in memory: so much is lost when the process is killed. */
const FLUSH_MS = 5000
/** Files are removed as a whole, so one must not hold much more than an hour. */
const FILE_MS = 3_600_000
const FILE_BYTES = 2 * 1024 * 1024
/** Of one store. When there is more, the oldest goes, whatever its age. */
const STORE_BYTES = 24 * 1024 * 1024
/** So many do not wait. */
const SOON = 2000
/** What could not be written yet. */
const MOST_WAITING = 20_000

/**
 * What was observed of one store, kept in files of an hour: `history/<store>/<begin>-<process>.jsonl`. They are only ever added
 * to, each by the one process that made it, and removed when all in them is too old. It is a convenience and no record like
 * the audit: a disk that is full loses history and stops nothing.
 */
export class HistoryFile {
  readonly #folder: string
  readonly #address: string
  readonly #keepMs: number
  #waiting: string[] = []
  #file: { readonly path: string; readonly madeAt: number; bytes: number } | null = null
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  #problem: string | null = null

  constructor(dataFolder: string, address: string, keepMs: number) {
    this.#folder = historyFolder(dataFolder, address)
    this.#address = address
    this.#keepMs = keepMs
  }

  /** Why nothing is kept at present; null when it is. */
  get problem(): string | null {
    return this.#problem
  }

  append(line: HistoryLine): void {
    if (!isWorthKeeping(line)) return
    this.#waiting.push(writeLine(line))
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, MOST_WAITING / 2)
    // A store that is read for the first time brings all its locks at once.
    if (this.#waiting.length % SOON === 0) void this.flush()
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref()
  }

  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return
    const text = this.#waiting.join('')
    const count = this.#waiting.length
    try {
      const file = await this.#current()
      const whole = file.bytes === 0 ? `${writeHeader(this.#address)}${text}` : text
      await appendFile(file.path, whole, { mode: 0o600 })
      file.bytes += Buffer.byteLength(whole)
      this.#waiting.splice(0, count)
      this.#problem = null
    } catch (error) {
      // A torn line at the end of a file is skipped when it is read; what follows begins a new file.
      this.#file = null
      this.#problem = `What is observed cannot be kept on disk (${codeOf(error)}); it lasts until Lockkeeper ends.`
    }
  }

  async #current() {
    const now = Date.now()
    if (this.#file && now - this.#file.madeAt < FILE_MS && this.#file.bytes < FILE_BYTES) return this.#file
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.#removeOld(now)
    const begin = new Date(now).toISOString().replace(/[:.]/g, '-')
    this.#file = { path: join(this.#folder, `${begin}-${process.pid}.jsonl`), madeAt: now, bytes: 0 }
    return this.#file
  }

  async #removeOld(now: number): Promise<void> {
    const files = await listFiles(this.#folder)
    let bytes = 0
    for (const { path, writtenAt, size } of files.reverse()) {
      bytes += size
      if (now - writtenAt > this.#keepMs || bytes > STORE_BYTES) await rm(path, { force: true })
    }
  }
}

/** What was kept of a store, in the order in which it was written; files of several processes one after the other. */
export async function* readHistory(
  dataFolder: string,
  address: string,
  since: number,
): AsyncIterable<HistoryLine> {
  for (const { path, writtenAt } of await listFiles(historyFolder(dataFolder, address))) {
    if (writtenAt < since) continue
    const input = createReadStream(path, 'utf8')
    let isFirst = true
    try {
      for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (isFirst && !isHeaderOf(text, address)) break
        const line = isFirst ? null : readLine(text)
        isFirst = false
        if (line) yield line
      }
    } catch (error) {
      // Another process removed it because it is too old.
      if (codeOf(error) !== 'ENOENT') throw error
    } finally {
      input.destroy()
    }
  }
}

/** Removes what was kept of stores that nobody opens any more. */
export async function removeOldHistories(dataFolder: string, keepMs: number): Promise<void> {
  const root = join(dataFolder, ROOT)
  const folders = await readdir(root).catch(() => [])
  for (const name of folders) {
    const files = await listFiles(join(root, name)).catch(() => null)
    if (files?.every(({ writtenAt }) => Date.now() - writtenAt > keepMs))
      await rm(join(root, name), { recursive: true, force: true }).catch(() => {})
  }
}

const ROOT = 'history'

function historyFolder(dataFolder: string, address: string): string {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 16)
  return join(dataFolder, ROOT, name)
}

/** Oldest first. */
async function listFiles(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names
      .filter(name => name.endsWith('.jsonl'))
      .sort()
      .map(async name => {
        const path = join(folder, name)
        const found = await stat(path).catch(() => null)
        return found ? [{ path, writtenAt: found.mtimeMs, size: found.size }] : []
      }),
  )
  return files.flat()
}
