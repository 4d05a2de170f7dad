import type { ActiveLock, CurrentHolder, Metadata, ReleaseAllOptions, ReleasedAll } from './types.ts'

export type ProviderOptions = {
  /** Null for the provider's default. A format that it cannot write is BAD_INPUT. */
  readonly format: string | null
  /** Whether acquisitions get a fencing number. Undefined: where it costs nothing. */
  readonly fencing: boolean | undefined
  /** Receives warnings about the store. */
  readonly warn?: ((message: string) => void) | undefined
}

/** What a store needs to grant a lock. */
export type AcquireRequest = {
  readonly owner: string
  readonly ttlMs: number
  readonly metadata: Metadata | null
}

/** Proves that a lock is ours: its owner and, where the format has room, a mark unique to the acquisition. Null if there is none. */
export type OwnerProof = { readonly owner: string; readonly mark: string | null }

/** Times are epoch milliseconds by the store's clock. */
export type Grant = {
  readonly is: 'taken'
  readonly mark: string | null
  readonly fencing: number | null
  readonly acquiredAt: number
  readonly expiresAt: number
}
/** `leftMs`: how long the lock stays held unless it is renewed or released; null for no end or an unknown one. */
export type Refusal = { readonly is: 'held'; readonly holder: CurrentHolder; readonly leftMs: number | null }

/** The answer to a request for a held lock at this time of the store. */
export function heldBy(holder: CurrentHolder, now: number): Refusal {
  const leftMs = holder.expiresAt === null ? null : Math.max(0, holder.expiresAt - now)
  return { is: 'held', holder, leftMs }
}

export type Extension = { readonly is: 'extended'; readonly expiresAt: number }
export type Release = { readonly is: 'released' }
export type Loss = { readonly is: 'lost'; readonly holder: CurrentHolder | null }

export type AcquireAnswer = Grant | Refusal
export type ExtendAnswer = Extension | Loss
export type ReleaseAnswer = Release | Loss

/** What a provider knows without asking its store. */
export interface ProviderTraits {
  readonly kind: string
  readonly format: string
  readonly defaultTtlMs: number
  /** How often a waiter polls when no notification arrives. */
  readonly pollMs: number
  /** The option of an address that selects these locks in a store with other records. `value` throws if there is none. */
  readonly selection?: { readonly option: string; value(): string } | undefined
  /** The key in the store. Throws for a name that the format cannot store. */
  keyOf(name: string): string
  /** The reverse; null for a key of another format. */
  nameOf(key: string): string | null
}

/**
 * What a lock manager does to a store, each one atomic step there, in the format that the programs share. All times are the store's.
 * An expired lock is never extended, even if it is still free. No lease is shorter than requested: formats that count in seconds
 * round up. Methods throw StoreError and nothing else; it is `uncertain` if the step may have been done.
 */
export interface Provider extends ProviderTraits {
  setup(signal: AbortSignal): Promise<void>
  take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<AcquireAnswer>
  extend(name: string, proof: OwnerProof, ttlMs: number, signal: AbortSignal): Promise<ExtendAnswer>
  release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<ReleaseAnswer>
  /** The current holder; null if the lock is free or expired. */
  read(name: string, signal: AbortSignal): Promise<CurrentHolder | null>
  /** Calls back whenever the lock may be free, until stopped. Resolves once no release can be missed. Null: no notifications. */
  readonly listen: ((name: string, changed: () => void, signal: AbortSignal) => Promise<() => void>) | null
  close(): Promise<void>
}

/** All locks of one format in a store, of any holder. */
export interface Inventory {
  activeLocks(signal: AbortSignal): Promise<ActiveLock[]>
  cleanupExpired(signal: AbortSignal): Promise<number>
  releaseAll(options: ReleaseAllOptions): Promise<ReleasedAll>
}
