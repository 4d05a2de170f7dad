import { z } from 'zod'
import { problemSchema, storeId, storeKindSchema } from './locks.ts'
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

export const clockSchema = z.object({
  /** The store's time when it was asked, epoch milliseconds. */
  serverTime: z.number(),
  /** Store minus local; null when the account may not ask the store for its time. */
  offsetMs: z.number().nullable(),
  /** How far the offset may be wrong. */
  errorMs: z.number(),
})
export type ClockReading = z.infer<typeof clockSchema>

export const CAPABILITIES = ['release', 'notify', 'atomic-read', 'server-time'] as const
export const capabilitySchema = z.enum(CAPABILITIES)
export type Capability = z.infer<typeof capabilitySchema>

export const storeInfoSchema = z.object({
  storeId,
  kind: storeKindSchema,
  address: z.string(),
})
export type StoreInfo = z.infer<typeof storeInfoSchema>

export const storeDescriptionSchema = z.object({
  kind: storeKindSchema,
  address: z.string(),
  /** Product and version, as the server tells it. */
  server: z.string(),
  clock: clockSchema,
})
export type StoreDescription = z.infer<typeof storeDescriptionSchema>

/** What a look at a store found, for whoever is about to keep it. */
export const storeTestSchema = z.object({
  server: z.string(),
  /** One question and its answer, once connected. */
  latencyMs: z.number(),
  clock: clockSchema,
  capabilities: z.array(capabilitySchema),
  /** Locks found, by format, in as much as was looked at. */
  formats: z.array(z.object({ format: z.string(), count: z.number() })),
  unrecognised: z.number(),
  scanned: z.number(),
  /** False when the look stopped before the end. */
  complete: z.boolean(),
  problems: z.array(problemSchema),
})
export type StoreTest = z.infer<typeof storeTestSchema>

const storesEventSchema = z.object({
  stores: z.array(storeEntrySchema),
  suggestions: z.array(suggestionSchema),
  /** Something about the list itself that an operator should know: it could not be read, and was set aside. */
  notice: z.string().nullable(),
})
export type StoresEvent = z.infer<typeof storesEventSchema>

const password = z.string().max(4096)
/** `passwordOf` names a store or a suggestion on the same server whose password core already knows. */
const storeDraft = {
  profile: storeProfileSchema,
  password: password.optional(),
  passwordOf: storeId.optional(),
}

export const storeMethods = {
  'stores.open': {
    effect: 'read',
    input: z.strictObject({ address: z.string().min(1).max(4096), password: z.string().optional() }),
    output: storeInfoSchema,
  },
  'stores.describe': { effect: 'read', input: z.strictObject({ storeId }), output: storeDescriptionSchema },
  /** What this connection, with this account on this version, can do. Asking may cost a request that is refused. */
  'stores.capabilities': {
    effect: 'read',
    input: z.strictObject({ storeId }),
    output: z.array(capabilitySchema),
  },
  'stores.close': { effect: 'read', input: z.strictObject({ storeId }), output: z.null() },
  /** Keeps a store and opens it. */
  'stores.add': { effect: 'settings', input: z.strictObject(storeDraft), output: storeEntrySchema },
  'stores.edit': {
    effect: 'settings',
    // A password of null is forgotten; without one, the known one stays if the server is the same.
    input: z.strictObject({ storeId, profile: storeProfileSchema, password: password.nullable().optional() }),
    output: storeEntrySchema,
  },
  'stores.remove': { effect: 'settings', input: z.strictObject({ storeId }), output: z.null() },
  'stores.setOpen': {
    effect: 'settings',
    input: z.strictObject({ storeId, open: z.boolean() }),
    output: storeEntrySchema,
  },
  'stores.test': { effect: 'read', input: z.strictObject(storeDraft), output: storeTestSchema },
} as const

export const storeStreams = {
  /** All stores that are kept, whole, whenever one changes. */
  'stores.watch': { input: z.strictObject({}), event: storesEventSchema },
} as const
