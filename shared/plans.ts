import { z } from 'zod'
import { isAddress } from './address.ts'
import { MINUTE_MS } from './duration.ts'
import { fence, lockId, lockStateSchema, storeId, storeKindSchema } from './locks.ts'
import { type Failure, failureSchema } from './result.ts'

/**
 * A plan: a frozen set of locks with their fences, to be released (or restored) exactly as they were seen, later or by
 * another operator. It is an append-only file: the locks first, then a journal of exclusions, attempts and results.
 */

export const planStoreSchema = z.object({
  /** In a plan file, as the host that made the plan calls it. In a summary, as it is called here: the operator types it to confirm. */
  name: z.string(),
  /** Without the password. */
  address: z.string().refine(isAddress, 'not the address of a store'),
  kind: storeKindSchema,
  production: z.boolean(),
  /** Parts of the store that could not be read; their locks are not in the plan. */
  unread: z.array(z.string()),
})
export type PlanStore = z.infer<typeof planStoreSchema> & {
  /** In a summary: the other production stores here that share its locks. Their names confirm it, too. */
  readonly otherNames?: readonly string[]
}

/** A lock as it was when the plan was made. Times are the store's. */
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
  /** Null when it never expires or its expiry is unknown. */
  endsAt: z.number().nullable(),
  /** Since when this owner is known to hold it; null when unknown. */
  heldSince: z.number().nullable(),
  observedAt: z.number(),
  /** Renewals by its owner that were observed. */
  renewals: z.number(),
  /** All holders write the same value: a new holder differs by its deadline, or not at all. */
  alike: z.boolean(),
  fence: z.string(),
})
export type PlanEntry = z.infer<typeof planEntrySchema>

/** Leaves out one lock (by `n`), or every lock of a store (by its place), holder, format or state. */
export const exclusionSchema = z.object({
  by: z.enum(['lock', 'store', 'holder', 'format', 'state']),
  /** Empty for locks without a recorded holder. */
  value: z.string(),
})
export type Exclusion = z.infer<typeof exclusionSchema>

/** Names files in the data folder, and a plan file comes from anywhere. */
const planId = z.string().regex(/^[\w-]{1,64}$/, 'not the id of a plan')

export const planHeaderSchema = z.object({
  planId,
  kind: z.enum(['release', 'restore']),
  createdAt: z.number(),
  createdBy: z.object({ user: z.string(), host: z.string() }),
  /** As the operator typed it; empty for a selection or everything. */
  filter: z.string(),
  /** For how long the stores had been watched: earlier renewals are unknown. */
  watchedMs: z.number(),
  stores: z.array(planStoreSchema),
  count: z.number().int().min(0),
  /** Requested locks that had changed, or cannot be restored, when the plan was made. They are not in it. */
  left: z.number().int().min(0),
  /** The plan or single release that this plan undoes. */
  undoes: planId.nullable(),
})
export type PlanHeader = z.infer<typeof planHeaderSchema>

/**
 * The result for one lock. `gone` with `perhapsOurs` may be an earlier attempt of ours whose answer was lost. `failed` with
 * `uncertain` may have happened. `tried` is an attempt with unknown outcome: the process died during it. A lock without a
 * result was not attempted.
 */
export const planResultSchema = z.discriminatedUnion('is', [
  z.object({ is: z.literal('released'), at: z.number() }),
  z.object({ is: z.literal('restored'), at: z.number() }),
  z.object({ is: z.literal('changed'), at: z.number(), owner: z.string().nullable() }),
  /** Another holder has the name now. */
  z.object({ is: z.literal('taken'), at: z.number(), owner: z.string().nullable() }),
  z.object({ is: z.literal('gone'), at: z.number(), perhapsOurs: z.boolean() }),
  /** Its lease would have ended by now. */
  z.object({ is: z.literal('ended'), at: z.number() }),
  z.object({ is: z.literal('failed'), at: z.number(), error: failureSchema }),
  z.object({ is: z.literal('tried'), at: z.number() }),
])
export type PlanResult = z.infer<typeof planResultSchema>

/** In the order of a report. */
export const RESULTS = [...planResultSchema.options.map(({ shape }) => shape.is.value), 'pending'] as const
export type ResultName = (typeof RESULTS)[number]
export type ResultCounts = Record<ResultName, number>

/**
 * `ready` was never applied; `stopped` was, and has locks left; `stopping` waits for requests in flight; `checking` reads
 * the released locks again.
 */
export type PlanStatus = 'ready' | 'running' | 'paused' | 'stopping' | 'checking' | 'stopped' | 'done'

