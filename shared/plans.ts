import { z } from 'zod'
import { MINUTE_MS } from './duration.ts'
import { fence, lockId, lockStateSchema, type StoreKind, storeId, storeKindSchema } from './locks.ts'
import { failureSchema } from './result.ts'

/**
 * A plan: a frozen set of locks with their fences, to be released (or put back) exactly as they were seen, later or by
 * somebody else. It is a file that is only ever added to: the locks first, then what was excluded, tried and found.
 */

export const planStoreSchema = z.object({
  /** What the operator types to confirm. */
  name: z.string(),
  /** Without the password. */
  address: z.string(),
  kind: storeKindSchema,
  production: z.boolean(),
  /** Parts of the store that could not be read, so that their locks are not in the plan. */
  unread: z.array(z.string()),
})
export type PlanStore = z.infer<typeof planStoreSchema>

/** A lock as it was seen when the plan was made. Times are the store's. */
export const planEntrySchema = z.object({
  /** Its place in the plan, from 0. */
  n: z.number().int().min(0),
  /** Which of the plan's stores it is in. */
  store: z.number().int().min(0),
  id: z.string(),
  key: z.string(),
  format: z.string(),
  owner: z.string().nullable(),
  holder: z.string().nullable(),
  state: lockStateSchema,
  /** Null when it never ends by itself, or nobody knows when. */
  endsAt: z.number().nullable(),
  /** Since when it is known to be held by this owner; null when nothing is known. */
  heldSince: z.number().nullable(),
  observedAt: z.number(),
  /** How often its owner was seen to extend it. */
  renewals: z.number(),
  /** Holders write alike: a next one is told apart by its deadline, or not at all. */
  alike: z.boolean(),
  fence: z.string(),
})
export type PlanEntry = z.infer<typeof planEntrySchema>

/** Everything of the plan that shares this: one lock (`n`), or all of a store (its place), holder, format or state. */
export const exclusionSchema = z.object({
  by: z.enum(['lock', 'store', 'holder', 'format', 'state']),
  /** Empty stands for a holder that is not recorded. */
  value: z.string(),
})
export type Exclusion = z.infer<typeof exclusionSchema>

export const PLAN_KINDS = ['release', 'restore'] as const

export const planHeaderSchema = z.object({
  planId: z.string(),
  kind: z.enum(PLAN_KINDS),
  createdAt: z.number(),
  createdBy: z.object({ user: z.string(), host: z.string() }),
  /** What was asked for, as it was typed; empty for a selection or everything. */
  filter: z.string(),
  /** For how long the stores had been watched: renewals before that are not known. */
  watchedMs: z.number(),
  stores: z.array(planStoreSchema),
  count: z.number().int().min(0),
  /** Asked for, but no longer what was asked for when the plan was made. They are not in it. */
  left: z.number().int().min(0),
  /** The plan or the single release that this one takes back. */
  undoes: z.string().nullable(),
})
export type PlanHeader = z.infer<typeof planHeaderSchema>

/**
 * What became of a lock. `gone` may have been our own earlier attempt whose answer was lost: `perhapsOurs`. `failed` says
 * why; with `uncertain` it may have happened all the same. `tried` is an attempt that nobody knows the end of: the process
 * died in the middle of it. What has no result was not attempted.
 */
export const planResultSchema = z.discriminatedUnion('is', [
  z.object({ is: z.literal('released'), at: z.number() }),
  z.object({ is: z.literal('changed'), at: z.number(), owner: z.string().nullable() }),
  z.object({ is: z.literal('gone'), at: z.number(), perhapsOurs: z.boolean() }),
  z.object({ is: z.literal('failed'), at: z.number(), error: failureSchema }),
  z.object({ is: z.literal('tried'), at: z.number() }),
  z.object({ is: z.literal('restored'), at: z.number() }),
  /** The name is not free any more. */
  z.object({ is: z.literal('taken'), at: z.number(), owner: z.string().nullable() }),
  /** Its lease ran out before it could be put back. */
  z.object({ is: z.literal('ended'), at: z.number() }),
])
export type PlanResult = z.infer<typeof planResultSchema>

export const RESULTS = [
  'released',
  'changed',
  'gone',
  'failed',
  'tried',
  'restored',
  'taken',
  'ended',
  'pending',
] as const
export type ResultName = (typeof RESULTS)[number]
const resultCountsSchema = z.record(z.enum(RESULTS), z.number())
export type ResultCounts = z.infer<typeof resultCountsSchema>

export const PLAN_STATES = ['ready', 'running', 'paused', 'stopping', 'checking', 'stopped', 'done'] as const

/**
 * `ready` was never applied; `stopped` was, and has locks left; `stopping` finishes what it has begun; `checking` reads
 * the locks again.
 */
