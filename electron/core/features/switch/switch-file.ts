import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { switchRunSchema } from '../../../../shared/switch.ts'
import { codeOf } from '../../files/disk.ts'
import { markOf } from '../../files/file-version.ts'
import { FolderLock } from '../../files/folder-lock.ts'
import { KeptFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'

/** A switch as it is kept. Its stores are known by their addresses: ids are another console's. */
const keptRunSchema = switchRunSchema.extend({
  /** When something was first acquired in the new store after the restart. */
  firstArrivalInNewAt: z.number().nullable(),
})
export type KeptRun = z.infer<typeof keptRunSchema>

const keptSchema = z.object({ version: z.literal(1), runs: z.array(keptRunSchema) })

const WHAT = 'What is known of provider switches'
/** Somebody who writes to it for longer than this has stopped. */
const PATIENCE_MS = 2000
/** Beyond it, the oldest that ended are forgotten. */
const MOST_RUNS = 200

/** `switches.json` of the data folder, which several consoles may share: it is read again when it is another one, and changed under a lock. */
export class SwitchFile {
  readonly #file: KeptFile<z.infer<typeof keptSchema>>
  readonly #folder: string
  readonly #path: string
  readonly #lock: FolderLock
  /** What the file was like when it was last read or written. */
  #mark: string | null = null
  #runs: readonly KeptRun[] = []
  #notice: string | null = null

  constructor(folder: string) {
    this.#folder = folder
    this.#path = join(folder, 'switches.json')
    this.#lock = new FolderLock(join(folder, 'switches.lock'), PATIENCE_MS)
    this.#file = new KeptFile({ folder, name: 'switches', what: WHAT, schema: keptSchema })
  }

  /** Why it could not be read or understood the last time, as a sentence. */
  get notice(): string | null {
    return this.#notice
  }

  /** Null when it is what it was at the last time. */
  async read(): Promise<readonly KeptRun[] | null> {
    const mark = await markOf(this.#path)
    const isSame = mark === this.#mark
    // One that could not be read may be readable again without being another one.
    if (isSame && this.#notice === null) return null
    const { value, notice } = await this.#file.read({ setAside: false })
    if (isSame && notice === this.#notice) return null
    this.#mark = mark
    this.#notice = notice
    // One that cannot be understood now is left alone: what it said before goes on.
    if (value !== null || notice === null) this.#runs = value?.runs ?? []
    return this.#runs
  }

  /** Changes what is in it, whoever else has changed it meanwhile. */
  async edit(how: (runs: readonly KeptRun[]) => readonly KeptRun[]): Promise<readonly KeptRun[]> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      return await this.#lock.run(async () => {
        await this.read()
        if (this.#notice !== null)
          throw new StoreError('REFUSED', `${this.#notice} Mend or move switches.json first`)
        const runs = shortened(how(this.#runs))
        if (runs === this.#runs) return runs
        await this.#file.write({ version: 1, runs: [...runs] })
        this.#mark = await markOf(this.#path)
        this.#runs = runs
        return runs
      })
    } catch (error) {
      if (error instanceof StoreError) throw error
      throw new StoreError('REFUSED', `${WHAT} cannot be written (${codeOf(error)})`, { cause: error })
    }
  }
}

function shortened(runs: readonly KeptRun[]): readonly KeptRun[] {
  if (runs.length <= MOST_RUNS) return runs
  const tooMany = runs.length - MOST_RUNS
  const old = new Set(runs.filter(({ ended }) => ended !== null).slice(0, tooMany))
  return runs.filter(run => !old.has(run))
}
