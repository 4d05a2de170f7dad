import { z } from 'zod'
import {
  acknowledgeSchema,
  alertsEventSchema,
  muteInputSchema,
  muteSchema,
  ruleBookSchema,
} from './alerts.ts'
import { auditPageSchema, auditQuerySchema, auditVerdictSchema } from './audit.ts'
import { holdMethods, holdStreams } from './holds.ts'
import {
  formatInfoSchema,
  lockDetailSchema,
  lockSchema,
  releasedSchema,
  storeKindSchema,
  unrecognisedSchema,
  watchedLockSchema,
} from './locks.ts'
import { planComparisonSchema, planEventSchema, planSummarySchema, strikeSchema } from './plans.ts'
import { reportEventSchema, reportRequestSchema } from './reports.ts'
import { failureSchema } from './result.ts'
import {
  groupHistorySchema,
  groupsQuerySchema,
  historyQuerySchema,
  historySchema,
  holdsQuerySchema,
  holdsSchema,
  seenKeySchema,
  seenKeysQuerySchema,
  statsQuerySchema,
  statsSchema,
} from './stats.ts'
import { storeEntrySchema, storeProfileSchema, suggestionSchema } from './stores.ts'
import { switchMethods, switchStreams } from './switch.ts'

/**
 * Everything a screen can ask of the core: one entry a method, one entry a stream. A new method is an entry here and a
 * handler in core; hosts and transports do not change. `effect` is what it does to a store: `write` drives the audit and
 * the read-only switch, in one place.
 */

const storeId = z.string().min(1).max(64)
const lockId = z.string().min(1)
const fence = z.string().min(1).max(200)
const planId = z.string().min(1).max(64)
const filePath = z.string().min(1).max(4096)
const rate = z.number().min(0.1).max(100_000)

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
    locks: z.array(watchedLockSchema),
    unrecognised: z.number(),
    serverTime: z.number(),
    /** False for the first look at a large store: the rest follows as upserts, and then the status. */
    complete: z.boolean(),
  }),
  z.object({ type: z.literal('upsert'), locks: z.array(watchedLockSchema), serverTime: z.number() }),
  z.object({ type: z.literal('remove'), ids: z.array(z.string()), serverTime: z.number() }),
  /** Records that no format understands, whenever they change. `sample` may be the start of them. */
  z.object({ type: z.literal('unrecognised'), count: z.number(), sample: z.array(unrecognisedSchema) }),
  /** A pass over the whole store that succeeded; told every few seconds, as a sign of life. */
  z.object({
    type: z.literal('pass'),
    serverTime: z.number(),
    offsetMs: z.number().nullable(),
    scanned: z.number(),
    tookMs: z.number(),
  }),
  z.object({
    type: z.literal('status'),
    status: z.enum(['live', 'stale', 'down']),
    /** Since when it is so, by the local clock. */
    since: z.number(),
    /** When the data on the screen was last known to be true, by the store's clock. */
    asOf: z.number().nullable(),
    offsetMs: z.number().nullable(),
    error: failureSchema.nullable(),
    retryInMs: z.number().nullable(),
  }),
])
export type WatchEvent = z.infer<typeof watchEventSchema>

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

