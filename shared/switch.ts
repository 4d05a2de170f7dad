import { z } from 'zod'
import { HOUR_MS } from './duration.ts'
import { storeId, storeKindSchema } from './locks.ts'
import type { PlanSummary } from './plans.ts'
import { failureSchema } from './result.ts'

/**
 * A switch from one lock provider to another, step by step. Polling both stores turns the check of each step; passing a step
 * without its check takes a reason, which is recorded.
 */
export const SWITCH_STEPS = ['understand', 'stop', 'drain', 'change', 'clean', 'restart', 'verify'] as const
export const MOST_STRAYS = 500

const switchStepSchema = z.enum(SWITCH_STEPS)
export type SwitchStep = z.infer<typeof switchStepSchema>

const sideSchema = z.object({
  /** Null while the store is not open here. */
  storeId: z.string().nullable(),
  storeName: z.string(),
  address: z.string(),
  kind: storeKindSchema,
})
export type Side = z.infer<typeof sideSchema>

/** One name with two holders at once, one in each store. */
const overlapSchema = z.object({
  name: z.string(),
  fromKey: z.string(),
  fromHolder: z.string().nullable(),
  toKey: z.string(),
  toHolder: z.string().nullable(),
  since: z.number(),
  /** Null while it lasts. */
  until: z.number().nullable(),
})
export type Overlap = z.infer<typeof overlapSchema>

const passedStepSchema = z.object({
  step: switchStepSchema,
  at: z.number(),
  by: z.string(),
  /** Whether its check was met. */
  checked: z.boolean(),
  reason: z.string().nullable(),
  fromHeld: z.number().nullable(),
  toHeld: z.number().nullable(),
  /** The quiet time at that moment; missing in files of earlier versions. */
  quietMs: z.number().optional(),
})
export type PassedStep = z.infer<typeof passedStepSchema>

/** A change of a settings file. `copy` is the path of its previous version. */
const envChangeSchema = z.object({
  file: z.string(),
  copy: z.string(),
  before: z.string().nullable(),
  after: z.string(),
  at: z.number(),
  by: z.string(),
})

/** A switch as it is kept in its file. Times are by the clock of this machine. */
export const switchRunSchema = z.object({
  switchId: z.string(),
  from: sideSchema,
  to: sideSchema,
  begunAt: z.number(),
  by: z.string(),
  step: switchStepSchema,
  /** In order; a step that was passed again is listed again. */
  passed: z.array(passedStepSchema),
  /** In order; missing in files of earlier versions. */
  wentBack: z.array(z.object({ step: switchStepSchema, at: z.number(), by: z.string() })).default([]),
  /** The workers count as stopped after this long without an acquisition or renewal in the old store. */
  quietMs: z.number(),
  /** The settings file to read; null if the operator changes it elsewhere. */
  envFile: z.string().nullable(),
  envChanges: z.array(envChangeSchema),
  planIds: z.array(z.string()),
  /** Locks acquired in the old store after its workers counted as stopped. */
  strays: z.array(z.object({ key: z.string(), holder: z.string().nullable(), at: z.number() })),
  splits: z.array(overlapSchema),
  /** How many of each, older than those listed, an answer leaves out. Missing in the file, which has all. */
  unlisted: z.object({ strays: z.number(), splits: z.number() }).optional(),
  /** When a lock was first acquired or renewed in the new store after the restart. */
  firstArrivalInNewAt: z.number().nullable(),
  ended: z
    .object({
      at: z.number(),
      by: z.string(),
      how: z.enum(['finished', 'abandoned']),
      reason: z.string().nullable(),
    })
    .nullable(),
})
export type SwitchRun = z.infer<typeof switchRunSchema>

/** The current state of one store. Numbers are null while unknown. */
const sideNowSchema = z.object({
  status: z.enum(['live', 'stale', 'down', 'closed']),
  error: failureSchema.nullable(),
  server: z.string().nullable(),
  offsetMs: z.number().nullable(),
  /** The median round trip of the last samples. */
  latencyMs: z.number().nullable(),
  latencySamples: z.number(),
  /** Whether the first measurement has ended, even if the store did not answer: an unknown server or latency stays unknown for now. */
  isMeasured: z.boolean(),
  held: z.number().nullable(),
  /** The maintenance holds among the held locks: no worker has them. */
  holds: z.number().nullable(),
  expired: z.number().nullable(),
  noExpiry: z.number().nullable(),
  unrecognised: z.number().nullable(),
  /** Over the last ten minutes, or since polling started. */
  acquiredPerMinute: z.number().nullable(),
  /** Of locks that were seen being acquired and released. */
  medianHoldMs: z.number().nullable(),
})
export type SideNow = z.infer<typeof sideNowSchema>

