import { z } from 'zod'
import { storeId, storeKindSchema } from './locks.ts'
import { failureSchema } from './result.ts'

/**
 * What was observed, in numbers. Times are epoch milliseconds by the clock of the machine that observed, because one report
 * speaks of several stores; where a store's own clock is elsewhere, its offset is told with it. Nothing is extrapolated: a
 * number counts what was seen, and a time in which nobody looked is a gap and not a zero.
 */

/** What a lock counts as: exactly one of these. `endless` is held, without an expiry. */
export const COUNTED = ['held', 'expiring', 'expired', 'endless', 'unknown', 'released'] as const
export const countedSchema = z.enum(COUNTED)
export type Counted = z.infer<typeof countedSchema>

export const countsSchema = z.object({
  held: z.number(),
  expiring: z.number(),
  expired: z.number(),
  endless: z.number(),
  unknown: z.number(),
  released: z.number(),
})
export type Counts = z.infer<typeof countsSchema>

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    held: a.held + b.held,
    expiring: a.expiring + b.expiring,
    expired: a.expired + b.expired,
    endless: a.endless + b.endless,
    unknown: a.unknown + b.unknown,
    released: a.released + b.released,
  }
}

/**
 * What was seen to happen. `taken`: a lock that was not there, or was free. `passedOn`: another holder, without a moment in
 * between that anybody saw. `freed`: gone before its end. `lapsed`: gone when its end had come. What is taken and freed
 * between two readings is seen by nobody.
 */
export const flowsSchema = z.object({
  taken: z.number(),
  passedOn: z.number(),
  renewed: z.number(),
  freed: z.number(),
  lapsed: z.number(),
})
export type Flows = z.infer<typeof flowsSchema>

export function addFlows(a: Flows, b: Flows): Flows {
  return {
    taken: a.taken + b.taken,
    passedOn: a.passedOn + b.passedOn,
    renewed: a.renewed + b.renewed,
    freed: a.freed + b.freed,
    lapsed: a.lapsed + b.lapsed,
  }
}

/** What watching cost the store: commands or statements or requests, and DynamoDB's capacity units. */
export const spentSchema = z.object({ requests: z.number(), units: z.number().nullable() })
export type Spent = z.infer<typeof spentSchema>

/** `counts[i]` is for what is below `edges[i]`; one more for the rest. `unknown` could not be measured. */
export const histogramSchema = z.object({
  edges: z.array(z.number()),
  counts: z.array(z.number()),
  unknown: z.number(),
})
export type Histogram = z.infer<typeof histogramSchema>

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** The same for how long locks were held and for how long they still have, so that both can be read side by side. */
export const TIME_EDGES = [
  SECOND,
  5 * SECOND,
  15 * SECOND,
  MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  HOUR,
  6 * HOUR,
  24 * HOUR,
] as const

/** The largest groups, and what all the others come to. */
export const groupsSchema = z.object({
  top: z.array(z.object({ name: z.string(), count: z.number() })),
  others: z.object({ names: z.number(), count: z.number() }),
})
export type Groups = z.infer<typeof groupsSchema>

/** A lock in one line. `exact` is false for "at least since". */
export const lockBriefSchema = z.object({
  storeId: z.string(),
  id: z.string(),
  key: z.string(),
  holder: z.string(),
  since: z.number(),
  exact: z.boolean(),
})
export type LockBrief = z.infer<typeof lockBriefSchema>

export const figuresSchema = z.object({
  counts: countsSchema,
  /** Held by somebody: held, expiring, endless or unknown. */
  active: z.number(),
  total: z.number(),
  byHolder: groupsSchema,
  byFormat: groupsSchema,
  /** The key without its last part (`pipeline_lock:acme1281`): the tenant, where keys have one. */
  byPrefix: groupsSchema,
  /** The last part of the key (`gcp_billing_export`): the pipeline or process, where keys have one. */
  byName: groupsSchema,
  /** Of what is held now, what has been held longest. */
  oldest: lockBriefSchema.nullable(),
  /** Of what ended in the window, what had been held longest. */
  longest: lockBriefSchema.extend({ until: z.number() }).nullable(),
  /** Seen to happen in the window, within `observedMs` of it. */
  flows: flowsSchema,
  observedMs: z.number(),
  /** How long what ended in the window had been held. */
  tenureTimes: histogramSchema,
  /** How long what is held now still has. */
  remaining: histogramSchema,
})
export type Figures = z.infer<typeof figuresSchema>

export const storeStatsSchema = figuresSchema.extend({
  storeId: z.string(),
  name: z.string(),
  address: z.string(),
  kind: storeKindSchema,
  /** `unwatched`: read once, for this answer. The counts of a store that is not live are as of `asOf`; null if never. */
  status: z.enum(['live', 'stale', 'down', 'unwatched']),
  error: failureSchema.nullable(),
  asOf: z.number().nullable(),
  offsetMs: z.number().nullable(),
  /** What one reading of the whole store takes. */
  scanMs: z.number().nullable(),
  scanned: z.number(),
  /** Since the store was opened. */
  spent: spentSchema,
})
export type StoreStats = z.infer<typeof storeStatsSchema>

export const statsSchema = z.object({
  at: z.number(),
  since: z.number(),
  stores: z.array(storeStatsSchema),
  /** All of them. A store that is not live is in it as it was last seen. */
  overall: figuresSchema,
  /** Why what is observed is not kept on disk at present; null when it is. */
  notice: z.string().nullable(),
})
export type Stats = z.infer<typeof statsSchema>

