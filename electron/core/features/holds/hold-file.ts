import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codeOf } from '../../files/disk.ts'
import { markOf } from '../../files/file-version.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import { KeptFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'
import { type KeptHold, keptHoldSchema } from './kept-hold.ts'

const fileSchema = z.object({ version: z.literal(1), holds: z.array(keptHoldSchema) })

const WHAT = 'The list of maintenance holds'
/** Somebody who writes to it for longer than this has stopped. */
const PATIENCE_MS = 2000
/** Ended ones are kept for the list; the audit has them all. */
const MOST_ENDED = 20

/** `holds.json` of the data folder, which several consoles and commands share: changed under a lock, read when it is another one. */
export class HoldFile {
  readonly #file: KeptFile<z.infer<typeof fileSchema>>
  readonly #folder: string
  readonly #path: string
  readonly #lock: FolderLock
  #version: string | null = null
  #notice: string | null = null
  #holds: readonly KeptHold[] = []

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'holds.json')
    this.#lock = new FolderLock(join(folder, 'holds.lock'), PATIENCE_MS)
    this.#file = new KeptFile({ folder, name: 'holds', what: WHAT, schema: fileSchema })
  }

  /** Why what is known here may not be all that is held, as a sentence. */
  get notice(): string | null {
    return this.#notice
  }

  /** Null when it is what it was at the last time. One that cannot be understood is left alone: others are held by what it says. */
  async read(): Promise<readonly KeptHold[] | null> {
    const version = await markOf(this.#path)
    const isSame = version === this.#version
    // One that could not be read may be readable again without being another one.
    if (isSame && this.#notice === null) return null
    const { value, notice } = await this.#file.read({ setAside: false })
    if (isSame && notice === this.#notice) return null
    this.#version = version
    this.#notice = notice
    if (value !== null || notice === null) this.#holds = value?.holds ?? []
    return this.#holds
  }

  /** Changes what is in it, whoever else has changed it meanwhile. */
  async edit(how: (holds: readonly KeptHold[]) => readonly KeptHold[]): Promise<readonly KeptHold[]> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await this.#lock.run(async () => {
        await this.read()
        if (this.#notice !== null)
          throw new StoreError('REFUSED', `${this.#notice} Mend or move holds.json first`)
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

function withoutOldest(holds: readonly KeptHold[]): readonly KeptHold[] {
  const ended = holds.filter(each => each.state === 'ended').sort((a, b) => endOf(b) - endOf(a))
  const dropped = new Set(ended.slice(MOST_ENDED))
  return dropped.size === 0 ? holds : holds.filter(each => !dropped.has(each))
}

function endOf({ ended }: KeptHold): number {
  return ended?.at ?? 0
}
