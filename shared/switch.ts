import { z } from 'zod'
import { HOUR_MS } from './duration.ts'
import { storeId, storeKindSchema } from './locks.ts'
import { planSummarySchema } from './plans.ts'
import { failureSchema } from './result.ts'

/**
 * A switch from one lock provider to another, step by step. Every step has a check that is made all the time by looking at both
 * stores, so that it turns by itself; a step that is passed without its check is on record with a reason. Words are in
 * switch-words.ts.
 */
export const SWITCH_STEPS = ['understand', 'stop', 'drain', 'change', 'clean', 'restart', 'verify'] as const
/** Beyond these, what arrives where nothing should is not kept one by one. */
export const MOST_STRAYS = 500

export const switchStepSchema = z.enum(SWITCH_STEPS)
export type SwitchStep = z.infer<typeof switchStepSchema>

export const sideSchema = z.object({
  /** Null when the store is not open here at present. */
  storeId: z.string().nullable(),
  storeName: z.string(),
  address: z.string(),
  kind: storeKindSchema,
})
export type Side = z.infer<typeof sideSchema>

/** One name that two holders had at once, one in each store. */
export const splitSchema = z.object({
  name: z.string(),
  fromKey: z.string(),
  fromHolder: z.string().nullable(),
  toKey: z.string(),
  toHolder: z.string().nullable(),
  since: z.number(),
  /** Null while it goes on. */
  until: z.number().nullable(),
})
export type Split = z.infer<typeof splitSchema>

export const passedStepSchema = z.object({
  step: switchStepSchema,
  at: z.number(),
  by: z.string(),
  /** Whether its check said that it was done. */
  checked: z.boolean(),
  /** Why it was passed without, or what else was said. */
  reason: z.string().nullable(),
  /** What was so then. */
  fromHeld: z.number().nullable(),
  toHeld: z.number().nullable(),
  /** What counted as quiet then. Files that were written before this was kept say nothing of it. */
  quietMs: z.number().optional(),
})
export type PassedStep = z.infer<typeof passedStepSchema>

/** What was done to a file of settings. `copy` is where it is as it was. */
export const envChangeSchema = z.object({
  file: z.string(),
  copy: z.string(),
  before: z.string().nullable(),
  after: z.string(),
  at: z.number(),
  by: z.string(),
})
export type EnvChange = z.infer<typeof envChangeSchema>

