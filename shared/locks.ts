import { z } from 'zod'
import { MINUTE_MS } from './duration.ts'
import { isKind } from './kinds.ts'
import type { Failure } from './result.ts'

export const storeKindSchema = z.string().refine(isKind, 'Unknown kind of store')

export const storeId = z.string().min(1).max(64)
export const lockId = z.string().min(1)
export const fence = z.string().min(1).max(200)

export const LOCK_STATES = ['held', 'expiring', 'expired', 'released', 'unknown'] as const
export const lockStateSchema = z.enum(LOCK_STATES)
export type LockState = z.infer<typeof lockStateSchema>

/** `stored`: written in the record. `ttl`: computed from the store's TTL. `token`: read out of the token itself. */
const timeSourceSchema = z.enum(['stored', 'ttl', 'token', 'unknown'])
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
const deadlineSchema = z.object({ at: z.number(), source: timeSourceSchema })
export type Deadline = z.infer<typeof deadlineSchema>

/** What is known of the holder, beyond the identity that the lock's own system compares. */
const holderSchema = z.object({
  label: z.string(),
  pid: z.number().optional(),
  host: z.string().optional(),
  user: z.string().optional(),
  instance: z.string().optional(),
  thread: z.string().optional(),
})
export type Holder = z.infer<typeof holderSchema>

/** Something an operator should know before trusting the row. Sentences are in lock-words.ts. */
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
  /** The state at `observedAt`, by the store's clock. Screens recompute it with lease.ts. */
  state: lockStateSchema,
  /** Identifies exactly what was read. A release that carries it acts on this record and no other. */
  fence: z.string(),
  /** Everything else the record says, by the names its own system uses. */
  fields: z.record(z.string(), fieldValueSchema),
  notes: z.array(noteSchema),
  observedAt: z.number(),
})
export type Lock = z.infer<typeof lockSchema>

/** What was observed of a lock while its store was watched. Times are the store's. */
export type Watched = {
  firstSeenAt: number
  /** When the present owner was first seen to hold it. It may have held it before. */
  heldSince: number
  /** How often the present owner was seen to extend it. */
  renewals: number
  /** When it did so last; null if never. */
  lastRenewedAt: number | null
  /** How many owners were seen, the present one included. */
  holders: number
}

export type WatchedLock = Lock & { watched: Watched }

/** One owner of a lock, for as long as it was seen to be. `until` is null for the present one. */
export type Tenure = {
  owner: string | null
  label: string | null
  from: number
  until: number | null
  renewals: number
}

/** The story of a lock: `tenures` are the last ones, oldest first. */
export type Story = Watched & { tenures: Tenure[] }

/** A record that no format understands. Shown, never guessed at. */
export type Unrecognised = { key: string; reason: string }

/** The bytes of one part of a record: `hex` if they are not UTF-8. `size` is of the whole; `text` may be its start. */
export type RawPart = {
  label: string
  encoding: 'text' | 'hex'
  text: string
  size: number
  /** Of the whole part and its label. Only if `text` is not all of it. */
  digest?: string
}

/** A piece of the whole text of a part. */
export type RawPiece = Pick<RawPart, 'encoding' | 'text'>

/** One record as a store reads it. */
export type RecordDetail = {
  key: string
  lock: Lock | null
  /** Why the record is no lock; null if it is one. */
  reason: string | null
  raw: RawPart[]
  /** Further parts, which `raw` leaves out. */
  rawLeft: number
  /** The statements a release would send, for people to read; long ones are cut. */
  release: string[]
  /** The same release as one line for a shell, guards included; null if no tool can do it, or the line is too long for a shell. */
  command: string | null
}

/** `story` is null if the store is not watched or the lock was not seen yet. */
export type LockDetail = RecordDetail & { story: Story | null }

/** `current` is the present lock; null if it could not be read again or is no lock any longer. */
export type ReleaseOutcome =
  | { outcome: 'released'; notified: number | null }
  | { outcome: 'changed'; current: Lock | null }
  | { outcome: 'gone' }

/** `taken`: the name is not free, and nothing was done. `ended`: its lease ran out after the release. */
export type RestoreOutcome =
  | { outcome: 'restored' }
  | { outcome: 'taken'; current: Lock | null }
  | { outcome: 'ended' }

