import { z } from 'zod'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts'
import { storeId, storeKindSchema } from './locks.ts'
import { failureSchema } from './result.ts'

/**
 * What was watched, in numbers. Times are epoch milliseconds by the clock of the machine that watched, because one answer covers
 * several stores; the offset of a store's own clock goes with it. Nothing is extrapolated: a number counts what was seen, and gaps are
 * shown as gaps, not zeros.
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
 * Changes that were seen. `taken`: a lock that was not there, or was free. `passedOn`: another holder, with no free moment seen in
 * between. `freed`: gone before its expiry. `lapsed`: gone after its expiry. What is taken and freed between two passes is not seen.
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

export function scaleFlows(flows: Flows, by: number): Flows {
  return {
    taken: flows.taken * by,
    passedOn: flows.passedOn * by,
    renewed: flows.renewed * by,
    freed: flows.freed * by,
    lapsed: flows.lapsed * by,
  }
}

/** What each flow is called, in the order of lists. */
export const FLOW_WORDS: Readonly<Record<keyof Flows, string>> = {
  taken: 'Acquired',
  freed: 'Released',
  lapsed: 'Ran out',
  renewed: 'Renewed',
  passedOn: 'Holder changes',
}
export const FLOW_NAMES = Object.keys(FLOW_WORDS) as readonly (keyof Flows)[]

/** A shorter time tells nothing about a minute. */
export const RATED_MS = 10 * SECOND_MS

export function perMinute(flows: Flows, observedMs: number): Flows {
  return scaleFlows(flows, MINUTE_MS / observedMs)
}

/** Per minute, each store by its own watched time. Null if no store was watched for long enough. */
export function ratesOf(stores: readonly Pick<Figures, 'flows' | 'observedMs'>[]): Flows | null {
  const rated = stores.filter(({ observedMs }) => observedMs >= RATED_MS)
  if (rated.length === 0) return null
  return rated.map(({ flows, observedMs }) => perMinute(flows, observedMs)).reduce(addFlows)
}

/** What watching cost the store: commands, statements or requests, and DynamoDB capacity units. */
export const spentSchema = z.object({ requests: z.number(), units: z.number().nullable() })
export type Spent = z.infer<typeof spentSchema>

/** `counts[i]` is below `edges[i]`, and the last count is the rest. `unknown` could not be measured. */
export const histogramSchema = z.object({
  edges: z.array(z.number()),
  counts: z.array(z.number()),
  unknown: z.number(),
})
export type Histogram = z.infer<typeof histogramSchema>

/** The same for tenures and for the time left, so that both can be read side by side. */
export const TIME_EDGES = [
  SECOND_MS,
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
] as const

/** The largest groups, and the sum of the others. */
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
  /** Held, expiring, endless or unknown. */
  active: z.number(),
  total: z.number(),
  byHolder: groupsSchema,
  byFormat: groupsSchema,
  /** The key without its last part (`pipeline_lock:acme1281`): the tenant, where keys have one. */
  byPrefix: groupsSchema,
  /** The last part of the key (`gcp_billing_export`): the pipeline or process, where keys have one. */
  byName: groupsSchema,
  /** The lock held longest now. */
  oldest: lockBriefSchema.nullable(),
  /** The longest tenure that ended in the window. */
  longest: lockBriefSchema.extend({ until: z.number() }).nullable(),
  /** Seen in the window, of which `observedMs` were watched. */
  flows: flowsSchema,
  observedMs: z.number(),
  /** The lengths of the tenures that ended in the window. */
  tenureTimes: histogramSchema,
  /** The time left of the locks held now. */
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
  /** How long one pass over the store takes. */
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
  /** All stores. A store that is not live counts as it was last read. */
  overall: figuresSchema,
  /** Why history cannot be written to disk at present; null if it can. */
  notice: z.string().nullable(),
})
export type Stats = z.infer<typeof statsSchema>

/** A time in which a store was not watched. `until` is null while it lasts. */
export const gapSchema = z.object({
  from: z.number(),
  until: z.number().nullable(),
  /** `down`: it did not answer. `partial`: part of it could not be read. `away`: no console watched it. */
  why: z.enum(['down', 'partial', 'away']),
  message: z.string().nullable(),
})
export type Gap = z.infer<typeof gapSchema>