export type PlanProgress = {
  state: PlanStatus
  /** Without the excluded locks. */
  total: number
  counts: ResultCounts
  /** Released locks that their previous holder re-acquired with the same token. Null before the check. */
  returned: number | null
  /** Locks per second: measured, and as requested. */
  perSecond: number | null
  rate: number | null
  leftMs: number | null
  startedAt: number | null
  endedAt: number | null
  reason: string | null
  /** Stores that block the run, and why. */
  troubles: { store: number; error: Failure; retryInMs: number | null }[]
}

export type PlanSummary = Omit<PlanHeader, 'stores'> & {
  stores: PlanStore[]
  /** The path of its file. */
  file: string
  /** The name that the installation that made it is trusted by; null for this one. */
  maker: string | null
  /** The first digits of a digest of the locks that it would act on: the same locks as they were seen have the same code. */
  code: string
  /** Single locks are one exclusion, their places as ranges: `0,2,5-9`. */
  exclusions: Exclusion[]
  /** Further ones, which are too much for one answer: its stream has them. */
  exclusionsLeft: number
  progress: PlanProgress
  /** Until when what it released can be restored, by the local clock. Null when nothing can. */
  undoUntil: number | null
}

/** A file among the plans of the data folder that is not used, by its name. */
export type RefusedPlan = { planId: string; reason: string }

/** How a lock of the plan differs in the store now. Unchanged locks are not listed. */
export type PlanChange = {
  n: number
  /** `renewed`: the same holder has extended it. It would still be released. */
  now: 'renewed' | 'changed' | 'gone' | 'unread'
  owner: string | null
}

export type PlanComparison = { comparedAt: number; same: number; changes: PlanChange[] }

/** The changes in pages, and then when all locks were read. */
export type ComparisonEvent =
  | { type: 'changes'; changes: PlanChange[] }
  | ({ type: 'compared' } & Omit<PlanComparison, 'changes'>)

export type PlanEvent =
  /** First, and whenever anything but the results changes. */
  | { type: 'plan'; plan: PlanSummary }
  /** Those that the plan just sent leaves out, in pages. */
  | { type: 'exclusions'; exclusions: Exclusion[] }
  /** Every lock, in pages, once. */
  | { type: 'entries'; entries: PlanEntry[] }
  | { type: 'results'; results: { n: number; result: PlanResult | null }[] }
  /** Released locks that were re-acquired with the same token. */
  | { type: 'returned'; places: number[] }
  /** A few times per second during a run. */
  | { type: 'progress'; progress: PlanProgress }

const GROUP: Readonly<Record<Exclusion['by'], (entry: PlanEntry) => string>> = {
  lock: ({ n }) => String(n),
  store: ({ store }) => String(store),
  holder: ({ holder, owner }) => holder ?? owner ?? '',
  format: ({ format }) => format,
  state: ({ state }) => state,
}

/** The group of a lock: the value an exclusion of that kind would name. */
export function groupOf(entry: PlanEntry, by: Exclusion['by']): string {
  return GROUP[by](entry)
}

/** What the operator types: the name of the store, the number of its locks in the plan, and the code of the plan. */
export function confirmationOf(
  { code }: Pick<PlanSummary, 'code'>,
  { name }: Pick<PlanStore, 'name'>,
  count: number,
): string {
  return `${name} ${count}-${code}`
}

/** The confirmations of a plan, given how many locks each of its stores has in it. */
export function confirmationsOf(
  plan: Pick<PlanSummary, 'stores' | 'code'>,
  counts: readonly number[],
): string[] {
  return missingConfirmations(plan, counts, [])
}

/** Those of the stores that were confirmed by none of their names. */
export function missingConfirmations(
  plan: Pick<PlanSummary, 'stores' | 'code'>,
  counts: readonly number[],
  confirm: readonly string[],
): string[] {
  const typed = confirm.map(typedConfirmation)
  return plan.stores.flatMap((store, i) => {
    const count = counts[i] ?? 0
    const all = count > 0 ? namesOf(store).map(name => confirmationOf(plan, { name }, count)) : []
    return all.some(each => typed.includes(each)) ? [] : all.slice(0, 1)
  })
}

/** The names that confirm a store, the preferred one first. */
export function namesOf({ name, otherNames = [] }: PlanStore): string[] {
  return [name, ...otherNames]
}

/** A confirmation as it was typed, with the code in the case of `confirmationOf`. */
export function typedConfirmation(text: string): string {
  return text.trim().replace(/-[0-9a-f]{6}$/i, code => code.toLowerCase())
}

