import type {
  FormatInfo,
  ListPage,
  Lock,
  RawPiece,
  RecordDetail,
  ReleaseOutcome,
  RestoreOutcome,
} from '../../../shared/locks.ts'
import type { Spent } from '../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../shared/stores.ts'
import type { Settled } from '../lib/concurrency.ts'
import type { FenceInput } from './fence.ts'

export type ListQuery = {
  /** Stop after this many locks. */
  readonly limit?: number
}

/** A lock to release, with the fence the operator saw. */
export type Target = { readonly id: string; readonly fence: string }

/** Restores a released record. `data` is the store's own JSON, with the token. `endsAt` is the lock's end by the store's clock. */
export type RecordCopy = {
  readonly id: string
  readonly format: string
  readonly fence: string
  readonly endsAt: number | null
  readonly data: unknown
}

/** A release that is about to happen: the index of its target, the lock as it was just read, and its copy. */
export type PendingRelease = { readonly place: number; readonly lock: Lock; readonly copy: RecordCopy | null }

/** Records releases before the store changes anything. If it fails, nothing is released. */
export type Keep = (about: readonly PendingRelease[]) => Promise<void>

/**
 * Follows each target of `releaseMany` as it happens: `sent` before anything leaves, `unsent` again when the store answered that it
 * did nothing, and its result. Must not throw.
 */
export type Tracker = (place: number, step: 'sent' | 'unsent' | Settled<ReleaseOutcome>) => void

/** What a store tells of its own accord. */
export type StoreNews =
  /** From now on, all changes are told. */
  | { readonly is: 'following' }
  /** These records may have changed. */
  | { readonly is: 'changed'; readonly ids: readonly string[] }
  /** Changes may have been missed, until it is following again. */
  | { readonly is: 'lost' }

/** A record as it is now. `other` exists, but no format recognizes it as a lock. */
export type RecordState =
  | { readonly is: 'lock'; readonly lock: Lock }
  | { readonly is: 'other' }
  | { readonly is: 'absent' }

/** One connection to a store, made on first use and again after a loss. Methods throw StoreError and nothing else. */
export interface LockStore {
  readonly kind: string
  /** Without the password. */
  readonly address: string
  /** Requests sent to the server so far, and their cost. */
  spent(): Spent
  /** The server and its clock. */
  describe(signal: AbortSignal): Promise<StoreDescription>
  /** What this account may do. Changes nothing, but has a cost: not part of every command. */
  capabilities(signal: AbortSignal): Promise<Capability[]>
  /**
   * How the servers identify themselves, the same under every address: a server in common means a place in common. Empty if they
   * do not say, or not to this account.
   */
  serverIds(signal: AbortSignal): Promise<readonly string[]>
  /** Pages, the first one fast, never one huge array. A record that exists throughout is listed exactly once. */
  list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage>
  /** Null for an absent record. The detail of a record that is not a lock says why. */
  inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null>
  /** One part of a record in pieces, by the digest that `inspect` gives it. NOT_FOUND if the part has changed. */
  rawPart(id: string, digest: string, signal: AbortSignal): AsyncIterable<RawPiece>
  /** Many at once, as cheaply as the store can, in the order of the ids. */
  look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]>
  /**
   * Releases each lock only if its record still matches the fence: compared and changed in one atomic step of the store.
   * Results have the order of the targets; an exception means that nothing was changed. `keep` may receive a lock twice.
   */
  releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
    track?: Tracker,
  ): Promise<readonly Settled<ReleaseOutcome>[]>
  /** Restores a record, its end included, if its name is free, in one atomic step, and only if it has its former fence again. */
  restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome>
  /** Tells what changes, until the signal; ends before that where the server cannot. Only for a store that can be told. */
  follow?(signal: AbortSignal): AsyncIterable<StoreNews>
  /** The tables with locks, for a store that may have several. */
  tables?(signal: AbortSignal): Promise<readonly { readonly name: string; readonly format: string }[]>
  /** Reads the store's clock. */
  clock(signal: AbortSignal): Promise<ClockReading>
  close(): Promise<void>
}

/** What the address says about the records: a format by name, or a pattern that means "these are locks". */
export type Hint = { readonly pinned: boolean; readonly patternGiven: boolean }

export type Recognition =
  | { readonly is: 'lock'; readonly confidence: number }
  /** Belongs to a lock of this format without being one. */
  | { readonly is: 'companion' }
  /** `reason` if the record has a name of this format but cannot be read: no other format may guess at it then. */
  | { readonly is: 'other'; readonly reason?: string }

export const OTHER: Recognition = { is: 'other' }

/** Says why a record is not a lock of a format only if the operator chose that format. */
export function otherFor({ pinned }: Hint, reason: string): Recognition {
  return pinned ? { is: 'other', reason } : OTHER
}

/** What a format decodes from a record. The store adds the id, the fence and the state. */
export type Decoded = Omit<Lock, 'id' | 'key' | 'format' | 'state' | 'fence' | 'observedAt'> & {
  readonly seen: FenceInput
}

/** How programs take a lock in a format. */
export type Take = {
  /** What keys of this format begin with; programs write the first. The empty text fits any key. */
  readonly prefixes: readonly string[]
  /** What must follow the prefix, when that is not simply a name, and the same in words. */
  readonly name?: { readonly shape: RegExp; readonly is: string }
  /** The usual lease. */
  readonly leaseMs: number
  /** How often a waiter polls when no notification arrives. */
  readonly pollMs: number
}

/** A format in which programs take locks. */
export type Taken<F extends { readonly take?: unknown }> = F & { readonly take: NonNullable<F['take']> }

/**
 * How one lock library writes its locks: data and pure functions, one file and one test. `Raw` is a record as the store
 * read it, `Program` what the store executes atomically to release it.
 */
export interface Format<Raw, Program> {
  readonly info: FormatInfo
  /** Without it no locks are taken in this format. */
  readonly take?: Take
  /** The harm that taking a lock would do to the programs of this format. */
  readonly takeHarm?: string
  recognise(raw: Raw, hint: Hint): Recognition
  /** Called only for records that `recognise` considers a lock. `now` is the store's time. */
  decode(raw: Raw, now: number): Decoded
  /** The program must compare everything in `seen`. `endsAt` is the deadline the operator saw, if the format fences on it. */
  release(raw: Raw, endsAt: number | null | undefined): Program
}
