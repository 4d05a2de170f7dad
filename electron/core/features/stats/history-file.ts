import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { appendTo, codeOf, parseJson } from '../../files/disk.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { breakSchema, sampleSchema } from './samples.ts'
import { tenureSchema } from './tenure-book.ts'

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

/** Lines that do not match are skipped. A tenure is written when it begins, and again when it ends. */
const lineSchema = z.union([
  z.strictObject({ sample: sampleSchema }),
  z.strictObject({ tenure: tenureSchema }),
  z.strictObject({ break: breakSchema }),
])
export type HistoryLine = Readonly<z.infer<typeof lineSchema>>

/** The first line of each file. Files of another store or version are not read. */
const headerSchema = z.object({ version: z.literal(2), address: z.string() })

/** Tenures with longer names are remembered while the console runs, and not written. */
const LONGEST_NAME = 2000

const ROOT = 'history'
const ENDING = '.jsonl'
const SAMPLES = `.samples${ENDING}`
const TENURES = `.tenures${ENDING}`
const MEGABYTE = 1024 * 1024

/**
 * The history of one store, in files of an hour: `history/<store>/<begin>-<process>.samples.jsonl`, and `.tenures.jsonl` apart from
 * it, so that a store whose locks come and go very often loses tenures but not its charts. History is a convenience and no record
 * like the audit log: a full disk loses history and stops nothing.
 */
export class HistoryFile {
  readonly #samples: HistoryPart
  readonly #tenures: HistoryPart

  constructor(dataFolder: string, address: string, keepMs: number) {
    const folder = historyFolder(dataFolder, address)
    const header: z.infer<typeof headerSchema> = { version: 2, address }
    const part = (name: string, mostBytes: number) =>
      new HistoryPart({ folder, name, header: `${safeJson(header)}\n`, keepMs, mostBytes })
    this.#samples = part(SAMPLES, 16 * MEGABYTE)
    this.#tenures = part(TENURES, 24 * MEGABYTE)
  }

  /** Why nothing can be written at present; null if history can be written. */
  get problem(): string | null {
    const why = this.#samples.problem ?? this.#tenures.problem
    return why && `History cannot be written to disk (${why}); it lasts until Lockkeeper exits.`
  }

  append(line: HistoryLine): void {
    const isTenure = 'tenure' in line
    if (isTenure && line.tenure.id.length + line.tenure.key.length > LONGEST_NAME) return
    const part = isTenure ? this.#tenures : this.#samples
    part.append(`${safeJson(line)}\n`)
  }

  async flush(): Promise<void> {
    await Promise.all([this.#samples.flush(), this.#tenures.flush()])
  }
}

/** The kept history of a store: samples first, in the order in which they were written, process by process. */
export async function* readHistory(
  dataFolder: string,
  address: string,
  since: number,
): AsyncIterable<HistoryLine> {
  const folder = historyFolder(dataFolder, address)
  for (const ending of [SAMPLES, TENURES])
    for (const { path, writtenAt } of await listFiles(folder, ending))
      if (writtenAt >= since) yield* linesOf(path, address)
}

async function* linesOf(path: string, address: string): AsyncIterable<HistoryLine> {
  const input = createReadStream(path, 'utf8')
  let isFirst = true
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const value = parseJson(text)
      if (isFirst && headerSchema.safeParse(value).data?.address !== address) return
      isFirst = false
      const line = lineSchema.safeParse(value)
      if (line.success) yield line.data
    }
  } catch (error) {
    // Another process removed the file because it is too old.
    if (codeOf(error) !== 'ENOENT') throw error
  } finally {
    input.destroy()
  }
}

/** Removes the history of stores that are no longer opened: only our own files, and only if all are too old. */
export async function removeOldHistories(dataFolder: string, keepMs: number): Promise<void> {
  const root = join(dataFolder, ROOT)
  for (const name of await readdir(root).catch(() => [])) {
    const folder = join(root, name)
    const files = await listFiles(folder, ENDING)
    if (files.length === 0 || files.some(({ writtenAt }) => Date.now() - writtenAt <= keepMs)) continue
    for (const { path } of files) await rm(path, { force: true }).catch(() => {})
    await rmdir(folder).catch(() => {})
  }
}

function historyFolder(dataFolder: string, address: string): string {
  const name = createHash('sha256').update(address).digest('hex').slice(0, 16)
  return join(dataFolder, ROOT, name)
}

type PartOptions = {
  readonly folder: string
  /** The end of its file names. */
  readonly name: string
  readonly header: string
  readonly keepMs: number
  /** Beyond it the oldest files are removed, whatever their age. */
  readonly mostBytes: number
}

/** Lines of one kind, in files of an hour. Each file belongs to one process. */
class HistoryPart {
  #waiting: string[] = []
  #file: { readonly path: string; readonly madeAt: number; bytes: number; torn: boolean } | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #writes = new WorkQueue()
  /** A write that waits for its turn, and will take all lines until then. */
  #nextWrite: Promise<void> | null = null
  /** The code of the last write error; null if the last write succeeded. */
  problem: string | null = null

  constructor(readonly options: PartOptions) {}

  append(line: string): void {
    this.#waiting.push(line)
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, MOST_WAITING / 2)
    const isWell = this.problem === null
    // The first pass over a store brings all its locks at once.
    if (isWell && this.#waiting.length >= SOON) void this.flush()
    this.#timer ??= setTimeout(() => void this.flush(), isWell ? FLUSH_MS : RETRY_MS).unref()
  }

  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    this.#nextWrite ??= this.#writes.run(async () => {
      // Once the caller is done, so that a burst of lines is one batch and does not overflow behind the first few.
      await Promise.resolve()
      this.#nextWrite = null
      await this.#write()
    })
    return this.#nextWrite
  }

  async #write(): Promise<void> {
    // Taken out before the first await: more lines may come meanwhile.
    const batch = this.#waiting
    this.#waiting = []
    if (batch.length === 0) return
    try {
      const file = await this.#current()
      const head = file.bytes === 0 ? this.options.header : file.torn ? '\n' : ''
      const text = `${head}${batch.join('')}`
      file.torn = true
      await appendTo(file.path, text, { flush: false })
      file.torn = false
      file.bytes += Buffer.byteLength(text)
      this.problem = null
    } catch (error) {
      this.#waiting = [...batch, ...this.#waiting]
      this.problem = codeOf(error)
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
    const { folder, name } = this.options
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
    const { folder, name, keepMs, mostBytes } = this.options
    let bytes = 0
    for (const { path, writtenAt, size } of (await listFiles(folder, name)).reverse()) {
      bytes += size
      if (now - writtenAt > keepMs || bytes > mostBytes) await rm(path, { force: true })
    }
  }
}

/** Files of a folder, oldest first. */
async function listFiles(folder: string, ending: string) {
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
