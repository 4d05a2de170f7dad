import { readFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type StoreProfile, storeProfileSchema } from '../../../shared/store-profile.ts'
import { StoreError } from '../errors.ts'

const FILE = 'stores.json'

const keptStoreSchema = z.object({
  storeId: z.string().min(1).max(64),
  profile: storeProfileSchema,
  open: z.boolean(),
  /** The password as the host sealed it. */
  sealed: z.string().nullable(),
})
export type KeptStore = z.infer<typeof keptStoreSchema>

const fileSchema = z.object({ version: z.literal(1), stores: z.array(keptStoreSchema) })

export type StoreFileContents = { readonly stores: KeptStore[]; readonly notice: string | null }

/** What an operator has decided about the stores of a list, for whoever only has to keep to it. Nothing is set aside. */
export function keptProfiles(folder: string): StoreProfile[] {
  try {
    const parsed = fileSchema.safeParse(parse(readFileSync(join(folder, FILE), 'utf8')))
    return parsed.success ? parsed.data.stores.map(({ profile }) => profile) : []
  } catch {
    return []
  }
}

/** The stores an operator keeps, in `stores.json` of the data folder. */
export class StoreFile {
  readonly #folder: string
  readonly #file: string
  /** There is a list that we could neither read nor set aside: it is not ours to overwrite. */
  #untouchable = false
  #writing: Promise<unknown> = Promise.resolve()

  constructor(folder: string) {
    this.#folder = folder
    this.#file = join(folder, FILE)
  }

  /** A file that cannot be understood is set aside, never overwritten: somebody may want to mend it. */
  async read(): Promise<StoreFileContents> {
    let text: string
    try {
      text = await readFile(this.#file, 'utf8')
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { stores: [], notice: null }
      this.#untouchable = true
      return { stores: [], notice: `The list of stores cannot be read (${codeOf(error)}).` }
    }
    const parsed = fileSchema.safeParse(parse(text))
    if (parsed.success) return { stores: parsed.data.stores, notice: null }
    const aside = `stores.damaged-${Date.now()}.json`
    const moved = await rename(this.#file, join(this.#folder, aside)).then(
      () => true,
      () => false,
    )
    this.#untouchable = !moved
    return {
      stores: [],
      notice: moved
        ? `The list of stores could not be understood and was set aside as ${aside}.`
        : 'The list of stores could not be understood.',
    }
  }

  /** Whole or not at all, one after the other: a crash leaves the old list or the new one. */
  write(stores: readonly KeptStore[]): Promise<void> {
    const text = `${JSON.stringify({ version: 1, stores }, null, 2)}\n`
    const written = this.#writing.then(() => this.#replace(text))
    this.#writing = written.catch(() => {})
    return written
  }

  async #replace(text: string): Promise<void> {
    if (this.#untouchable)
      throw new StoreError('REFUSED', 'The list of stores could not be read, so it is not written either')
    const draft = `${this.#file}.${process.pid}.new`
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      const handle = await open(draft, 'w', 0o600)
      try {
        await handle.writeFile(text)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(draft, this.#file)
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {})
      throw new StoreError('REFUSED', `The list of stores cannot be written (${codeOf(error)})`, {
        cause: error,
      })
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException)?.code ?? 'unknown error'
}
