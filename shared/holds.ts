import { z } from 'zod'
import { DAY_MS } from './duration.ts'
import { lockSchema, storeId } from './locks.ts'

/**
 * A maintenance hold: a lock that an operator acquires to keep a job from running. `renewed` has a short lease that the
 * console extends, so it ends soon after the console does; `once` is acquired for its whole time.
 */
const holdModeSchema = z.enum(['renewed', 'once'])
export type HoldMode = z.infer<typeof holdModeSchema>

/**
 * `released`: by the operator. `ran-out`: its time was over. `lost`: another client removed or acquired the lock. `given-up`:
 * the operator stopped waiting, or the wait timed out.
 */
const holdEndSchema = z.enum(['released', 'ran-out', 'lost', 'given-up'])
export type HoldEnd = z.infer<typeof holdEndSchema>

export const maintenanceHoldSchema = z.object({
  holdId: z.string(),
  /** Null if its store is not open here. */
  storeId: z.string().nullable(),
  storeName: z.string(),
  address: z.string(),
  /** As stored. */
  key: z.string(),
  /** The table of the lock; null in a store without tables. */
  table: z.string().nullable(),
  format: z.string(),
  /** The id of the lock; null until it is held. */
  lockId: z.string().nullable(),
  mode: holdModeSchema,
  reason: z.string(),
  by: z.string(),
  state: z.enum(['waiting', 'held', 'ended']),
  /** Times are epoch milliseconds by the clock of this machine, but for `leaseEndsAt`, which is the store's. */
  askedAt: z.number(),
  heldSince: z.number().nullable(),
  /** The length of the hold, from when the lock is held. */
  forMs: z.number(),
  /** When it will be released; null while it waits. */
  until: z.number().nullable(),
  leaseEndsAt: z.number().nullable(),
  /** Until when it waits; null if it does not. */
  waitsUntil: z.number().nullable(),
  /** The holder it waits for, or that acquired the lock from it. */
  other: z.string().nullable(),
  /** Another console keeps it. */
  elsewhere: z.boolean(),
  /** Why it cannot be renewed or released now, as a sentence. */
  problem: z.string().nullable(),
  ended: z.object({ how: holdEndSchema, at: z.number(), message: z.string().nullable() }).nullable(),
})
export type MaintenanceHold = z.infer<typeof maintenanceHoldSchema>

/** The possible formats of a hold on a key, and its current lock. */
const holdChoicesSchema = z.object({
  formats: z.array(
    z.object({
      format: z.string(),
      title: z.string(),
      /** The prefix of keys in this format; empty for any key. */
      prefix: z.string(),
    }),
  ),
  /** The format that fits the key; null for none. */
  suggested: z.string().nullable(),
  /** Read from a record, now or earlier. Otherwise it is a guess by the key. */
  certain: z.boolean(),
  /** Why no format fits, as a sentence. */
  problem: z.string().nullable(),
  current: lockSchema.nullable(),
})
export type HoldChoices = z.infer<typeof holdChoicesSchema>

export const SHORTEST_HOLD_MS = 10_000
export const LONGEST_HOLD_MS = 7 * DAY_MS

/**
 * `refused`: another holder has the lock, and the request did not ask to wait; nothing was changed. An answer rather than a
 * failure, to name the holder.
 */
const takenHoldSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['held', 'waiting']), hold: maintenanceHoldSchema }),
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
      /** Default: the format that fits the key. */
      format: z.string().max(64).optional(),
      forMs,
      mode: holdModeSchema,
      /** How long to wait for a held lock. Default: a held lock is refused. */
      waitMs: z.number().int().min(0).max(LONGEST_HOLD_MS).optional(),
      reason,
      /** The name of a production store, typed by the operator. */
      confirm: z.string().max(300).optional(),
      revision: z.number().int().optional(),
    }),
    output: takenHoldSchema,
  },
  /** Moves the end of the hold by this much. */
  'holds.extend': {
    effect: 'write',
    input: z.strictObject({ holdId, forMs, reason: reason.optional() }),
    output: maintenanceHoldSchema,
  },
  /** Releases the lock, or stops waiting for it. */
  'holds.release': { effect: 'write', input: z.strictObject({ holdId }), output: maintenanceHoldSchema },
} as const

export const holdStreams = {
  /** All current holds and the last ended ones, whenever one changes. */
  'holds.watch': {
    input: z.strictObject({}),
    event: z.object({
      holds: z.array(maintenanceHoldSchema),
      /** Why the list may be incomplete, as a sentence. */
      notice: z.string().nullable(),
    }),
  },
} as const