export const consoleInfoSchema = z.object({
  host: z.enum(['electron', 'web', 'cli']),
  version: z.string(),
  dataFolder: z.string(),
  /** Whether passwords outlast this run, and if not, why. */
  secrets: z.object({ durable: z.boolean(), reason: z.string().nullable() }),
})
export type ConsoleInfo = z.infer<typeof consoleInfoSchema>

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
  'console.describe': { effect: 'read', input: z.strictObject({}), output: consoleInfoSchema },
  /** Keeps a store and opens it. */
  'stores.add': { effect: 'read', input: z.strictObject(storeDraft), output: storeEntrySchema },
  'stores.edit': {
    effect: 'read',
    // A password of null is forgotten; without one, the known one stays if the server is the same.
    input: z.strictObject({ storeId, profile: storeProfileSchema, password: password.nullable().optional() }),
    output: storeEntrySchema,
  },
  'stores.remove': { effect: 'read', input: z.strictObject({ storeId }), output: z.null() },
  'stores.setOpen': {
    effect: 'read',
    input: z.strictObject({ storeId, open: z.boolean() }),
    output: storeEntrySchema,
  },
  'stores.test': { effect: 'read', input: z.strictObject(storeDraft), output: storeTestSchema },
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
      fence,
      reason: z.string().max(2000).optional(),
      /** The store's name, typed by the operator: a production store asks for it. */
      confirm: z.string().max(200).optional(),
      /** The connection through which the lock was seen: behind another one is another server. */
      revision: z.number().int().optional(),
    }),
    output: releasedSchema,
  },
  /**
   * Freezes what a filter lets through, or exactly what was picked. Nothing is changed in any store; `watchMs` is for a
   * host that has not been watching: it looks twice, so far apart, and so sees who renews.
   */
  'plans.create': {
    effect: 'read',
    input: z.strictObject({
      storeIds: z.array(storeId).min(1).max(200),
      filter: z.string().max(2000).optional(),
      picks: z
        .array(z.strictObject({ storeId, id: lockId, fence: fence }))
        .max(100_000)
        .optional(),
      watchMs: z.number().int().min(0).max(60_000).optional(),
      /** Where to keep it. Only for a host whose operator names files itself. */
      file: filePath.optional(),
    }),
    output: planSummarySchema,
  },
  /** Works on a plan where it is, instead of in the data folder. Only for a host whose operator names files itself. */
  'plans.open': { effect: 'read', input: z.strictObject({ file: filePath }), output: planSummarySchema },
  /** What is kept in the data folder, newest first. */
  'plans.list': { effect: 'read', input: z.strictObject({}), output: z.array(planSummarySchema) },
  /** Takes a plan in that is a file elsewhere, by its text. */
  'plans.import': {
    effect: 'read',
    input: z.strictObject({ text: z.string().max(200_000_000) }),
    output: planSummarySchema,
  },
  /** Forgets a plan that is not being applied. */
  'plans.remove': { effect: 'read', input: z.strictObject({ planId }), output: z.null() },
  /** Takes locks out of the plan, or back into it. Not once it was applied. */
  'plans.exclude': {
    effect: 'read',
    input: z.strictObject({ planId, strikes: z.array(strikeSchema).max(100_000), struck: z.boolean() }),
    output: planSummarySchema,
  },
  /** Reads the locks of the plan again. */
  'plans.compare': { effect: 'read', input: z.strictObject({ planId }), output: planComparisonSchema },
  /** Begins, or goes on with what is left. The answer comes when it has begun; plans.watch tells the rest. */
  'plans.apply': {
    effect: 'write',
    input: z.strictObject({
      planId,
      /** For each store of the plan what confirmationOf makes of it, typed by the operator. */
      confirm: z.array(z.string().max(300)).max(200),
      reason: z.string().max(2000),
      /** Locks a second and store. */
      rate: rate.optional(),
    }),
    output: planSummarySchema,
  },
  /** `stop` finishes what was sent and leaves the rest alone. */
  'plans.steer': {
    effect: 'read',
    input: z.strictObject({
      planId,
      to: z.enum(['pause', 'go-on', 'stop']).optional(),
      rate: rate.optional(),
    }),
    output: planSummarySchema,
  },
  /** A plan that puts back what a plan or a single release took away, as far as that can be done. */
  'plans.undo': {
    effect: 'read',
    input: z.strictObject({ of: z.string().min(1).max(64), file: filePath.optional() }),
    output: planSummarySchema,
  },
  /** Newest first, a page at a time. */
  'audit.list': { effect: 'read', input: auditQuerySchema, output: auditPageSchema },
  /** Reads the whole log and checks its chain. */
  'audit.verify': { effect: 'read', input: z.strictObject({}), output: auditVerdictSchema },
  /** The numbers of now, and of what happened since. Without ids, of all stores that are open. */
  'stats.read': { effect: 'read', input: statsQuerySchema, output: statsSchema },
  'stats.history': { effect: 'read', input: historyQuerySchema, output: historySchema },
  /** The same over time, by who holds or by what the keys begin or end with. */
  'stats.groups': { effect: 'read', input: groupsQuerySchema, output: groupHistorySchema },
  /** Who held a lock, and when. */
  'stats.holds': { effect: 'read', input: holdsQuerySchema, output: holdsSchema },
  'stats.keys': { effect: 'read', input: seenKeysQuerySchema, output: z.array(seenKeySchema) },
  'alerts.acknowledge': { effect: 'read', input: acknowledgeSchema, output: z.null() },
  'alerts.mute': { effect: 'read', input: muteInputSchema, output: muteSchema },
  'alerts.unmute': {
    effect: 'read',
    input: z.strictObject({ muteId: z.string().min(1).max(64) }),
    output: z.null(),
  },
  /**
   * Replaces the rules as a whole. With `before`, the rules that somebody was shown, only what is other than there: what others
   * have decided meanwhile stays.
   */
  'alerts.decide': {
    effect: 'read',
    input: z.strictObject({ book: ruleBookSchema, before: ruleBookSchema.optional() }),
    output: ruleBookSchema,
  },
  ...switchMethods,
  ...holdMethods,
} as const

export const streams = {
  /** All stores that are kept, whole, whenever one changes. */
  'stores.watch': { input: z.strictObject({}), event: storesEventSchema },
  'locks.list': {
    input: z.strictObject({ storeId, limit: z.number().int().positive().optional() }),
    event: listEventSchema,
  },
  'locks.watch': {
    input: z.strictObject({ storeId, intervalMs: z.number().int().min(100).max(60_000).optional() }),
    event: watchEventSchema,
  },
  'plans.watch': { input: z.strictObject({ planId }), event: planEventSchema },
  'alerts.watch': { input: z.strictObject({}), event: alertsEventSchema },
  /** A report as a file, in pieces. Closing the stream stops the work. */
  'reports.write': { input: reportRequestSchema, event: reportEventSchema },
  /** The file of a plan, in pieces. */
  'plans.file': { input: z.strictObject({ planId }), event: z.object({ text: z.string() }) },
  ...switchStreams,
  ...holdStreams,
} as const

export type MethodName = keyof typeof methods
export type Input<M extends MethodName> = z.infer<(typeof methods)[M]['input']>
export type Output<M extends MethodName> = z.infer<(typeof methods)[M]['output']>
export type StreamName = keyof typeof streams
export type StreamInput<S extends StreamName> = z.infer<(typeof streams)[S]['input']>
export type StreamEvent<S extends StreamName> = z.infer<(typeof streams)[S]['event']>
