import { z } from 'zod'
import { MINUTE_MS } from './duration.ts'
import { isKind } from './kinds.ts'
import { failureSchema } from './result.ts'

export const storeKindSchema = z.string().refine(isKind, 'Unknown kind of store')

export const storeId = z.string().min(1).max(64)
export const lockId = z.string().min(1)
export const fence = z.string().min(1).max(200)

export const LOCK_STATES = ['held', 'expiring', 'expired', 'released', 'unknown'] as const
export const lockStateSchema = z.enum(LOCK_STATES)
export type LockState = z.infer<typeof lockStateSchema>

/** `stored`: written in the record. `ttl`: computed from the store's TTL. `token`: read out of the token itself. */
export const timeSourceSchema = z.enum(['stored', 'ttl', 'token', 'unknown'])
export type TimeSource = z.infer<typeof timeSourceSchema>

/**
 * How a lock ends. Times are epoch milliseconds. `afterwards` says what a stored record means once its deadline has
 * passed: an `expired` leftover, or (ShedLock keeps its rows for ever) the ordinary record of a freed lock.
 */
export const leaseSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('deadline'),
    expiresAt: z.number(),
    source: timeSourceSchema,
    afterwards: z.enum(['expired', 'released']),
  }),
  z.object({ kind: z.literal('heartbeat'), leaseMs: z.number(), version: z.string() }),
  z.object({ kind: z.literal('session'), session: z.string() }),
  z.object({ kind: z.literal('never') }),
  z.object({ kind: z.literal('released') }),
  z.object({ kind: z.literal('unknown') }),
])
export type Lease = z.infer<typeof leaseSchema>

/** One clock that says when a lock ends. A record can have two that disagree; both are shown. */
export const deadlineSchema = z.object({ at: z.number(), source: timeSourceSchema })
export type Deadline = z.infer<typeof deadlineSchema>

/** What is known of who holds the lock, beyond the identity that the lock's own system compares. */
export const holderSchema = z.object({
  label: z.string(),
  pid: z.number().optional(),
  host: z.string().optional(),
  user: z.string().optional(),
  instance: z.string().optional(),
  thread: z.string().optional(),
})
export type Holder = z.infer<typeof holderSchema>

/** Something an operator should know before trusting what the row says. Sentences are in words.ts. */
export const noteSchema = z.discriminatedUnion('code', [
  z.object({ code: z.literal('implausible-expiry'), raw: z.string() }),
  z.object({ code: z.literal('clocks-disagree'), storedAt: z.number(), ttlAt: z.number().nullable() }),
  z.object({ code: z.literal('wrong-type'), field: z.string(), found: z.string(), wanted: z.string() }),
  z.object({ code: z.literal('missing-field'), field: z.string() }),
  z.object({ code: z.literal('assumed-lease'), leaseMs: z.number() }),
  /** Holders write alike. `byDeadline`: a deadline still tells them apart. */
  z.object({ code: z.literal('weak-fence'), byDeadline: z.boolean() }),
  z.object({ code: z.literal('looks-like-cache') }),
  z.object({ code: z.literal('zone-unknown'), field: z.string() }),
  z.object({ code: z.literal('several-holders'), count: z.number() }),
  z.object({ code: z.literal('waiters'), count: z.number() }),
])
export type Note = z.infer<typeof noteSchema>

export const fieldValueSchema = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type FieldValue = z.infer<typeof fieldValueSchema>

export const lockSchema = z.object({
  /** Unique within its store, and what inspect and release take. */
  id: z.string(),
  /** The key as the store has it. Bytes that are not UTF-8 are written `hex:…`. */
  key: z.string(),
  /** The key without what the format puts around it. */
  name: z.string(),
  format: z.string(),
  owner: z.string().nullable(),
  holder: holderSchema.nullable(),
  acquiredAt: z.number().nullable(),
  acquiredAtSource: timeSourceSchema,
  lease: leaseSchema,
  deadlines: z.array(deadlineSchema),
  /** The state at `observedAt`, by the store's clock. Screens recompute it with lease.ts as time goes on. */
  state: lockStateSchema,
  /** Stands for exactly what was read. A release that carries it acts on this record and no other. */
  fence: z.string(),
  /** Everything else the record says, by the names its own system uses. */
  fields: z.record(z.string(), fieldValueSchema),
  notes: z.array(noteSchema),
  observedAt: z.number(),
})
export type Lock = z.infer<typeof lockSchema>

/** What was seen of a lock while its store was watched. Times are the store's. */
export const watchedSchema = z.object({
  firstSeenAt: z.number(),
  /** Since when the present owner was seen to hold it. It may have held it before. */
  heldSince: z.number(),
  /** How often the present owner was seen to extend it. */
  renewals: z.number(),
  /** When it did so last; null if never. */
  lastRenewedAt: z.number().nullable(),
  /** How many owners were seen, the present one included. */
  holders: z.number(),
})
export type Watched = z.infer<typeof watchedSchema>

