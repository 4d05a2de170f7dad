import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isSamePlace, parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import { type StoreProfile, storeProfileSchema } from '../../../../shared/stores.ts'
import { codeOf, parseJson } from '../../files/disk.ts'
import { SharedFile } from '../../files/shared-file.ts'
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

export type StoresJson = z.infer<typeof fileSchema>

/** The stores an operator keeps: `stores.json` of the data folder, which several consoles may share. */
export function storeFile(folder: string): SharedFile<StoresJson> {
  const empty = { version: 1 as const, stores: [] }
  return new SharedFile({ folder, name: NAME, what: 'The list of stores', schema: fileSchema, empty })
}

/**
 * The console's rules for the place of an address, in any spelling, for hosts without a list of their own. Throws if the list is
 * unreadable: it may forbid the change.
 */
export function decidedAbout(folder: string, address: StoreAddress): StoreProfile[] {
  const path = join(folder, `${NAME}.json`)
  const unreadable = (why: string) => {
    const what = `The rules of stores cannot be read ${why}, so nothing was changed`
    return new StoreError('REFUSED', `${what}: fix or move ${path}`)
  }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unreadable(`(${codeOf(error)})`)
  }
  const parsed = fileSchema.safeParse(parseJson(text))
  if (!parsed.success) throw unreadable('or understood')
  const profiles = parsed.data.stores.map(({ profile }) => profile)
  return profiles.filter(each => isSamePlace(parseAddress(each.address), address))
}