/** One step of a history: the state at its end, and the flows in it. Null in a gap. */
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

/** `points[i]` of each series begins at `from + i * stepMs`. */
export const historySchema = z.object({
  from: z.number(),
  stepMs: z.number(),
  series: z.array(seriesSchema),
})
export type History = z.infer<typeof historySchema>

export const GROUP_BY = ['holder', 'format', 'prefix', 'name'] as const
export const groupBySchema = z.enum(GROUP_BY)
export type GroupBy = z.infer<typeof groupBySchema>

/** How many locks of each group were held at the end of each step; null in a gap, or if the history was evicted. */
export const groupHistorySchema = z.object({
  from: z.number(),
  stepMs: z.number(),
  groups: z.array(z.object({ name: z.string(), points: z.array(z.number().nullable()) })),
  others: z.array(z.number().nullable()),
})
export type GroupHistory = z.infer<typeof groupHistorySchema>

/**
 * Who held a lock, from when to when. `holder` is null if it would be a secret; the same token has the same `ownerHash`.
 */
export const lockTenureSchema = z.object({
  storeId: z.string(),
  id: z.string(),
  key: z.string(),
  format: z.string(),
  holder: z.string().nullable(),
  ownerHash: z.string().nullable(),
  /** The holder without the single run: what statistics group by. */
  group: z.string(),
  from: z.number(),
  /** `stored`: the record says it. `seen`: between two passes. `before`: held when watching began, or after a gap. */
  begin: z.enum(['stored', 'seen', 'before']),
  /** Null while it is held. For `unseen`, when it was last seen. */
  until: z.number().nullable(),
  /** `unseen`: gone after a gap. */
  end: z.enum(['held', 'freed', 'lapsed', 'passed-on', 'unseen']),
  renewals: z.number(),
})
export type LockTenure = z.infer<typeof lockTenureSchema>

export const tenuresSchema = z.object({
  /** Oldest first. */
  tenures: z.array(lockTenureSchema),
  gaps: z.array(gapSchema),
  /** Earlier tenures that were evicted, or exceed the limit of the query. */
  left: z.number(),
})
export type Tenures = z.infer<typeof tenuresSchema>

/** A known key, for a form in which the operator chooses one. */
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

/** Flows are from `since` to `until`; counts are of now. */
export const statsQuerySchema = z.strictObject({ storeIds, since: time.optional(), until: time.optional() })
export const historyQuerySchema = z.strictObject({
  storeIds,
  from: time,
  to: time,
  points: z.number().int().min(1).max(2000),
})
export const groupsQuerySchema = historyQuerySchema.extend({
  by: groupBySchema,
  /** The number of groups counted by name. */
  top: z.number().int().min(1).max(20).optional(),
})
export const tenuresQuerySchema = z.strictObject({
  storeIds,
  /** One lock; all locks if missing. */
  id: z.string().min(1).optional(),
  from: time,
  to: time,
  /** The newest tenures. */
  limit: z.number().int().min(1).max(10_000).optional(),
})
export const keysQuerySchema = z.strictObject({
  storeIds,
  /** A part of the key. */
  text: z.string().max(500).optional(),
  limit: z.number().int().min(1).max(200).optional(),
})
export type StatsQuery = z.infer<typeof statsQuerySchema>
export type HistoryQuery = z.infer<typeof historyQuerySchema>
export type GroupsQuery = z.infer<typeof groupsQuerySchema>
export type TenuresQuery = z.infer<typeof tenuresQuerySchema>
export type KeysQuery = z.infer<typeof keysQuerySchema>

export const statsMethods = {
  /** The numbers of now and of a window; of all open stores if none is named. */
  'stats.read': { effect: 'read', input: statsQuerySchema, output: statsSchema },
  'stats.history': { effect: 'read', input: historyQuerySchema, output: historySchema },
  /** The same over time, by holder, format, or part of the key. */
  'stats.groups': { effect: 'read', input: groupsQuerySchema, output: groupHistorySchema },
  /** Who held a lock, and when. */
  'stats.tenures': { effect: 'read', input: tenuresQuerySchema, output: tenuresSchema },
  'stats.keys': { effect: 'read', input: keysQuerySchema, output: z.array(keyChoiceSchema) },
} as const
