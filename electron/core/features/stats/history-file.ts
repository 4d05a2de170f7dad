import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { safeJson } from '../../../../shared/safe-text.ts'
import { codeOf, parseJson } from '../../files/disk.ts'
import { HistoryPart, listFiles } from './history-part.ts'
import { breakSchema, sampleSchema } from './samples.ts'
import { tenureSchema } from './tenure-book.ts'

/** Lines that do not match are skipped. A tenure is written when it begins, and again when it ends. */
const lineSchema = z.union([
  z.strictObject({ sample: sampleSchema }),
  z.strictObject({ tenure: tenureSchema }),
  z.strictObject({ break: breakSchema }),
])
export type HistoryLine = Readonly<z.infer<typeof lineSchema>>

/** The first line of each file. Files of another store or version are not read. */
const headerOf = (address: string) => safeJson({ version: 2, address })

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
    const part = (name: string, mostBytes: number) =>
      new HistoryPart({ folder, name, header: `${headerOf(address)}\n`, keepMs, mostBytes })
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
      if (isFirst && text !== headerOf(address)) return
      isFirst = false
      const line = lineSchema.safeParse(parseJson(text))
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
