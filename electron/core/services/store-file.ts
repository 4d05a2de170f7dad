import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { type StoreProfile, storeProfileSchema } from '../../../shared/store-profile.ts'
import { KeptFile, parseJson } from './kept-file.ts'

const NAME = 'stores'

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
    const parsed = fileSchema.safeParse(parseJson(readFileSync(join(folder, `${NAME}.json`), 'utf8')))
    return parsed.success ? parsed.data.stores.map(({ profile }) => profile) : []
  } catch {
    return []
  }
}

/** The stores an operator keeps, in `stores.json` of the data folder. */
export class StoreFile {
  readonly #file: KeptFile<z.infer<typeof fileSchema>>

  constructor(folder: string) {
    this.#file = new KeptFile({ folder, name: NAME, what: 'The list of stores', schema: fileSchema })
  }

  async read(): Promise<StoreFileContents> {
    const { value, notice } = await this.#file.read()
    return { stores: value?.stores ?? [], notice }
  }

  write(stores: readonly KeptStore[]): Promise<void> {
    return this.#file.write({ version: 1, stores: [...stores] })
  }
}
