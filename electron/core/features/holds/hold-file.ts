import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../../files/disk.ts'
import { markOf } from '../../files/file-version.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import { KeptFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'
import { type HoldRecord, holdRecordSchema } from './hold-record.ts'

const fileSchema = z.object({ version: z.literal(1), holds: z.array(holdRecordSchema) })

const WHAT = 'The list of maintenance holds'
/** A process that writes for longer than this is stuck. */
const PATIENCE_MS = 2000
/** Ended holds kept for the list; the audit log has them all. */
const MOST_ENDED = 20

/** `holds.json`, shared by the consoles and commands of a data folder: changed under a lock, read again when it has changed. */
export class HoldFile {
  readonly #file: KeptFile<z.infer<typeof fileSchema>>
  readonly #folder: string
  readonly #path: string
  readonly #lock: FolderLock
  #version: string | null = null
  #notice: string | null = null
  #holds: readonly HoldRecord[] = []

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'holds.json')
    this.#lock = new FolderLock(join(folder, 'holds.lock'), PATIENCE_MS)
    this.#file = new KeptFile({ folder, name: 'holds', what: WHAT, schema: fileSchema })
  }

  /** Why the list may be incomplete, as a sentence. */
  get notice(): string | null {
    return this.#notice
  }

  /** Null if unchanged. An unreadable file is left alone: other consoles depend on its holds. */
  async read(): Promise<readonly HoldRecord[] | null> {
    const version = await markOf(this.#path)
    const isSame = version === this.#version
    // A file that could not be read may be readable now without having changed.
    if (isSame && this.#notice === null) return null
    const { value, notice } = await this.#file.read({ setAside: false })
    if (isSame && notice === this.#notice) return null
    this.#version = version
    this.#notice = notice
    if (value !== null || notice === null) this.#holds = value?.holds ?? []
    return this.#holds
  }

  /** Changes the current content, including the changes of others. */
  async edit(how: (holds: readonly HoldRecord[]) => readonly HoldRecord[]): Promise<readonly HoldRecord[]> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await this.#lock.run(async () => {
        await this.read()
        if (this.#notice !== null)
          throw new StoreError('REFUSED', `${this.#notice} Fix or move holds.json first`)
        const holds = withoutOldest(how(this.#holds))
        await this.#file.write({ version: 1, holds: [...holds] })
        this.#version = await markOf(this.#path)
        this.#holds = holds
        return holds
      })
    } catch (error) {
      if (error instanceof StoreError) throw error
      throw new StoreError('REFUSED', `${WHAT} cannot be written (${codeOf(error)})`, { cause: error })
    }
  }
}

function withoutOldest(holds: readonly HoldRecord[]): readonly HoldRecord[] {
  const ended = holds.filter(each => each.state === 'ended').sort((a, b) => endOf(b) - endOf(a))
  const dropped = new Set(ended.slice(MOST_ENDED))
  return dropped.size === 0 ? holds : holds.filter(each => !dropped.has(each))
}

function endOf({ ended }: HoldRecord): number {
  return ended?.at ?? 0
}