/** An acquisition or renewal in the old store, by a worker that has not stopped. */
const arrivalSchema = z.object({
  key: z.string(),
  holder: z.string().nullable(),
  what: z.enum(['acquired', 'renewed']),
  at: z.number(),
})
export type Arrival = z.infer<typeof arrivalSchema>

/** A lock that is still held in the old store. */
const remainingSchema = z.object({
  lockId: z.string(),
  key: z.string(),
  holder: z.string().nullable(),
  /** Null if it does not end. */
  endsAt: z.number().nullable(),
  heldSince: z.number().nullable(),
  renewals: z.number(),
  why: z.enum(['ends', 'renewed', 'never-ends', 'far-away', 'hold']),
})
export type Remaining = z.infer<typeof remainingSchema>

const checkSchema = z.object({
  /** `unknown` if a store cannot be read. */
  is: z.enum(['met', 'not-yet', 'unknown']),
  since: z.number(),
})
export type Check = z.infer<typeof checkSchema>

const switchNowSchema = z.object({
  at: z.number(),
  from: sideNowSchema,
  to: sideNowSchema,
  /** The last acquisition or renewal that was seen in the old store. */
  lastArrivalAt: z.number().nullable(),
  /** Start of watching the old store without a gap. */
  watchedSince: z.number().nullable(),
  /** The newest 50, newest first. */
  arrivals: z.array(arrivalSchema),
  /** At most 200 of `from.held`; those that will not end by themselves first. */
  remaining: z.array(remainingSchema),
  /** The value of LOCK_PROVIDER in the file, or the problem with the file. */
  env: z.object({ value: z.string().nullable(), problem: z.string().nullable() }).nullable(),
  /** Names held in both stores now. */
  splits: z.array(overlapSchema),
  /** Further ones, which are too much for one answer. */
  unlistedSplits: z.number(),
  firstArrivalInNewAt: z.number().nullable(),
  checks: z.record(switchStepSchema, checkSchema),
})
export type SwitchNow = z.infer<typeof switchNowSchema>

/** A change of a settings file. Only the lines that change are included: the others may be secrets. */
const envPreviewSchema = z.object({
  file: z.string(),
  /** Of the text that was read: a change with this digest changes no other text. */
  digest: z.string(),
  value: z.string().nullable(),
  wanted: z.string(),
  lines: z.array(
    z.object({ line: z.number().int().positive(), before: z.string().nullable(), after: z.string() }),
  ),
  /** The path of the copy. */
  copy: z.string(),
})
export type EnvPreview = z.infer<typeof envPreviewSchema>

const switchId = z.string().min(1).max(64)
const file = z.string().min(1).max(4096)
const reason = z.string().trim().min(1).max(2000)

/** A method that changes a switch and answers with it. */
function changes<S extends z.ZodRawShape>(shape: S) {
  return { effect: 'settings', input: z.strictObject(shape), output: switchRunSchema } as const
}

export const switchMethods = {
  'switch.list': { effect: 'read', input: z.strictObject({}), output: z.array(switchRunSchema) },
  /** Continues the open switch between the two stores, if any. */
  'switch.begin': changes({
    fromStoreId: storeId,
    toStoreId: storeId,
    quietMs: z.number().int().min(1000).max(HOUR_MS).optional(),
  }),
  /** Refused without a reason while the check is not met. Passing the last step ends the switch. */
  'switch.pass': changes({
    switchId,
    step: switchStepSchema,
    reason: z.string().trim().max(2000).optional(),
  }),
  'switch.back': changes({ switchId, step: switchStepSchema }),
  'switch.abandon': changes({ switchId, reason }),
  /** Sets or clears the settings file, and shows what would change in it. */
  'switch.envPreview': {
    effect: 'settings',
    input: z.strictObject({ switchId, file: file.nullable() }),
    output: envPreviewSchema.nullable(),
  },
  /** Keeps a copy, then changes the line. Refused if the file has changed since the preview. */
  'switch.envChange': changes({ switchId, file, digest: z.string().min(1).max(200) }),
  /** Makes a plan that releases the remaining locks of the old store. */
  'switch.plan': { effect: 'settings', input: z.strictObject({ switchId }), output: z.custom<PlanSummary>() },
} as const

export const switchStreams = {
  'switch.watch': {
    input: z.strictObject({ switchId }),
    event: z.object({ run: switchRunSchema, now: switchNowSchema }),
  },
  /** The report, of an open switch too, in pieces. */
  'switch.report': {
    input: z.strictObject({ switchId, as: z.enum(['md', 'html', 'json']) }),
    event: z.object({ text: z.string() }),
  },
} as const