/** A time in which a store was not observed. `until` is null while it goes on. */
export const gapSchema = z.object({
  from: z.number(),
  until: z.number().nullable(),
  /** `down`: it did not answer. `partial`: a part of it could not be read. `away`: nobody looked. */
  why: z.enum(['down', 'partial', 'away']),
  message: z.string().nullable(),
})
export type Gap = z.infer<typeof gapSchema>

/** One step of a history: the state at its end, and what happened in it. Null in a gap. */
export const pointSchema = z.object({ counts: countsSchema, flows: flowsSchema, spent: spentSchema })
export type Point = z.infer<typeof pointSchema>

export const seriesSchema = z.object({
  storeId: z.string(),
  name: z.string(),
  address: z.string(),
  points: z.array(pointSchema.nullable()),
  gaps: z.array(gapSchema),
})
export type Series = z.infer<typeof seriesSchema>

/** `points[i]` of each series is from `from + i * stepMs` on. */
export const historySchema = z.object({
  from: z.number(),
  stepMs: z.number(),
  series: z.array(seriesSchema),
})
export type History = z.infer<typeof historySchema>

export const GROUP_BY = ['holder', 'format', 'prefix', 'name'] as const
export const groupBySchema = z.enum(GROUP_BY)
export type GroupBy = z.infer<typeof groupBySchema>

/** How many locks of each group were held at the end of each step; null where nobody looked, or it is kept no more. */
export const groupHistorySchema = z.object({
  from: z.number(),
  stepMs: z.number(),
  groups: z.array(z.object({ name: z.string(), points: z.array(z.number().nullable()) })),
  others: z.array(z.number().nullable()),
})
export type GroupHistory = z.infer<typeof groupHistorySchema>

/**
 * One holder of one lock, for as long as it was seen to be. `holder` says who, as far as that is no secret; the same token has
 * the same `ownerHash`.
 */
export const lockTenureSchema = z.object({
  storeId: z.string(),
  id: z.string(),
  key: z.string(),
  format: z.string(),
  holder: z.string().nullable(),
  ownerHash: z.string().nullable(),
  /** Who that is, without the single run: what statistics group by. */
  group: z.string(),
  from: z.number(),
  /** `stored`: the record says so. `seen`: between two readings. `before`: it was there when watching began, or after a gap. */
  begin: z.enum(['stored', 'seen', 'before']),
  /** Null while it is held. For `unseen`, the last time it was seen. */
  until: z.number().nullable(),
  /** `unseen`: it was gone after a time in which nobody looked. */
  end: z.enum(['held', 'freed', 'lapsed', 'passed-on', 'unseen']),
  renewals: z.number(),
})
export type LockTenure = z.infer<typeof lockTenureSchema>

export const tenuresSchema = z.object({
  /** Oldest first. */
  tenures: z.array(lockTenureSchema),
  gaps: z.array(gapSchema),
  /** Earlier ones that are kept no more, or that were more than asked for. */
  left: z.number(),
})
export type Tenures = z.infer<typeof tenuresSchema>

/** A key that was seen in the window, for whoever has to choose one. */
export const keyChoiceSchema = z.object({
  storeId: z.string(),
  id: z.string(),
  key: z.string(),
  tenures: z.number(),
  heldNow: z.boolean(),
})
export type KeyChoice = z.infer<typeof keyChoiceSchema>

const storeIds = z.array(storeId).max(200).optional()
const time = z.number().min(0).max(8.64e15)

/** What happened is told from `since` to `until`; what is there, as of now. */
export const statsQuerySchema = z.strictObject({ storeIds, since: time.optional(), until: time.optional() })
export const historyQuerySchema = z.strictObject({
  storeIds,
  from: time,
  to: time,
  points: z.number().int().min(1).max(2000),
})
export const groupsQuerySchema = historyQuerySchema.extend({
  by: groupBySchema,
  /** How many are told by name. */
  top: z.number().int().min(1).max(20).optional(),
})
export const tenuresQuerySchema = z.strictObject({
  storeIds,
  /** One lock; without it, all of them. */
  id: z.string().min(1).optional(),
  from: time,
  to: time,
  /** The newest so many. */
  limit: z.number().int().min(1).max(10_000).optional(),
})
export const keysQuerySchema = z.strictObject({
  storeIds,
  /** Has to occur in the key. */
  text: z.string().max(500).optional(),
  limit: z.number().int().min(1).max(200).optional(),
})
export type StatsQuery = z.infer<typeof statsQuerySchema>
export type HistoryQuery = z.infer<typeof historyQuerySchema>
export type GroupsQuery = z.infer<typeof groupsQuerySchema>
export type TenuresQuery = z.infer<typeof tenuresQuerySchema>
export type KeysQuery = z.infer<typeof keysQuerySchema>

export const statsMethods = {
  /** The numbers of now, and of what happened since. Without ids, of all stores that are open. */
  'stats.read': { effect: 'read', input: statsQuerySchema, output: statsSchema },
  'stats.history': { effect: 'read', input: historyQuerySchema, output: historySchema },
  /** The same over time, by who holds or by what the keys begin or end with. */
  'stats.groups': { effect: 'read', input: groupsQuerySchema, output: groupHistorySchema },
  /** Who held a lock, and when. */
  'stats.tenures': { effect: 'read', input: tenuresQuerySchema, output: tenuresSchema },
  'stats.keys': { effect: 'read', input: keysQuerySchema, output: z.array(keyChoiceSchema) },
} as const
