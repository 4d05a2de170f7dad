/** Milliseconds, or a number with its unit. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** Data that a program stores with a lock, where the format has room for it. The console shows it. */
export type Metadata = Readonly<Record<string, string | number | boolean | null>>

/** The holder as recorded with the lock. Times are epoch milliseconds by the store's clock. */
export type CurrentHolder = {
  /** The run, the process or the token that took it. */
  readonly owner: string | null
  /** A second name, where the format has one: who triggered the run, a process number. */
  readonly label: string | null
  readonly acquiredAt: number | null
  /** Null for a lock without an expiry. */
  readonly expiresAt: number | null
}

export type AcquireOptions = {
  /** Default: unique to this acquisition. Only formats with room for a mark tell two acquisitions by one owner apart. */
  readonly owner?: string
  /** The lease, unless it is renewed. A number is milliseconds. Default: the format's own. */
  readonly ttl?: Duration
  /** How long to wait for a lock that is held. Default: 0. */
  readonly wait?: Duration
  readonly metadata?: Metadata
  /** Ends the wait. */
  readonly signal?: AbortSignal
}

export type Acquired = { readonly acquired: true; readonly lock: HeldLock; readonly waitedMs: number }
/** Another owner holds the lock. `holder` is null if it was released just now. */
export type Refused = {
  readonly acquired: false
  readonly holder: CurrentHolder | null
  readonly waitedMs: number
}

/** A lock that this process has acquired. */
export interface HeldLock extends AsyncDisposable {
  /** The program's name for it. */
  readonly key: string
  readonly owner: string
  /** Greater than every earlier holder's, so that a resource can refuse a holder that was overtaken. Null if the store has none. */
  readonly fencing: number | null
  /** By the store's clock. */
  readonly acquiredAt: number
  readonly expiresAt: number
  /** How much longer the lock is certainly ours, counted on this machine from before the request. */
  validMs(): number
  /** Starts a new lease of the given or the last length. False if the lock is lost. */
  renew(ttl?: Duration): Promise<boolean>
  release(): Promise<ReleaseResult>
}

/** `lost`: the lock was no longer ours, and nothing was changed; `holder` holds it now. */
export type ReleaseResult =
  | { readonly outcome: 'released' }
  | { readonly outcome: 'lost'; readonly holder: CurrentHolder | null }

export type WithLockOptions = AcquireOptions & {
  /** Whether to renew the lock after each third of its lease while the work runs. Default: true. */
  readonly renew?: boolean
}

/** Passed to the work that runs under a lock. */
export type Guarded = {
  /** Fires as soon as the lock is lost or may be. The reason is a LockLostError. */
  readonly signal: AbortSignal
  readonly lock: HeldLock
}

/** The outcome of work that is skipped when another holder runs it. */
export type Tried<T> =
  | { readonly ran: true; readonly value: T }
  | { readonly ran: false; readonly holder: CurrentHolder | null }

export type ActiveLock = CurrentHolder & {
  readonly key: string
  /** Everything else the record says, by the names its own system uses. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

/** Counted by this manager since its creation, except `active`, the locks in the store now. */
export type LockStats = {
  readonly provider: string
  readonly active: number
  readonly acquired: number
  readonly released: number
  /** Acquisitions that were refused or failed. */
  readonly failed: number
  /** Locks of this manager that were lost. */
  readonly lost: number
  readonly totalWaitTimeMs: number
  readonly avgWaitTimeMs: number
}

export type ReleaseAllOptions = {
  readonly reason: string
  /** The name of the store, or of each of several masters, that the console's list marks production. */
  readonly confirm?: string | readonly string[]
  /** Where the audit log, the rules of the stores and the copies for an undo are. */
  readonly dataFolder?: string
}

/** The result of releaseAll, lock by lock. */
export type ReleasedAll = {
  readonly released: number
  /** As `lockkeeper undo` takes it. */
  readonly planId: string | null
  /** Parts of the store that could not be read: their locks are still held. */
  readonly unread: readonly string[]
  readonly results: readonly {
    readonly key: string
    readonly outcome: 'released' | 'changed' | 'gone' | 'failed' | 'left'
    readonly message: string | null
  }[]
}

/** Callbacks for metrics and logs. They must not throw. */
export interface LockObserver {
  acquired?(key: string, waitedMs: number): void
  refused?(key: string, waitedMs: number): void
  /** `heldMs` is null for a lock acquired elsewhere and released here by key and owner. */
  released?(key: string, heldMs: number | null): void
  lost?(key: string, heldMs: number): void
  failed?(key: string, error: unknown): void
}

export type LockManagerOptions = {
  /** If it is not in the address. */
  readonly password?: string
  /** The lock format, as in the address. */
  readonly format?: string
  /** False: every request is granted, nothing is locked, and the manager warns once. */
  readonly enabled?: boolean
  /** The default lease. */
  readonly ttl?: Duration
  /** How often waiters poll in case no notification arrives. Default: the store's own. */
  readonly poll?: Duration
  /** Whether acquisitions get a fencing number. Default: where it costs nothing. */
  readonly fencing?: boolean
  readonly observer?: LockObserver
  /** Receives warnings. Default: process.emitWarning. */
  readonly warn?: (message: string) => void
}

export interface LockManager extends AsyncDisposable {
  readonly provider: 'redis' | 'redlock' | 'mysql' | 'dynamodb' | 'memory' | 'disabled'
  /** Creates the table where the store needs one. Many processes may call it at once. */
  setup(): Promise<void>
  acquire(key: string, options?: AcquireOptions): Promise<Acquired | Refused>
  /** Releases by key and owner, for programs that keep no handle. */
  release(key: string, owner: string): Promise<ReleaseResult>
  /** False if the lock is lost. */
  renew(key: string, owner: string, ttl?: Duration): Promise<boolean>
  isLocked(key: string): Promise<boolean>
  /** Null if the lock is free. */
  holderOf(key: string): Promise<CurrentHolder | null>
  /** Throws LockHeldError if the lock is not free in time, and LockLostError if it was lost before the work was done. */
  withLock<T>(key: string, work: (guarded: Guarded) => Promise<T> | T, options?: WithLockOptions): Promise<T>
  /** As withLock, but skips the work if the lock is held. */
  tryWithLock<T>(
    key: string,
    work: (guarded: Guarded) => Promise<T> | T,
    options?: WithLockOptions,
  ): Promise<Tried<T>>
  activeLocks(): Promise<ActiveLock[]>
  stats(): Promise<LockStats>
  /** Removes the records of expired locks. Returns their number. */
  cleanupExpired(): Promise<number>
  /** Releases every lock of the format, of any holder: planned, fenced, recorded and undoable as in the console. */
  releaseAll(options: ReleaseAllOptions): Promise<ReleasedAll>
  /** Rejects the waiters and waits for pending releases. Held locks keep their leases: work may still depend on them. */
  close(): Promise<void>
}