export const planProgressSchema = z.object({
  state: z.enum(PLAN_STATES),
  /** Locks that are not excluded. */
  total: z.number(),
  counts: resultCountsSchema,
  /** Released locks that were there again afterwards, held by the same token. Null before anybody looked. */
  returned: z.number().nullable(),
  /** Locks a second, lately and as asked for. */
  perSecond: z.number().nullable(),
  rate: z.number().nullable(),
  leftMs: z.number().nullable(),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  reason: z.string().nullable(),
  /** Stores that hold it up, and why. */
  troubles: z.array(z.object({ store: z.number(), error: failureSchema, retryInMs: z.number().nullable() })),
})
export type PlanProgress = z.infer<typeof planProgressSchema>

export const planSummarySchema = planHeaderSchema.extend({
  /** Where it is kept. */
  file: z.string(),
  exclusions: z.array(exclusionSchema),
  progress: planProgressSchema,
  /** Until when what it released can be put back, by the local clock. Null when nothing can. */
  undoUntil: z.number().nullable(),
})
export type PlanSummary = z.infer<typeof planSummarySchema>

/** What is there now in the place of a lock of the plan. `same` ones are not listed. */
export const planChangeSchema = z.object({
  n: z.number(),
  /** `renewed`: the same holder, who has moved its end since. It would still be released. */
  now: z.enum(['renewed', 'changed', 'gone', 'unread']),
  owner: z.string().nullable(),
})
export type PlanChange = z.infer<typeof planChangeSchema>

export const planComparisonSchema = z.object({
  comparedAt: z.number(),
  same: z.number(),
  changes: z.array(planChangeSchema),
})
export type PlanComparison = z.infer<typeof planComparisonSchema>

export const planEventSchema = z.discriminatedUnion('type', [
  /** First, and whenever something of it changes but the results. */
  z.object({ type: z.literal('plan'), plan: planSummarySchema }),
  /** All of them, in pages, once. */
  z.object({ type: z.literal('entries'), entries: z.array(planEntrySchema) }),
  z.object({
    type: z.literal('results'),
    results: z.array(z.object({ n: z.number(), result: planResultSchema.nullable() })),
  }),
  /** Released ones that came back with the same token. */
  z.object({ type: z.literal('returned'), places: z.array(z.number()) }),
  /** A few times a second while it runs. */
  z.object({ type: z.literal('progress'), progress: planProgressSchema }),
])
export type PlanEvent = z.infer<typeof planEventSchema>

/** Locks a second when the operator names no rate: a server that is in trouble already should not notice. */
export const GENTLE: Record<StoreKind, number> = { redis: 500, mysql: 100, dynamodb: 25, memory: 500 }

/** Whether an exclusion takes the lock out of the plan. */
export function isExcluded(entry: PlanEntry, exclusions: readonly Exclusion[]): boolean {
  return exclusions.some(({ by, value }) => groupOf(entry, by) === value)
}

/** The group of a lock: the value an exclusion of that kind would name. */
export function groupOf(entry: PlanEntry, by: Exclusion['by']): string {
  switch (by) {
    case 'lock':
      return String(entry.n)
    case 'store':
      return String(entry.store)
    case 'holder':
      return entry.holder ?? entry.owner ?? ''
    case 'format':
      return entry.format
    case 'state':
      return entry.state
  }
}

/** What the operator types: the name of the store and how many of its locks are in the plan. */
export function confirmationOf(store: PlanStore, count: number): string {
  return `${store.name} ${count}`
}

export function noResults(): ResultCounts {
  return Object.fromEntries(RESULTS.map(name => [name, 0])) as ResultCounts
}

/** What a plan wanted: nothing is left of it in the store, or all of it is back. */
export function isAsWanted(result: PlanResult | null): boolean {
  return result?.is === 'released' || result?.is === 'gone' || result?.is === 'restored'
}

/** Whether applying the plan again would try it again. */
export function isOpen(result: PlanResult | null): boolean {
  return result === null || result.is === 'failed' || result.is === 'tried'
}

const planId = z.string().min(1).max(64)
const filePath = z.string().min(1).max(4096)
const rate = z.number().min(0.1).max(100_000)

export const planMethods = {
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
        .array(z.strictObject({ storeId, id: lockId, fence }))
        .max(100_000)
        .optional(),
      watchMs: z.number().int().min(0).max(MINUTE_MS).optional(),
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
    input: z.strictObject({
      planId,
      exclusions: z.array(exclusionSchema).max(100_000),
      excluded: z.boolean(),
    }),
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
} as const

export const planStreams = {
  'plans.watch': { input: z.strictObject({ planId }), event: planEventSchema },
  /** The file of a plan, in pieces. */
  'plans.file': { input: z.strictObject({ planId }), event: z.object({ text: z.string() }) },
} as const
