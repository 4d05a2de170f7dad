import type { CurrentHolder, Metadata } from './types.ts'

export type ProviderOptions = {
  /** Which format to write; the provider's own default if it is null. One that it cannot write is BAD_INPUT. */
  readonly format: string | null
  /** Whether acquisitions get a fencing number; where it costs nothing if it is left open. */
  readonly fencing: boolean | undefined
  /** For what the program should know of its store. */
  readonly warn?: ((message: string) => void) | undefined
}

/** What is asked of a store when a lock is taken. */
export type Wish = {
  readonly owner: string
  readonly ttlMs: number
  readonly metadata: Metadata | null
}

/**
 * What proves that a lock is ours: the owner and, where the format has room for it, a mark that differs with every acquisition.
 * Without a mark, the owner alone counts.
 */
export type Claim = { readonly owner: string; readonly mark: string | null }

/** Times are epoch milliseconds by the store's clock. */
export type Taken = {
  readonly is: 'taken'
  readonly mark: string | null
  readonly fencing: number | null
  readonly acquiredAt: number
  readonly expiresAt: number
}
/** `leftMs` is how long it will be held unless it is renewed or let go; null for ever or unknown. */
export type Held = { readonly is: 'held'; readonly holder: CurrentHolder; readonly leftMs: number | null }
export type Extended = { readonly is: 'extended'; readonly expiresAt: number }
export type LetGoOf = { readonly is: 'released' }
export type Lost = { readonly is: 'lost'; readonly holder: CurrentHolder | null }

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
  take(name: string, wish: Wish, signal: AbortSignal): Promise<Taken | Held>
  extend(name: string, claim: Claim, ttlMs: number, signal: AbortSignal): Promise<Extended | Lost>
  letGo(name: string, claim: Claim, signal: AbortSignal): Promise<LetGoOf | Lost>
  /** Who has it now; null if nobody has, or its time has run out. */
  read(name: string, signal: AbortSignal): Promise<CurrentHolder | null>
  /**
   * Calls back whenever the lock may have become free, until it is told to stop; resolves when nothing can be missed any more.
   * Null where the store tells nobody.
   */
  readonly listen: ((name: string, changed: () => void, signal: AbortSignal) => Promise<() => void>) | null
  close(): Promise<void>
}
