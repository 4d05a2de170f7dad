/** Milliseconds, or a number with its unit. */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`

/** What a program wants to be known with a lock. It is kept where the format has room for it, and shown by the console. */
export type Metadata = Readonly<Record<string, string | number | boolean | null>>

/** Who has a lock, as far as its record says. Times are epoch milliseconds by the store's clock. */
export type CurrentHolder = {
  /** The run, the process or the token that took it. */
  readonly owner: string | null
  /** A name beside it, where the format has one: who triggered the run, a process number. */
  readonly label: string | null
  readonly acquiredAt: number | null
  /** Null for a lock that never ends by itself. */
  readonly expiresAt: number | null
}

export type AcquireOptions = {
  /**
   * Who takes it; unique to this acquisition if it is left out. Two acquisitions with the same owner are told apart only by
   * formats that have room for more than the owner.
   */
  readonly owner?: string
  /** For how long, unless it is renewed. A number is milliseconds. The format's own default if it is left out. */
  readonly ttl?: Duration
  /** How long to wait for a lock that is held; not at all if it is left out. */
  readonly wait?: Duration
  readonly metadata?: Metadata
  /** Gives up waiting. */
  readonly signal?: AbortSignal
}

export type Acquired = { readonly acquired: true; readonly lock: HeldLock; readonly waitedMs: number }
/** Somebody else has it. `holder` is null if it was let go in the moment between. */
export type Refused = {
  readonly acquired: false
  readonly holder: CurrentHolder | null
  readonly waitedMs: number
}

/** A lock that this process has taken. */
export interface HeldLock extends AsyncDisposable {
  /** As the program calls it. */
  readonly key: string
  readonly owner: string
  /**
   * Greater than that of every earlier holder of the same key, for resources that can refuse a holder that has been overtaken;
   * null where the store cannot give one.
   */
  readonly fencing: number | null
  /** By the store's clock. */
  readonly acquiredAt: number
  readonly expiresAt: number
  /** For how long it is certainly still ours, counted on this machine from before it was asked for. */
  validMs(): number
  /** From now on, for that time or the last one that was asked for. False if it was not ours any more. */
  renew(ttl?: Duration): Promise<boolean>
  release(): Promise<ReleaseResult>
}

/** `lost`: it was not ours any more, and nothing was done; `holder` is who has it now. */
export type ReleaseResult =
  | { readonly outcome: 'released' }
  | { readonly outcome: 'lost'; readonly holder: CurrentHolder | null }

export type WithLockOptions = AcquireOptions & {
  /** Whether it is renewed while the work goes on, whenever a third of its time is over; it is if this is left out. */
  readonly renew?: boolean
}

/** What the work under a lock is given. */
export type Guarded = {
  /** Fires as soon as the lock is known to be lost, or may be. The reason is a LockLostError. */
  readonly signal: AbortSignal
  readonly lock: HeldLock
}

/** What became of work that is left out when somebody else does it. */
export type Tried<T> =
  | { readonly ran: true; readonly value: T }
  | { readonly ran: false; readonly holder: CurrentHolder | null }

export type ActiveLock = CurrentHolder & {
  readonly key: string
  /** Everything else the record says, by the names its own system uses. */
  readonly fields: Readonly<Record<string, string | number | boolean | null>>
}

/** Counted by this manager since it was made, but for `active`, which is what the store has now. */
export type LockStats = {
  readonly provider: string
  readonly active: number
  readonly acquired: number
  readonly released: number
  /** Acquisitions that were refused, or given up. */
  readonly failed: number
  /** Locks of this manager that were lost. */
  readonly lost: number
  readonly totalWaitTimeMs: number
  readonly avgWaitTimeMs: number
}

/** What releaseAll did, lock by lock. */
export type ReleasedAll = {
  readonly released: number
  /** As `lockkeeper undo` takes it. */
  readonly planId: string | null
  /** Parts of the store that could not be read. What is there is still held. */
  readonly unread: readonly string[]
  readonly results: readonly {
    readonly key: string
    readonly outcome: 'released' | 'changed' | 'gone' | 'failed' | 'left'
    readonly message: string | null
  }[]
}

/** Told of everything a manager does, for metrics and logs. It must not throw. */
export interface LockObserver {
  acquired?(key: string, waitedMs: number): void
  refused?(key: string, waitedMs: number): void
  /** `heldMs` is null for a lock that was taken elsewhere and released here by its key and owner. */
  released?(key: string, heldMs: number | null): void
  lost?(key: string, heldMs: number): void
  failed?(key: string, error: unknown): void
}

export type LockManagerOptions = {
  /** For a password that is not in the address. */
  readonly password?: string
  /** As in the address: which format's locks these are. */
  readonly format?: string
  /** False: every lock is granted and nothing is locked, which is said once. */
  readonly enabled?: boolean
  /** For acquisitions that name none. */
  readonly ttl?: Duration
  /** How often to look again while waiting, in case that nobody told; the store's own default if it is left out. */
  readonly poll?: Duration
  /** Whether acquisitions get a fencing number. On by itself where it costs nothing. */
  readonly fencing?: boolean
  readonly observer?: LockObserver
  /** Where to say what nobody asked for; process.emitWarning if it is left out. */
  readonly warn?: (message: string) => void
}

export interface LockManager extends AsyncDisposable {
  readonly provider: 'redis' | 'redlock' | 'mysql' | 'dynamodb' | 'memory' | 'disabled'
  /** Makes the table where the store needs one. May be called by any number of processes at once. */
  setup(): Promise<void>
  acquire(key: string, options?: AcquireOptions): Promise<Acquired | Refused>
  /** By key and owner, for programs that keep no handle. */
  release(key: string, owner: string): Promise<ReleaseResult>
  /** False if it was not ours any more. */
  renew(key: string, owner: string, ttl?: Duration): Promise<boolean>
  isLocked(key: string): Promise<boolean>
  /** Who has it; null if nobody has. */
  holderOf(key: string): Promise<CurrentHolder | null>
  /** Throws LockHeldError if it cannot be had in time, and LockLostError if it was lost before the work was done. */
  withLock<T>(key: string, work: (guarded: Guarded) => Promise<T> | T, options?: WithLockOptions): Promise<T>
  /** As withLock; does nothing if somebody else has the lock. */
  tryWithLock<T>(
    key: string,
    work: (guarded: Guarded) => Promise<T> | T,
    options?: WithLockOptions,
  ): Promise<Tried<T>>
  activeLocks(): Promise<ActiveLock[]>
  stats(): Promise<LockStats>
  /** Removes records of locks that have run out. Returns how many. */
  cleanupExpired(): Promise<number>
  /** Everything of this format in this store, whoever has it: planned, fenced, recorded and undoable as in the console. */
  releaseAll(options: { readonly reason: string; readonly dataFolder?: string }): Promise<ReleasedAll>
  /**
   * Whoever waits is sent away, and releases that are under way are waited for. What is held stays held until its time is over:
   * work may still go on under it.
   */
  close(): Promise<void>
}
