import { z } from 'zod'
import { switchRunSchema } from '../../../../shared/switch.ts'
import { SharedFile } from '../../files/shared-file.ts'

/** A switch as it is kept. Its stores are known by their addresses: ids are another console's. */
const keptRunSchema = switchRunSchema.extend({
  /** When something was first acquired in the new store after the restart. */
  firstArrivalInNewAt: z.number().nullable(),
})
export type KeptRun = z.infer<typeof keptRunSchema>

const keptSchema = z.object({ version: z.literal(1), runs: z.array(keptRunSchema) })

/** Beyond it, the oldest that ended are forgotten. */
const MOST_RUNS = 200

/** `switches.json` of the data folder, which several consoles may share. */
export class SwitchFile {
  readonly #file: SharedFile<z.infer<typeof keptSchema>>

  constructor(folder: string) {
    const what = 'What is known of provider switches'
    this.#file = new SharedFile({
      folder,
      name: 'switches',
      what,
      schema: keptSchema,
      empty: { version: 1, runs: [] },
    })
  }

  /** Why the file cannot be read, as a sentence. */
  get notice(): string | null {
    return this.#file.notice
  }

  /** Null if unchanged. */
  async read(): Promise<readonly KeptRun[] | null> {
    return (await this.#file.read()) ? this.#file.value.runs : null
  }

  async edit(change: (runs: readonly KeptRun[]) => readonly KeptRun[]): Promise<readonly KeptRun[]> {
    const written = await this.#file.update(file => {
      const runs = shortened(change(file.runs))
      return runs === file.runs ? file : { ...file, runs: [...runs] }
    })
    return written.runs
  }
}

function shortened(runs: readonly KeptRun[]): readonly KeptRun[] {
  if (runs.length <= MOST_RUNS) return runs
  const tooMany = runs.length - MOST_RUNS
  const old = new Set(runs.filter(({ ended }) => ended !== null).slice(0, tooMany))
  return runs.filter(run => !old.has(run))
}