/** The action under which a release is recorded, and until when it can be undone, by the local clock; null if it cannot. */
export type Released = ReleaseOutcome & { action: string; undoUntil: number | null }

/** When a holder that is still alive notices a release. */
export const HOLDER_NOTICES = ['at-renewal', 'at-release', 'at-once', 'never'] as const

export type FormatInfo = {
  id: string
  store: string
  title: string
  /** Which programs write it. */
  writtenBy: string
  recognisedBy: string
  /**
   * `name`: what its own system prints in its logs and answers (a run, a process, a host). `token`: random, and known to the
   * holder alone, so it is never kept or handed on.
   */
  ownerIs: 'name' | 'token'
  /** What a correct release does. */
  release: string
  /** Which waiters a release notifies, or null if they poll. */
  notifies: string | null
  holderNotices: (typeof HOLDER_NOTICES)[number]
  holderMayCrash: boolean
  mayComeBack: boolean
  /** Why a release cannot be undone, as a sentence; null if it can. */
  noUndo: string | null
}

/** A part of a store that could not be read: an unreachable node, a table without a grant. */
export type Problem = Failure & { where: string }

export type ListPage = {
  locks: Lock[]
  unrecognised: Unrecognised[]
  /** Records that belong to locks without being locks (queues, counters, digests). */
  companions: number
  problems: Problem[]
  scanned: number
  /** Of the scanned records, those whose names suffice: records of such names were read, and were no locks. */
  skipped?: number
}

export type ListEvent =
  | ({ type: 'page' } & ListPage)
  | { type: 'done'; complete: boolean; serverTime: number }

export type WatchEvent =
  /** `complete` is false for the first read of a large store: the rest follows as upserts, and then the status. */
  | { type: 'snapshot'; locks: WatchedLock[]; unrecognised: number; serverTime: number; complete: boolean }
  | { type: 'upsert'; locks: WatchedLock[]; serverTime: number }
  | { type: 'remove'; ids: string[]; serverTime: number }
  /** Records that no format understands, whenever they change. `sample` may be the first of them. */
  | { type: 'unrecognised'; count: number; sample: Unrecognised[] }
  /** A successful pass over the whole store; sent every few seconds, as a sign of life. */
  | { type: 'pass'; serverTime: number; offsetMs: number | null; scanned: number; tookMs: number }
  | {
      type: 'status'
      status: 'live' | 'stale' | 'down'
      /** When the status began, by the local clock. */
      since: number
      /** When the data on the screen was last known to be true, by the store's clock. */
      asOf: number | null
      offsetMs: number | null
      error: Failure | null
      retryInMs: number | null
    }

export const lockMethods = {
  'formats.list': { effect: 'read', input: z.strictObject({}), output: z.custom<FormatInfo[]>() },
  'locks.inspect': {
    effect: 'read',
    input: z.strictObject({ storeId, id: lockId }),
    output: z.custom<LockDetail | null>(),
  },
  'locks.release': {
    effect: 'write',
    input: z.strictObject({
      storeId,
      id: lockId,
      fence,
      reason: z.string().max(2000).optional(),
      /** The store's name, typed by the operator: a production store requires it. */
      confirm: z.string().max(200).optional(),
      /** The connection through which the lock was seen: behind another one is another server. */
      revision: z.number().int().optional(),
    }),
    output: z.custom<Released>(),
  },
} as const

export const lockStreams = {
  /** One part of a record, whole, in pieces. It is read once, so the pieces belong together; another content is another part. */
  'locks.raw': {
    input: z.strictObject({ storeId, id: lockId, digest: z.string().min(1).max(64) }),
    event: z.custom<RawPiece>(),
  },
  'locks.list': {
    input: z.strictObject({ storeId, limit: z.number().int().positive().optional() }),
    event: z.custom<ListEvent>(),
  },
  'locks.watch': {
    input: z.strictObject({ storeId, intervalMs: z.number().int().min(100).max(MINUTE_MS).optional() }),
    event: z.custom<WatchEvent>(),
  },
} as const