export function noResults(): ResultCounts {
  return Object.fromEntries(RESULTS.map(name => [name, 0])) as ResultCounts
}

/** Whether the plan reached its goal for this lock: it is gone from the store, or restored. */
export function isAsWanted(result: PlanResult | null): boolean {
  return result?.is === 'released' || result?.is === 'gone' || result?.is === 'restored'
}

/** Whether the change may or may not have happened. */
export function isUncertain(result: PlanResult | null | undefined): boolean {
  switch (result?.is) {
    case 'tried':
      return true
    case 'failed':
      return result.error.uncertain === true
    case 'gone':
      return result.perhapsOurs
    default:
      return false
  }
}

/** Whether applying the plan again would try it again. */
export function isOpen(result: PlanResult | null): boolean {
  return result === null || result.is === 'failed' || result.is === 'tried'
}

/** The number of locks that applying the plan would attempt. */
export function attemptsLeft({ counts }: Pick<PlanProgress, 'counts'>): number {
  return counts.pending + counts.failed + counts.tried
}

const filePath = z.string().min(1).max(4096)
/** Locks per second and store. */
export const rateSchema = z.number().min(0.1).max(100_000)

/** A method that writes to no store and answers with the plan. */
function preparesPlan<S extends z.ZodRawShape>(shape: S) {
  return { effect: 'read', input: z.strictObject(shape), output: z.custom<PlanSummary>() } as const
}

export const planMethods = {
  /**
   * Freezes the locks that match a filter, or exactly the picked ones. Changes no store. A host that has not been watching
   * reads the locks twice, `watchMs` apart, to see which are renewed.
   */
  'plans.create': preparesPlan({
    storeIds: z.array(storeId).min(1).max(200),
    filter: z.string().max(2000).optional(),
    picks: z
      .array(z.strictObject({ storeId, id: lockId, fence }))
      .max(100_000)
      .optional(),
    watchMs: z.number().int().min(0).max(MINUTE_MS).optional(),
    /** The path of the plan file. Only for a host whose operator may name files. */
    file: filePath.optional(),
  }),
  /** Opens a plan outside the data folder. Only for a host whose operator may name files. */
  'plans.open': preparesPlan({
    file: filePath,
    /** Also a file that other users own or can write: its signature is checked all the same. */
    acceptFile: z.boolean().optional(),
  }),
  /** The plans of the data folder, newest first, without what they exclude: as many as fit into one answer. */
  'plans.list': { effect: 'read', input: z.strictObject({}), output: z.custom<PlanSummary[]>() },
  /** The files among them that are not used: changed, of an earlier version, or not trusted. */
  'plans.refused': { effect: 'read', input: z.strictObject({}), output: z.custom<RefusedPlan[]>() },
  /** Copies a plan into the data folder, by the text of its file. */
  'plans.import': preparesPlan({ text: z.string().max(200_000_000) }),
  /** Deletes a plan that is not running, or a file that is not used. */
  'plans.remove': { effect: 'read', input: z.strictObject({ planId }), output: z.null() },
  /** Excludes locks from the plan or includes them again, until it is applied. */
  'plans.exclude': preparesPlan({
    planId,
    exclusions: z.array(exclusionSchema).max(100_000),
    excluded: z.boolean(),
  }),
  /** Starts the run, or resumes with the locks left. Answers once it has started; plans.watch has the rest. */
  'plans.apply': {
    effect: 'write',
    input: z.strictObject({
      planId,
      /** The confirmationOf each store of the plan, typed by the operator. */
      confirm: z.array(z.string().max(300)).max(200),
      reason: z.string().max(2000),
      rate: rateSchema.optional(),
    }),
    output: z.custom<PlanSummary>(),
  },
  /** `stop` waits for requests in flight and attempts no further lock. */
  'plans.steer': preparesPlan({
    planId,
    to: z.enum(['pause', 'resume', 'stop']).optional(),
    rate: rateSchema.optional(),
  }),
  /** Makes a plan that restores what a plan or a single release released, as far as possible. */
  'plans.undo': preparesPlan({ of: z.string().min(1).max(64), file: filePath.optional() }),
} as const

export const planStreams = {
  'plans.watch': { input: z.strictObject({ planId }), event: z.custom<PlanEvent>() },
  /** Reads the locks of the plan again and compares them. */
  'plans.compare': { input: z.strictObject({ planId }), event: z.custom<ComparisonEvent>() },
  /** The file of a plan, in chunks. */
  'plans.file': { input: z.strictObject({ planId }), event: z.custom<{ text: string }>() },
} as const
