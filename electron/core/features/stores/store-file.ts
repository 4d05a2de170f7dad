import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isSamePlace, parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import { type StoreProfile, storeProfileSchema } from '../../../../shared/stores.ts'
import { codeOf, parseJson } from '../../files/disk.ts'
import { KeptFile } from '../../files/shared-file.ts'
import { StoreError } from '../../lib/errors.ts'

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

/**
 * What an operator has decided about the place that an address leads to, however it is spelt, for whoever has no list and only
 * has to keep to it. Nothing is set aside. Fails where there are decisions that cannot be read: they may say no.
 */
export function decidedAbout(folder: string, address: StoreAddress): StoreProfile[] {
  return keptProfiles(folder).filter(each => isSamePlace(parseAddress(each.address), address))
}

function keptProfiles(folder: string): StoreProfile[] {
  let text: string
  try {
    text = readFileSync(join(folder, `${NAME}.json`), 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unreadable(folder, `(${codeOf(error)})`)
  }
  const parsed = fileSchema.safeParse(parseJson(text))
  if (!parsed.success) throw unreadable(folder, 'or understood')
  return parsed.data.stores.map(({ profile }) => profile)
}

function unreadable(folder: string, why: string): StoreError {
  return new StoreError(
    'REFUSED',
    `What was decided about stores cannot be read ${why}, so nothing was changed: mend or move ${join(folder, `${NAME}.json`)}`,
  )
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
