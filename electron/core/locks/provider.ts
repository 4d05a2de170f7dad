import type { ActiveLock, CurrentHolder, Metadata, ReleasedAll } from './types.ts'

export type ProviderOptions = {
  /** Which format to write; the provider's own default if it is null. One that it cannot write is BAD_INPUT. */
  readonly format: string | null
  /** Whether acquisitions get a fencing number; where it costs nothing if it is left open. */
  readonly fencing: boolean | undefined
  /** For what the program should know of its store. */
  readonly warn?: ((message: string) => void) | undefined
}

/** What is asked of a store when a lock is taken. */
export type AcquireRequest = {
  readonly owner: string
  readonly ttlMs: number
  readonly metadata: Metadata | null
}

/**
 * What proves that a lock is ours: the owner and, where the format has room for it, a mark that differs with every acquisition.
 * Without a mark, the owner alone counts.
 */
export type OwnerProof = { readonly owner: string; readonly mark: string | null }

/** Times are epoch milliseconds by the store's clock. */
export type Grant = {
  readonly is: 'taken'
  readonly mark: string | null
  readonly fencing: number | null
  readonly acquiredAt: number
  readonly expiresAt: number
}
/** `leftMs` is how long it will be held unless it is renewed or let go; null for ever or unknown. */
export type Refusal = { readonly is: 'held'; readonly holder: CurrentHolder; readonly leftMs: number | null }
export type Extension = { readonly is: 'extended'; readonly expiresAt: number }
export type Release = { readonly is: 'released' }
export type Loss = { readonly is: 'lost'; readonly holder: CurrentHolder | null }

/**
 * The few things a lock manager does to a store, each one atomic step there, in the format that the programs share. All time is
 * the store's. A lock that has run out is never extended, also if nobody has taken it since, and none is granted for less than
 * was asked for: formats that count in seconds round up. Every method may throw StoreError
 * and nothing else; `uncertain` is set when the step may have been done all the same.
 */
export interface Provider {
  readonly kind: string
  readonly format: string
  readonly defaultTtlMs: number
  /** How often a waiter looks again when nobody tells it. */
  readonly pollMs: number
  /** The key as the store has it. Throws for a name that the format cannot carry. */
  keyOf(name: string): string
  /** And back; null for a key that is not of this format. */
  nameOf(key: string): string | null
  setup(signal: AbortSignal): Promise<void>
  take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<Grant | Refusal>
  extend(name: string, proof: OwnerProof, ttlMs: number, signal: AbortSignal): Promise<Extension | Loss>
  release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<Release | Loss>
  /** Who has it now; null if nobody has, or its time has run out. */
  read(name: string, signal: AbortSignal): Promise<CurrentHolder | null>
  /**
   * Calls back whenever the lock may have become free, until it is told to stop; resolves when nothing can be missed any more.
   * Null where the store tells nobody.
   */
  readonly listen: ((name: string, changed: () => void, signal: AbortSignal) => Promise<() => void>) | null
  close(): Promise<void>
}

/** All locks of one format in a store, whoever holds them. */
export interface Inventory {
  activeLocks(signal: AbortSignal): Promise<ActiveLock[]>
  cleanupExpired(signal: AbortSignal): Promise<number>
  releaseAll(options: { readonly reason: string; readonly dataFolder?: string }): Promise<ReleasedAll>
}