/** What is kept of a switch, so that it goes on after a restart. Times are by the clock of this machine. */
export const switchRunSchema = z.object({
  switchId: z.string(),
  from: sideSchema,
  to: sideSchema,
  begunAt: z.number(),
  by: z.string(),
  step: switchStepSchema,
  /** Every time that a step was passed, in order; one that was gone back to is there twice. */
  passed: z.array(passedStepSchema),
  /** Every time that a step was gone back to, in order. Files that were written before this was kept say nothing of it. */
  wentBack: z.array(z.object({ step: switchStepSchema, at: z.number(), by: z.string() })).default([]),
  /** For how long nothing may happen in the old store before the workers count as stopped. */
  quietMs: z.number(),
  /** The file that is looked at; null when the operator changes it elsewhere. */
  envFile: z.string().nullable(),
  envChanges: z.array(envChangeSchema),
  planIds: z.array(z.string()),
  /** What was acquired in the old store after its workers counted as stopped. */
  strays: z.array(z.object({ key: z.string(), holder: z.string().nullable(), at: z.number() })),
  splits: z.array(splitSchema),
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

/** One store as it is now. Numbers are null while nothing is known. */
export const sideNowSchema = z.object({
  status: z.enum(['live', 'stale', 'down', 'closed']),
  error: failureSchema.nullable(),
  server: z.string().nullable(),
  offsetMs: z.number().nullable(),
  /** One question and its answer: the middle of the last few times, and how many these are. */
  latencyMs: z.number().nullable(),
  latencySamples: z.number(),
  held: z.number().nullable(),
  /** Of those that are held, the maintenance holds of operators: no worker has them. */
  holds: z.number().nullable(),
  expired: z.number().nullable(),
  noExpiry: z.number().nullable(),
  unrecognised: z.number().nullable(),
  /** What was seen to be taken within the last ten minutes, or since when it is looked at. */
  acquiredPerMinute: z.number().nullable(),
  /** Of those that were seen from when they were taken to when they were given back. */
  medianHoldMs: z.number().nullable(),
})
export type SideNow = z.infer<typeof sideNowSchema>

/** Something that a worker did in the old store though it should have stopped. */
export const arrivalSchema = z.object({
  key: z.string(),
  holder: z.string().nullable(),
  what: z.enum(['acquired', 'renewed']),
  at: z.number(),
})
export type Arrival = z.infer<typeof arrivalSchema>

/** Why a lock is still there: it will end by itself, its holder keeps extending it, nothing will ever end it, or an operator holds it. */
export const remainingSchema = z.object({
  lockId: z.string(),
  key: z.string(),
  holder: z.string().nullable(),
  /** By the clock of this machine; null when it does not end. */
  endsAt: z.number().nullable(),
  heldSince: z.number().nullable(),
  renewals: z.number(),
  why: z.enum(['ends', 'renewed', 'never-ends', 'far-away', 'hold']),
})
export type Remaining = z.infer<typeof remainingSchema>

export const checkSchema = z.object({
  /** `unknown`: a store cannot be read. */
  is: z.enum(['met', 'not-yet', 'unknown']),
  /** Since when it is so. */
  since: z.number(),
})
export type Check = z.infer<typeof checkSchema>

export const switchNowSchema = z.object({
  at: z.number(),
  from: sideNowSchema,
  to: sideNowSchema,
  /** When a worker last did something in the old store, as far as it was watched; null for never. */
  lastArrivalAt: z.number().nullable(),
  /** Since when the old store is watched without a gap. */
  watchedSince: z.number().nullable(),
  /** The newest first; the newest 50. */
  arrivals: z.array(arrivalSchema),
  /** Those that will not end by themselves first; at most 200 of `from.held`. */
  remaining: z.array(remainingSchema),
  /** What the file says now: the value of LOCK_PROVIDER, or what is wrong with the file. */
  env: z.object({ value: z.string().nullable(), problem: z.string().nullable() }).nullable(),
  /** Held in both now. */
  splits: z.array(splitSchema),
  /** When something was first seen to be acquired in the new store since the restart; null for not yet. */
  firstArrivalInNewAt: z.number().nullable(),
  checks: z.record(switchStepSchema, checkSchema),
})
export type SwitchNow = z.infer<typeof switchNowSchema>

/** What would become of a file of settings. Only the lines that change are told: the others may be secrets. */
export const envPreviewSchema = z.object({
  file: z.string(),
  /** Stands for exactly what was read. A change that carries it changes this text and no other. */
  digest: z.string(),
  value: z.string().nullable(),
  wanted: z.string(),
  lines: z.array(
    z.object({ line: z.number().int().positive(), before: z.string().nullable(), after: z.string() }),
  ),
  /** Where the copy would be. */
  copy: z.string(),
})
export type EnvPreview = z.infer<typeof envPreviewSchema>

const switchId = z.string().min(1).max(64)
const file = z.string().min(1).max(4096)
const reason = z.string().min(1).max(2000)

export const switchMethods = {
  'switch.list': { effect: 'read', input: z.strictObject({}), output: z.array(switchRunSchema) },
  /** Goes on with the one that is under way between the two, if there is one. */
  'switch.begin': {
    effect: 'settings',
    input: z.strictObject({
      fromStoreId: storeId,
      toStoreId: storeId,
      quietMs: z.number().int().min(1000).max(HOUR_MS).optional(),
    }),
    output: switchRunSchema,
  },
  /** On to the next step. Refused while its check is not met, unless a reason is given. The last one ends the switch. */
  'switch.pass': {
    effect: 'settings',
    input: z.strictObject({ switchId, step: switchStepSchema, reason: reason.optional() }),
    output: switchRunSchema,
  },
  'switch.back': {
    effect: 'settings',
    input: z.strictObject({ switchId, step: switchStepSchema }),
    output: switchRunSchema,
  },
  'switch.abandon': {
    effect: 'settings',
    input: z.strictObject({ switchId, reason }),
    output: switchRunSchema,
  },
  /** Points it at a file, or away from any, and tells what would be changed in it. */
  'switch.envPreview': {
    effect: 'settings',
    input: z.strictObject({ switchId, file: file.nullable() }),
    output: envPreviewSchema.nullable(),
  },
  /** Keeps a copy, then changes the line. Refused if the file is not the one that was shown any more. */
  'switch.envChange': {
    effect: 'settings',
    input: z.strictObject({ switchId, file, digest: z.string().min(1).max(200) }),
    output: switchRunSchema,
  },
  /** A plan that releases what is left in the old store; applied as any other. */
  'switch.plan': { effect: 'settings', input: z.strictObject({ switchId }), output: planSummarySchema },
} as const

export const switchStreams = {
  'switch.watch': {
    input: z.strictObject({ switchId }),
    event: z.object({ run: switchRunSchema, now: switchNowSchema }),
  },
  /** The report of a switch, finished or not, as a file in pieces. */
  'switch.report': {
    input: z.strictObject({ switchId, as: z.enum(['md', 'html', 'json']) }),
    event: z.object({ text: z.string() }),
  },
} as const
