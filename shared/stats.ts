import { z } from 'zod'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './duration.ts'
import { storeId } from './locks.ts'
import type { Failure } from './result.ts'

/**
 * Statistics of watched stores. Times are by the clock of the watching machine, because one answer covers several stores.
 * Nothing is extrapolated: figures count observed events, and gaps are shown as gaps, not zeros.
 */

/** Each lock counts as exactly one of these. `endless` is held, without an expiry. */
export const COUNTED = ['held', 'expiring', 'expired', 'endless', 'unknown', 'released'] as const
export const countedSchema = z.enum(COUNTED)
export type Counted = z.infer<typeof countedSchema>

export const countsSchema = z.record(countedSchema, z.number())
export type Counts = z.infer<typeof countsSchema>

/** Observed changes. A lock that is acquired and released between two passes is not observed. */
export const flowsSchema = z.object({
  /** A lock that did not exist, or was free. */
  taken: z.number(),
  /** Another holder, with no free moment seen in between. */
  passedOn: z.number(),
  renewed: z.number(),
  /** Gone before its expiry. */
  freed: z.number(),
  /** Gone after its expiry. */
  lapsed: z.number(),
})
export type Flows = z.infer<typeof flowsSchema>

type Numbers = Record<string, number | null>

/** Adds by name. A number that is null in both stays null. */
export function addNumbers<T extends { readonly [K in keyof T]: number | null }>(a: T, b: T): T {
  const sum = { ...a } as Numbers
  for (const [name, n] of Object.entries(b as Numbers)) if (n !== null) sum[name] = (sum[name] ?? 0) + n
  return sum as T
}

export function scaleNumbers<T extends { readonly [K in keyof T]: number | null }>(
  numbers: T,
  by: number,
): T {
  const scaled = { ...numbers } as Numbers
  for (const [name, n] of Object.entries(scaled)) if (n !== null) scaled[name] = n * by
  return scaled as T
}

/** In the order of lists. */
export const FLOW_WORDS: Readonly<Record<keyof Flows, string>> = {
  taken: 'Acquired',
  freed: 'Released',
  lapsed: 'Ran out',
  renewed: 'Renewed',
  passedOn: 'Holder changes',
}
export const FLOW_NAMES = Object.keys(FLOW_WORDS) as readonly (keyof Flows)[]

/** A shorter time says nothing about a minute. */
export const RATED_MS = 10 * SECOND_MS

export function perMinute(flows: Flows, observedMs: number): Flows {
  return scaleNumbers(flows, MINUTE_MS / observedMs)
}

/** Per minute of each store's watched time; null if no store was watched for long enough. */
export function ratesOf(stores: readonly Pick<Figures, 'flows' | 'observedMs'>[]): Flows | null {
  const rated = stores.filter(({ observedMs }) => observedMs >= RATED_MS)
  if (rated.length === 0) return null
  return rated.map(({ flows, observedMs }) => perMinute(flows, observedMs)).reduce(addNumbers)
}

/** The cost of watching: commands, statements or requests, and DynamoDB capacity units. */
export const spentSchema = z.object({ requests: z.number(), units: z.number().nullable() })
export type Spent = z.infer<typeof spentSchema>

/** `counts[i]` is below `edges[i]`; the last count is the rest, and `unknown` could not be measured. */
export const histogramSchema = z.object({
  edges: z.array(z.number()),
  counts: z.array(z.number()),
  unknown: z.number(),
})
export type Histogram = z.infer<typeof histogramSchema>

/** The edges of all histograms, which are read side by side. */
export const TIME_EDGES = [
  ...[1, 5, 15].map(seconds => seconds * SECOND_MS),
  ...[1, 5, 15].map(minutes => minutes * MINUTE_MS),
  ...[1, 6, 24].map(hours => hours * HOUR_MS),
]

/** The largest groups, and the sum of the others. */
export const groupsSchema = z.object({
  top: z.array(z.object({ name: z.string(), count: z.number() })),
  others: z.object({ names: z.number(), count: z.number() }),
})
export type Groups = z.infer<typeof groupsSchema>

/** Only the largest groups by name; the rest are added to the others. */
export function topGroups({ top, others }: Groups, most: number): Groups {
  const rest = top.slice(most)
  const count = rest.reduce((sum, each) => sum + each.count, others.count)
  return { top: top.slice(0, most), others: { names: others.names + rest.length, count } }
}

export type LockBrief = {
  storeId: string
  /** Null if it is too long to be sent along. */
  id: string | null
  key: string
  holder: string
  since: number
  /** False for "at least since". */
  exact: boolean
}

export type Figures = {
  counts: Counts
  /** Held, expiring, endless or unknown. */
  active: number
  total: number
  byHolder: Groups
  byFormat: Groups
  /** The key without its last part (`pipeline_lock:acme1281`), often a tenant. */
  byPrefix: Groups
  /** The last part of the key (`gcp_billing_export`), often a pipeline or process. */
  byName: Groups
  /** The lock held longest now. */
  oldest: LockBrief | null
  /** The longest tenure that ended in the window. */
  longest: (LockBrief & { until: number }) | null
  /** Of the window, of which `observedMs` were watched. */
  flows: Flows
  observedMs: number
  /** The lengths of the tenures that ended in the window. */
  tenureTimes: Histogram
  /** The time left of the locks held now. */
  remaining: Histogram
}

