import { z } from 'zod'
import {
  formatInfoSchema,
  lockDetailSchema,
  lockSchema,
  releaseOutcomeSchema,
  storeKindSchema,
  unrecognisedSchema,
} from './lock.ts'
import { failureSchema } from './result.ts'

/**
 * Everything a screen can ask of the core: one entry a method, one entry a stream. A new method is an entry here and a
 * handler in core; hosts and transports do not change. `effect: 'write'` drives the audit, in one place.
 */

const storeId = z.string().min(1).max(64)
const lockId = z.string().min(1)

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

/** A part of a store that could not be read: an unreachable node, a table that may not be seen. */
export const problemSchema = failureSchema.extend({ where: z.string() })
export type Problem = z.infer<typeof problemSchema>

export const listPageSchema = z.object({
  locks: z.array(lockSchema),
  unrecognised: z.array(unrecognisedSchema),
  /** Records that belong to locks without being locks (queues, counters, digests). */
  companions: z.number(),
  problems: z.array(problemSchema),
  /** Records looked at. */
  scanned: z.number(),
})
export type ListPage = z.infer<typeof listPageSchema>

const listEventSchema = z.discriminatedUnion('type', [
  listPageSchema.extend({ type: z.literal('page') }),
  z.object({ type: z.literal('done'), complete: z.boolean(), serverTime: z.number() }),
])
export type ListEvent = z.infer<typeof listEventSchema>

const watchEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('snapshot'),
    locks: z.array(lockSchema),
    unrecognised: z.number(),
    serverTime: z.number(),
    /** False for the first look at a large store: the rest follows as upserts, and then the status. */
    complete: z.boolean(),
  }),
  z.object({ type: z.literal('upsert'), locks: z.array(lockSchema), serverTime: z.number() }),
  z.object({ type: z.literal('remove'), ids: z.array(z.string()), serverTime: z.number() }),
  z.object({
    type: z.literal('status'),
    status: z.enum(['live', 'stale', 'down']),
    /** When the data on the screen was last known to be true, by the store's clock. */
    asOf: z.number().nullable(),
    offsetMs: z.number().nullable(),
    error: failureSchema.nullable(),
    retryInMs: z.number().nullable(),
  }),
])
export type WatchEvent = z.infer<typeof watchEventSchema>

export const methods = {
  'formats.list': { effect: 'read', input: z.strictObject({}), output: z.array(formatInfoSchema) },
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
  'locks.inspect': {
    effect: 'read',
    input: z.strictObject({ storeId, id: lockId }),
    output: lockDetailSchema.nullable(),
  },
  'locks.release': {
    effect: 'write',
    input: z.strictObject({
      storeId,
      id: lockId,
      fence: z.string().min(1).max(200),
      reason: z.string().max(2000).optional(),
    }),
    output: releaseOutcomeSchema,
  },
} as const

export const streams = {
  'locks.list': {
    input: z.strictObject({ storeId, limit: z.number().int().positive().optional() }),
    event: listEventSchema,
  },
  'locks.watch': {
    input: z.strictObject({ storeId, intervalMs: z.number().int().min(100).max(60_000).optional() }),
    event: watchEventSchema,
  },
} as const

export type MethodName = keyof typeof methods
export type Input<M extends MethodName> = z.infer<(typeof methods)[M]['input']>
export type Output<M extends MethodName> = z.infer<(typeof methods)[M]['output']>
export type StreamName = keyof typeof streams
export type StreamInput<S extends StreamName> = z.infer<(typeof streams)[S]['input']>
export type StreamEvent<S extends StreamName> = z.infer<(typeof streams)[S]['event']>
