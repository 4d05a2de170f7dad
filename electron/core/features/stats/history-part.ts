import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { codeOf } from '../../files/disk.ts'
import { WorkQueue } from '../../lib/concurrency.ts'

/** How long lines wait in memory, and are lost if the process is killed. */
const FLUSH_MS = 5000
/** How long to wait before writing to a failing disk again. */
const RETRY_MS = MINUTE_MS
/** Files are removed as a whole, so a file has no more than about an hour. */
const FILE_MS = HOUR_MS
const FILE_BYTES = 2 * 1024 * 1024
/** This many lines are written at once. */
const SOON = 2000
/** Lines that could not be written yet. */
const MOST_WAITING = 20_000

export type PartOptions = {
  readonly folder: string
  /** The end of its file names. */
  readonly name: string
  readonly header: string
  readonly keepMs: number
  /** Beyond it the oldest files are removed, whatever their age. */
  readonly mostBytes: number
}

/** Lines of one kind, in files of an hour. Each file belongs to one process. */
export class HistoryPart {
  readonly #options: PartOptions
  #waiting: string[] = []
  #file: { readonly path: string; readonly madeAt: number; bytes: number; torn: boolean } | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #writes = new WorkQueue()
  #problem: string | null = null

  constructor(options: PartOptions) {
    this.#options = options
  }

  /** The code of the last write error; null if the last write succeeded. */
  get problem(): string | null {
    return this.#problem
  }

  append(line: string): void {
    this.#waiting.push(line)
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, MOST_WAITING / 2)
    const isWell = this.#problem === null
    // The first pass over a store brings all its locks at once.
    if (isWell && this.#waiting.length >= SOON) void this.flush()
    this.#timer ??= setTimeout(() => void this.flush(), isWell ? FLUSH_MS : RETRY_MS).unref()
  }

  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    // Once the caller is done, so that a burst of lines is one batch and does not overflow behind the first few.
    return this.#writes.run(() => Promise.resolve().then(() => this.#write()))
  }

  async #write(): Promise<void> {
    // Taken out before the first await: more lines may come meanwhile.
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return
    try {
      const file = await this.#current()
      const head = file.bytes === 0 ? this.#options.header : file.torn ? '\n' : ''
      const text = `${head}${batch.join('')}`
      file.torn = true
      await appendFile(file.path, text, { mode: 0o600 })
      file.torn = false
      file.bytes += Buffer.byteLength(text)
      this.#problem = null
    } catch (error) {
      this.#waiting = [...batch, ...this.#waiting]
      this.#problem = codeOf(error)
      // A quiet store brings no more lines that would trigger a retry.
      this.#timer ??= setTimeout(() => void this.flush(), RETRY_MS).unref()
      await this.#dropEmpty()
    }
  }

  /** Every write to a full disk would leave one more empty file. */
  async #dropEmpty(): Promise<void> {
    if (!this.#file || this.#file.bytes > 0) return
    await rm(this.#file.path, { force: true }).catch(() => {})
    this.#file = null
  }

  async #current() {
    const { folder, name } = this.#options
    const now = Date.now()
    if (this.#file && now - this.#file.madeAt < FILE_MS && this.#file.bytes < FILE_BYTES) return this.#file
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await this.#removeOld(now)
    const begin = new Date(now).toISOString().replace(/[:.]/g, '-')
    const path = join(folder, `${begin}-${process.pid}${name}`)
    this.#file = { path, madeAt: now, bytes: 0, torn: false }
    return this.#file
  }

  async #removeOld(now: number): Promise<void> {
    const { folder, name, keepMs, mostBytes } = this.#options
    let bytes = 0
    for (const { path, writtenAt, size } of (await listFiles(folder, name)).reverse()) {
      bytes += size
      if (now - writtenAt > keepMs || bytes > mostBytes) await rm(path, { force: true })
    }
  }
}

/** Oldest first. */
export async function listFiles(folder: string, ending: string) {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names
      .filter(name => name.endsWith(ending))
      .sort()
      .map(async name => {
        const path = join(folder, name)
        const found = await stat(path).catch(() => null)
        return found ? [{ path, writtenAt: found.mtimeMs, size: found.size }] : []
      }),
  )
  return files.flat()
}
