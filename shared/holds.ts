import { z } from 'zod'
import { DAY_MS } from './duration.ts'
import { lockSchema, storeId } from './locks.ts'

/**
 * A maintenance hold: a lock that an operator takes on purpose, so that a job does not run. `renewed` has a short lease that is
 * extended while the console runs, and so ends soon after the console does; `once` is taken for its whole time.
 */
export const HOLD_MODES = ['renewed', 'once'] as const
export const holdModeSchema = z.enum(HOLD_MODES)
export type HoldMode = z.infer<typeof holdModeSchema>

/**
 * `released`: by the operator. `ran-out`: its time was over. `lost`: somebody else removed or took it. `given-up`: the operator
 * stopped waiting, or the time to wait was over.
 */
export const HOLD_ENDS = ['released', 'ran-out', 'lost', 'given-up'] as const
export const holdEndSchema = z.enum(HOLD_ENDS)
export type HoldEnd = z.infer<typeof holdEndSchema>

export const maintenanceHoldSchema = z.object({
  holdId: z.string(),
  /** Null when its store is not open here. */
  storeId: z.string().nullable(),
  storeName: z.string(),
  address: z.string(),
  /** As the store has it. */
  key: z.string(),
  /** Where the store keeps its locks in tables: in which. */
  table: z.string().nullable(),
  format: z.string(),
  /** As the table of locks calls it; null until it is held. */
  lockId: z.string().nullable(),
  mode: holdModeSchema,
  reason: z.string(),
  by: z.string(),
  state: z.enum(['waiting', 'held', 'ended']),
  /** Times are epoch milliseconds by the clock of this machine, but for `leaseEndsAt`, which is the store's. */
  askedAt: z.number(),
  heldSince: z.number().nullable(),
  /** For how long it is wanted; counted from when it is held. */
  forMs: z.number(),
  /** When it will be let go; null while it waits. */
  until: z.number().nullable(),
  leaseEndsAt: z.number().nullable(),
  /** Until when it waits; null when it does not. */
  waitsUntil: z.number().nullable(),
  /** Who has the lock that it waits for, or who took it. */
  other: z.string().nullable(),
  /** Another console of this machine renews it. */
  elsewhere: z.boolean(),
  /** What keeps it from being renewed or released at present, as a sentence. */
  problem: z.string().nullable(),
  ended: z.object({ how: holdEndSchema, at: z.number(), message: z.string().nullable() }).nullable(),
})
export type MaintenanceHold = z.infer<typeof maintenanceHoldSchema>

/** In which formats a lock could be taken there, and what is there now. */
export const holdChoicesSchema = z.object({
  formats: z.array(
    z.object({
      format: z.string(),
      title: z.string(),
      /** What a key of this format begins with; empty for any. */
      prefix: z.string(),
    }),
  ),
  /** The one that fits the key; null when none does. */
  suggested: z.string().nullable(),
  /** What is there, or was seen there last, says so. Otherwise it is only the look of the key. */
  certain: z.boolean(),
  /** Why none does, as a sentence. */
  problem: z.string().nullable(),
  current: lockSchema.nullable(),
})
export type HoldChoices = z.infer<typeof holdChoicesSchema>

/** What holding takes at least and at most. */
export const SHORTEST_HOLD_MS = 10_000
export const LONGEST_HOLD_MS = 7 * DAY_MS

/**
 * What came of taking one. `refused`: somebody else has it, and it was not to be waited for; nothing was changed. That is an
 * answer and no failure, so that whoever asked can be told who has it.
 */
export const takenHoldSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('held'), hold: maintenanceHoldSchema }),
  z.object({ outcome: z.literal('waiting'), hold: maintenanceHoldSchema }),
  z.object({ outcome: z.literal('refused'), other: z.string().nullable(), current: lockSchema.nullable() }),
])
export type TakenHold = z.infer<typeof takenHoldSchema>

const holdId = z.string().min(1).max(64)
const key = z.string().min(1).max(8192)
const forMs = z.number().int().min(SHORTEST_HOLD_MS).max(LONGEST_HOLD_MS)
const reason = z.string().max(2000)

export const holdMethods = {
  'holds.choices': { effect: 'read', input: z.strictObject({ storeId, key }), output: holdChoicesSchema },
  'holds.take': {
    effect: 'write',
    input: z.strictObject({
      storeId,
      key,
      /** The one that fits the key, if it is left out. */
      format: z.string().max(64).optional(),
      forMs,
      mode: holdModeSchema,
      /** How long to wait for a lock that is held; without it, a held lock is refused. */
      waitMs: z.number().int().min(0).max(LONGEST_HOLD_MS).optional(),
      reason,
      /** The name of a production store, typed by the operator. */
      confirm: z.string().max(300).optional(),
      revision: z.number().int().optional(),
    }),
    output: takenHoldSchema,
  },
  /** Lets it go so much later than it would have been. */
  'holds.extend': {
    effect: 'write',
    input: z.strictObject({ holdId, forMs, reason: reason.optional() }),
    output: maintenanceHoldSchema,
  },
  /** Lets it go, or stops waiting for it. */
  'holds.release': { effect: 'write', input: z.strictObject({ holdId }), output: maintenanceHoldSchema },
} as const

export const holdStreams = {
  /** All of them, whole, whenever one changes: those that go on, and the last ones that ended. */
  'holds.watch': {
    input: z.strictObject({}),
    event: z.object({
      holds: z.array(maintenanceHoldSchema),
      /** Why there may be more than these, as a sentence. */
      notice: z.string().nullable(),
    }),
  },
} as const