export const watchedLockSchema = lockSchema.extend({ watched: watchedSchema })
export type WatchedLock = z.infer<typeof watchedLockSchema>

/** One owner of a lock, for as long as it was seen to be. `until` is null for the one that is there now. */
export const tenureSchema = z.object({
  owner: z.string().nullable(),
  label: z.string().nullable(),
  from: z.number(),
  until: z.number().nullable(),
  renewals: z.number(),
})
export type Tenure = z.infer<typeof tenureSchema>

/** The story of a lock: `tenures` are the last ones, oldest first. */
export const storySchema = watchedSchema.extend({ tenures: z.array(tenureSchema) })
export type Story = z.infer<typeof storySchema>

/** A record that is there but that no format understands. Shown, never guessed at. */
export const unrecognisedSchema = z.object({ key: z.string(), reason: z.string() })
export type Unrecognised = z.infer<typeof unrecognisedSchema>

/** The bytes of one part of a record: `hex` when they are not UTF-8. `size` is the whole, `text` may be its start. */
export const rawPartSchema = z.object({
  label: z.string(),
  encoding: z.enum(['text', 'hex']),
  text: z.string(),
  size: z.number(),
})
export type RawPart = z.infer<typeof rawPartSchema>

/** One record as a store reads it. */
export const recordDetailSchema = z.object({
  key: z.string(),
  lock: lockSchema.nullable(),
  /** Why there is no lock, when there is none. */
  reason: z.string().nullable(),
  raw: z.array(rawPartSchema),
  /** The statements a release would send, for people to read. */
  release: z.array(z.string()),
  /** The same release as one line for a shell, guards included; null where no such tool can do it. */
  command: z.string().nullable(),
})
export type RecordDetail = z.infer<typeof recordDetailSchema>

export const lockDetailSchema = recordDetailSchema.extend({
  /** Null when the store is not watched or the lock was not seen yet. */
  story: storySchema.nullable(),
})
export type LockDetail = z.infer<typeof lockDetailSchema>

/** `current` is what is there now; null when it could not be read again or is no lock any more. */
export const releaseOutcomeSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('released'), notified: z.number().nullable() }),
  z.object({ outcome: z.literal('changed'), current: lockSchema.nullable() }),
  z.object({ outcome: z.literal('gone') }),
])
export type ReleaseOutcome = z.infer<typeof releaseOutcomeSchema>

/** `taken`: the name is not free, and nothing was done. `ended`: its lease has run out since it was released. */
export const restoreOutcomeSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('restored') }),
  z.object({ outcome: z.literal('taken'), current: lockSchema.nullable() }),
  z.object({ outcome: z.literal('ended') }),
])
export type RestoreOutcome = z.infer<typeof restoreOutcomeSchema>

/** What a release was recorded as, and until when it can be undone, by the local clock; null when it cannot. */
export const releasedSchema = z.intersection(
  releaseOutcomeSchema,
  z.object({ action: z.string(), undoUntil: z.number().nullable() }),
)
export type Released = z.infer<typeof releasedSchema>

export const formatInfoSchema = z.object({
  id: z.string(),
  store: storeKindSchema,
  title: z.string(),
  /** Which programs write it. */
  writtenBy: z.string(),
  recognisedBy: z.string(),
  /**
   * `name`: what its own system prints in its logs and answers (a run, a process, a host). `token`: random, and known to the
   * holder alone, so that it is in nothing that is kept or handed on.
   */
  ownerIs: z.enum(['name', 'token']),
  /** What a correct release does. */
  release: z.string(),
  /** Who is told, or null when waiters poll. */
  notifies: z.string().nullable(),
  /** When a holder that is still alive finds out. */
  holderNotices: z.enum(['at-renewal', 'at-release', 'at-once', 'never']),
  holderMayCrash: z.boolean(),
  mayComeBack: z.boolean(),
  /** Why a release cannot be taken back, as a sentence; null when it can. */
  noUndo: z.string().nullable(),
})
export type FormatInfo = z.infer<typeof formatInfoSchema>

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

export const lockMethods = {
  'formats.list': { effect: 'read', input: z.strictObject({}), output: z.array(formatInfoSchema) },
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
} as const

export const lockStreams = {
  'locks.list': {
    input: z.strictObject({ storeId, limit: z.number().int().positive().optional() }),
    event: listEventSchema,
  },
  'locks.watch': {
    input: z.strictObject({ storeId, intervalMs: z.number().int().min(100).max(MINUTE_MS).optional() }),
    event: watchEventSchema,
  },
} as const
