import { z } from 'zod'
import { type Problem, storeId, storeKindSchema } from './locks.ts'
import type { Failure } from './result.ts'

/** The colours a store can be marked with; what they look like is the screen's business. */
export const STORE_COLOURS = ['slate', 'teal', 'blue', 'violet', 'rose', 'amber', 'green'] as const
export type StoreColour = (typeof STORE_COLOURS)[number]

/** What an operator decides about a store. It is kept in a file, so its address carries no password. */
export const storeProfileSchema = z.strictObject({
  name: z.string().trim().min(1).max(60),
  address: z.string().min(1).max(4096),
  colour: z.enum(STORE_COLOURS),
  /** Releases require the name to be typed. */
  production: z.boolean(),
  /** Lockkeeper changes nothing in it. */
  readOnly: z.boolean(),
})
export type StoreProfile = z.infer<typeof storeProfileSchema>

/** The rules of a place: those of all stores in the list that reach its server. */
export type StoreRules = {
  /** The names of its production stores, one of which an operator types before a change; its own comes first. */
  productionNames: string[]
  /** The store that is set to read-only, its own before others; null if none is. */
  readOnlyBy: string | null
  /** Other stores of the list with rules that its own entry does not have. */
  from: string[]
}

/** `production` and `readOnly` are the rules of its place; `own` is what the operator decided about this store. */
export type StoreEntry = StoreProfile & {
  storeId: string
  own: Pick<StoreProfile, 'production' | 'readOnly'>
  /** What an operator types before a change; null outside production. */
  productionName: string | null
  /** Other stores on the same server, with rules that this one does not have. */
  rulesFrom: string[]
  kind: string
  /** Whether it is connected to and watched. */
  open: boolean
  /** Goes up with every new connection: what was watched before belongs to another one. */
  revision: number
  /** `saved` is kept in the data folder; `given` came with the start and ends with it. */
  origin: 'saved' | 'given'
  /** Whether a password is known: `kept` outlasts this run, `session` does not. */
  password: 'none' | 'session' | 'kept'
  /** Why it could not be opened at all. The watch reports a server that does not answer. */
  problem: Failure | null
}

/** A connection that the environment describes: ready to be kept, not connected to. */
export const suggestionSchema = z.object({
  suggestionId: z.string(),
  name: z.string(),
  address: z.string(),
  kind: storeKindSchema,
  /** The variables that describe it. */
  variables: z.array(z.string()),
  /** `LOCK_PROVIDER` names this one. */
  current: z.boolean(),
  hasPassword: z.boolean(),
})
export type Suggestion = z.infer<typeof suggestionSchema>

export type ClockReading = {
  /** The store's time at the reading, epoch milliseconds. */
  serverTime: number
  /** Store minus local; null if the account may not read the store's time. */
  offsetMs: number | null
  /** How far the offset may be wrong. */
  errorMs: number
}

export const CAPABILITIES = ['release', 'notify', 'atomic-read', 'server-time'] as const
export type Capability = (typeof CAPABILITIES)[number]

export type StoreInfo = { storeId: string; kind: string; address: string }

/** `server` is product and version, as the server reports them. */
export type StoreDescription = { kind: string; address: string; server: string; clock: ClockReading }

/** The result of a connection test. */
export type StoreTest = {
  server: string
  /** Of one round trip, once connected. */
  latencyMs: number
  clock: ClockReading
  capabilities: Capability[]
  /** Locks found, by format, among the records read. */
  formats: { format: string; count: number }[]
  unrecognised: number
  scanned: number
  /** False if the test stopped before the end. */
  complete: boolean
  problems: Problem[]
  /** Stores of the list on the same server whose rules would apply. */
  rulesFrom: string[]
}

export type StoresEvent = {
  stores: StoreEntry[]
  suggestions: Suggestion[]
  /** A problem of the list itself: it could not be read, and was set aside. */
  notice: string | null
}

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
    output: z.custom<StoreInfo>(),
  },
  'stores.describe': {
    effect: 'read',
    input: z.strictObject({ storeId }),
    output: z.custom<StoreDescription>(),
  },
  'stores.close': { effect: 'read', input: z.strictObject({ storeId }), output: z.null() },
  /** Keeps a store and opens it. */
  'stores.add': { effect: 'settings', input: z.strictObject(storeDraft), output: z.custom<StoreEntry>() },
  'stores.edit': {
    effect: 'settings',
    // A password of null is forgotten; without one, the known one stays if the server is the same.
    input: z.strictObject({ storeId, profile: storeProfileSchema, password: password.nullable().optional() }),
    output: z.custom<StoreEntry>(),
  },
  'stores.remove': { effect: 'settings', input: z.strictObject({ storeId }), output: z.null() },
  'stores.setOpen': {
    effect: 'settings',
    input: z.strictObject({ storeId, open: z.boolean() }),
    output: z.custom<StoreEntry>(),
  },
  'stores.test': { effect: 'read', input: z.strictObject(storeDraft), output: z.custom<StoreTest>() },
} as const

export const storeStreams = {
  /** All stores that are kept, whole, whenever one changes. */
  'stores.watch': { input: z.strictObject({}), event: z.custom<StoresEvent>() },
} as const
