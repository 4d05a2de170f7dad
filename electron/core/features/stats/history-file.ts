import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { codeOf } from '../../files/disk.ts'
import {
  type HistoryLine,
  isHeaderOf,
  isWorthKeeping,
  readLine,
  writeHeader,
  writeLine,
} from './history-lines.ts'
import { HistoryPart, listFiles } from './history-part.ts'

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
      new HistoryPart({ folder, name, header: writeHeader(address), keepMs, mostBytes })
    this.#samples = part(SAMPLES, 16 * MEGABYTE)
    this.#tenures = part(TENURES, 24 * MEGABYTE)
  }

  /** Why nothing can be written at present; null if it can. */
  get problem(): string | null {
    const why = this.#samples.problem ?? this.#tenures.problem
    return why && `History cannot be written to disk (${why}); it lasts until Lockkeeper exits.`
  }

  append(line: HistoryLine): void {
    if (isWorthKeeping(line)) ('tenure' in line ? this.#tenures : this.#samples).append(writeLine(line))
  }

  async flush(): Promise<void> {
    await Promise.all([this.#samples.flush(), this.#tenures.flush()])
  }
}

/** The kept history of a store: samples first, in the order they were written, one process after the other. */
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
      if (isFirst && !isHeaderOf(text, address)) return
      const line = isFirst ? null : readLine(text)
      isFirst = false
      if (line) yield line
    }
  } catch (error) {
    // Another process removed the file because it is too old.
    if (codeOf(error) !== 'ENOENT') throw error
  } finally {
    input.destroy()
  }
}

/** Removes the history of stores that are no longer opened: only files of ours, and only when they are too old. */
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
