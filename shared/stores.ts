import { z } from 'zod'
import { storeKindSchema } from './locks.ts'
import { failureSchema } from './result.ts'

/** The colours a store can be marked with; what they look like is the screen's business. */
export const STORE_COLOURS = ['slate', 'teal', 'blue', 'violet', 'rose', 'amber', 'green'] as const
export const storeColourSchema = z.enum(STORE_COLOURS)
export type StoreColour = z.infer<typeof storeColourSchema>

/** What an operator decides about a store. It is kept in a file, so its address carries no password. */
export const storeProfileSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  address: z.string().min(1).max(4096),
  colour: storeColourSchema,
  /** Releases ask for the name to be typed. */
  production: z.boolean(),
  /** Nothing is changed in it, whoever asks. */
  readOnly: z.boolean(),
})
export type StoreProfile = z.infer<typeof storeProfileSchema>

export const storeEntrySchema = storeProfileSchema.extend({
  storeId: z.string(),
  kind: storeKindSchema,
  /** Whether it is connected to and watched. */
  open: z.boolean(),
  /** Goes up whenever it is connected to anew: what was watched before is then another connection's. */
  revision: z.number(),
  /** `saved` is kept in the data folder; `given` came with the start and ends with it. */
  origin: z.enum(['saved', 'given']),
  /** Whether a password is known: `kept` outlasts this run, `session` does not. */
  password: z.enum(['none', 'session', 'kept']),
  /** Why it could not be opened at all. A server that does not answer is the watch's to tell. */
  problem: failureSchema.nullable(),
})
export type StoreEntry = z.infer<typeof storeEntrySchema>

/** A connection that the environment describes: ready to be kept, not connected to. */
export const suggestionSchema = z.object({
  suggestionId: z.string(),
  name: z.string(),
  address: z.string(),
  kind: storeKindSchema,
  /** The variables it was put together from. */
  variables: z.array(z.string()),
  /** `LOCK_PROVIDER` names this one. */
  current: z.boolean(),
  hasPassword: z.boolean(),
})
export type Suggestion = z.infer<typeof suggestionSchema>