export type StoreStats = Figures & {
  storeId: string
  name: string
  address: string
  kind: string
  /** `unwatched`: read once, for this answer. */
  status: 'live' | 'stale' | 'down' | 'unwatched'
  error: Failure | null
  /** The time of the counts; null if the store has never been read. */
  asOf: number | null
  /** The store's clock minus ours. */
  offsetMs: number | null
  /** The duration of one pass over the store. */
  scanMs: number | null
  scanned: number
  /** Since the store was opened. */
  spent: Spent
}

export type Stats = {
  at: number
  since: number
  stores: StoreStats[]
  /** A store that is not live counts as last read. */
  overall: Figures
  /** Why history cannot be written to disk at present; null if it can. */
  notice: string | null
}

/** A time in which a store was not watched. */
export const gapSchema = z.object({
  from: z.number(),
  /** Null while the gap lasts. */
  until: z.number().nullable(),
  /** `down`: it did not answer. `partial`: part of it could not be read. `away`: no console watched it. */
  why: z.enum(['down', 'partial', 'away']),
  message: z.string().nullable(),
})
export type Gap = z.infer<typeof gapSchema>

/** One step of a history: the state at its end, and the flows in it. */
export const pointSchema = z.object({ counts: countsSchema, flows: flowsSchema, spent: spentSchema })
export type Point = z.infer<typeof pointSchema>

/** `points` has null, and `gaps` the reason, where the store was not observed. */
export type Series = { storeId: string; name: string; address: string; points: (Point | null)[]; gaps: Gap[] }

/** `points[i]` of each series begins at `from + i * stepMs`. */
export type History = { from: number; stepMs: number; series: Series[] }

export const GROUP_BY = ['holder', 'format', 'prefix', 'name'] as const
export type GroupBy = (typeof GROUP_BY)[number]

/** How many locks of each group were held at the end of each step; null in a gap, or if the history was evicted. */
export type GroupHistory = {
  from: number
  stepMs: number
  groups: { name: string; points: (number | null)[] }[]
  others: (number | null)[]
}

/** Who held a lock, from when to when. */
export const lockTenureSchema = z.object({
  storeId: z.string(),
  id: z.string(),
  key: z.string(),
  format: z.string(),
  /** Null if it would be a secret; the same token has the same `ownerHash`. */
  holder: z.string().nullable(),
  ownerHash: z.string().nullable(),
  /** The holder without the single run, for groups. */
  group: z.string(),
  from: z.number(),
  /** `stored`: from record. `seen`: between two passes. `before`: held when watching began, or after a gap. */
  begin: z.enum(['stored', 'seen', 'before']),
  /** Null while it is held. For `unseen`, when it was last seen. */
  until: z.number().nullable(),
  /** `unseen`: gone after a gap. */
  end: z.enum(['held', 'freed', 'lapsed', 'passed-on', 'unseen']),
  renewals: z.number(),
})
export type LockTenure = z.infer<typeof lockTenureSchema>

export type Tenures = {
  /** Oldest first. */
  tenures: LockTenure[]
  gaps: Gap[]
  /** Earlier tenures that were evicted, or exceed the limit of the query. */
  left: number
}

/** A known key that the operator can choose. */
export type KeyChoice = { storeId: string; id: string; key: string; tenures: number; heldNow: boolean }

/** All open stores if missing. */
const storeIds = z.array(storeId).max(200).optional()
const time = z.number().min(0).max(8.64e15)
const historyQuery = z.strictObject({
  storeIds,
  from: time,
  to: time,
  points: z.number().int().min(1).max(2000),
})

export const statsMethods = {
  'stats.read': {
    effect: 'read',
    /** Flows are from `since` to `until`; counts are of now. */
    input: z.strictObject({ storeIds, since: time.optional(), until: time.optional() }),
    output: z.custom<Stats>(),
  },
  'stats.history': { effect: 'read', input: historyQuery, output: z.custom<History>() },
  'stats.groups': {
    effect: 'read',
    /** `top` is the number of groups counted by name. */
    input: historyQuery.extend({
      by: z.enum(GROUP_BY),
      top: z.number().int().min(1).max(20).optional(),
    }),
    output: z.custom<GroupHistory>(),
  },
  'stats.tenures': {
    effect: 'read',
    /** The newest tenures of a lock, or of all locks. */
    input: z.strictObject({
      storeIds,
      id: z.string().min(1).optional(),
      from: time,
      to: time,
      limit: z.number().int().min(1).max(10_000).optional(),
    }),
    output: z.custom<Tenures>(),
  },
  'stats.keys': {
    effect: 'read',
    /** The keys that contain a text. */
    input: z.strictObject({
      storeIds,
      text: z.string().max(500).optional(),
      limit: z.number().int().min(1).max(200).optional(),
    }),
    output: z.custom<KeyChoice[]>(),
  },
} as const
