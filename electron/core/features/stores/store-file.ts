import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { storeProfileSchema } from '../../../../shared/stores.ts'
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
  /** How its servers identified themselves, the last ones first: its rules hold for them under every address. */
  serverIds: z.array(z.string().max(400)).max(400).default([]),
})
export type KeptStore = z.infer<typeof keptStoreSchema>

const fileSchema = z.object({ version: z.literal(1), stores: z.array(keptStoreSchema) })

export type StoresJson = z.infer<typeof fileSchema>

/** The stores an operator keeps: `stores.json` of the data folder, which several consoles may share. */
export function storeFile(folder: string): SharedFile<StoresJson> {
  const empty = { version: 1 as const, stores: [] }
  return new SharedFile({ folder, name: NAME, what: 'The list of stores', schema: fileSchema, empty })
}

/** The stores that consoles keep, for hosts without a list of their own. Throws if that is unreadable: its rules may forbid a change. */
export function keptStores(folder: string): readonly KeptStore[] {
  const path = join(folder, `${NAME}.json`)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw unreadableRules(path, ` (${codeOf(error)})`)
  }
  const parsed = fileSchema.safeParse(parseJson(text))
  if (!parsed.success) throw unreadableRules(path, ' or understood')
  return parsed.data.stores
}

/** What a console shows of the file. */
export function noticeOf({ notice, path, isUnread }: SharedFile<StoresJson>): string | null {
  if (!isUnread) return notice
  return `${notice} The rules of its stores are unknown, so no store can be changed: fix ${path}, or move it away to begin with an empty list`
}

export function unreadableRules(path: string, why = ''): StoreError {
  const what = `The rules of stores cannot be read${why}, so nothing was changed`
  return new StoreError('REFUSED', `${what}: fix or move ${path}`)
}
