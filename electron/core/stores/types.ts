import type {
  FormatInfo,
  ListPage,
  Lock,
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

/** A lock to release, as it was seen. */
export type Target = { readonly id: string; readonly fence: string }

/**
 * All that putting a released record back needs: `data` is the store's own, JSON throughout, and holds the token. `endsAt` is
 * the end that the lock had, by the store's clock; null when it has none.
 */
export type RecordCopy = {
  readonly id: string
  readonly format: string
  readonly fence: string
  readonly endsAt: number | null
  readonly data: unknown
}

/** A release that is about to be done: which of the targets, the lock as it was just read, and its copy. */
export type PendingRelease = { readonly place: number; readonly lock: Lock; readonly copy: RecordCopy | null }

/** Told before anything is changed. When it fails, nothing is. */
export type Keep = (about: readonly PendingRelease[]) => Promise<void>

/** A record as it is now. `other` is there, but is no lock that we understand. */
export type RecordState =
  | { readonly is: 'lock'; readonly lock: Lock }
  | { readonly is: 'other' }
  | { readonly is: 'absent' }

/**
 * One connection to a place where locks live. Implementations do all I/O; what a record means is a format's business.
 * Every method may throw StoreError and nothing else. Connections are made on first use and re-made when lost.
 */
export interface LockStore {
  readonly kind: string
  /** Without the password. */
  readonly address: string
  /** What was asked of the server through this connection so far, and what that cost. */
  spent(): Spent
  /** Who answers, and by what clock. */
  describe(signal: AbortSignal): Promise<StoreDescription>
  /** What this account may do here. Found out without changing anything, but not for free: not part of every command. */
  capabilities(signal: AbortSignal): Promise<Capability[]>
  /** Pages, the first one fast, never one huge array. A record that is there throughout comes exactly once. */
  list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage>
  /** Null when there is no such record. A record that is no lock has a detail without a lock, and the reason. */
  inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null>
  /** Many at once, as cheaply as the store can, in the order asked for. */
  look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]>
  /**
   * Releases each lock only if its record still is what the fence was made from: compared and done in one atomic step of the store.
   * Results come in the order of the targets; what throws fails all of them before anything was changed. `keep` may hear of a
   * lock twice.
   */
  releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]>
  /**
   * Puts a released record back as it was, its end included, if its name is free: compared and done in one atomic step.
   * `restored` only if its fence is again what it was.
   */
  restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome>
  /** Where its locks are, for a store that may keep them in several tables. */
  tables?(signal: AbortSignal): Promise<readonly { readonly name: string; readonly format: string }[]>
  /** Asks the store for its time. */
  clock(signal: AbortSignal): Promise<ClockReading>
  close(): Promise<void>
}

/** What the operator said about the records: a format by name, or a pattern that means "these are locks". */
export type Hint = { readonly pinned: boolean; readonly patternGiven: boolean }

export type Recognition =
  | { readonly is: 'lock'; readonly confidence: number }
  /** Belongs to a lock of this format without being one. */
  | { readonly is: 'companion' }
  /** `reason` when the record is this format's by its name but cannot be read: it is then nobody else's either. */
  | { readonly is: 'other'; readonly reason?: string }

export const OTHER: Recognition = { is: 'other' }

/** What a format reads out of a record. The store adds the address, the fence and the state. */
export type Decoded = Omit<Lock, 'id' | 'key' | 'format' | 'state' | 'fence' | 'observedAt'> & {
  readonly seen: FenceInput
}

export type Take = {
  /** What keys of this format begin with. The empty text fits any key. */
  readonly prefixes: readonly string[]
  /** What must follow the prefix, when that is not simply a name. */
  readonly name?: RegExp
}

/**
 * How one lock library writes its locks: data and pure functions, one file and one test. `Raw` is a record as the store
 * read it, `Program` what the store executes atomically to release it.
 */
export interface Format<Raw, Program> {
  readonly info: FormatInfo
  /** How a program takes a lock in this format, or what taking one would do to its programs. Without it none are taken. */
  readonly take?: Take | { readonly harm: string }
  recognise(raw: Raw, hint: Hint): Recognition
  /** Called only for what `recognise` called a lock. `now` is the store's time. */
  decode(raw: Raw, now: number): Decoded
  /**
   * What a correct release is. The program must itself compare everything that is in `seen`: between our read and its
   * execution the lock may change hands. `endsAt` is the deadline the operator saw, for formats that fence on it.
   */
  release(raw: Raw, endsAt: number | null | undefined): Program
}
