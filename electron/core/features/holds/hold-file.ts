import { z } from 'zod'
import { SharedFile } from '../../files/shared-file.ts'
import { type HoldRecord, holdRecordSchema } from './hold-record.ts'

const fileSchema = z.object({ version: z.literal(1), holds: z.array(holdRecordSchema) })

/** Ended holds kept for the list; the audit log has them all. */
const MOST_ENDED = 20

/** `holds.json`, shared by the consoles and commands of a data folder. An unreadable file stays: other consoles depend on its holds. */
export class HoldFile {
  readonly #file: SharedFile<z.infer<typeof fileSchema>>

  constructor(folder: string) {
    const what = 'The list of maintenance holds'
    this.#file = new SharedFile({
      folder,
      name: 'holds',
      what,
      schema: fileSchema,
      empty: { version: 1, holds: [] },
    })
  }

  /** Why the list may be incomplete, as a sentence. */
  get notice(): string | null {
    return this.#file.notice
  }

  /** Null if unchanged. */
  async read(): Promise<readonly HoldRecord[] | null> {
    return (await this.#file.read()) ? this.#file.value.holds : null
  }

  async edit(
    change: (holds: readonly HoldRecord[]) => readonly HoldRecord[],
  ): Promise<readonly HoldRecord[]> {
    const written = await this.#file.update(({ holds, version }) => ({
      version,
      holds: [...withoutOldest(change(holds))],
    }))
    return written.holds
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
