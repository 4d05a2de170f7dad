import type { LockStore } from '../../electron/core/stores/types.ts'

/**
 * What the contract suite needs of a store under test. Everything but the LockStore itself is done the way other programs
 * do it, with the plain client, so that the suite sees what they left behind.
 */
export interface Harness {
  /** A fresh, empty place on the shared server; the store sees nothing but it. */
  readonly store: LockStore
  /** The same place, with an account that may read and nothing else. */
  readonly readOnly: LockStore
  /** The lock's `key` as listed for a name. */
  keyOf(name: string): string
  /**
   * Takes the lock for an owner, replacing whoever has it. `leaseMs` is rounded up to what the store can express; a long one
   * may be cut, to no less than a minute.
   */
  hold(name: string, owner: string, leaseMs: number): Promise<void>
  /** Takes the lock as its library does, only if it is free: whether it was. */
  acquire(name: string, owner: string, leaseMs: number): Promise<boolean>
  /** Many at once, for paging. */
  holdMany(names: readonly string[], owner: string): Promise<void>
  /** Removes the lock as its holder would. */
  drop(name: string): Promise<void>
  /** Who has it now, read with the plain client, or null. */
  ownerOf(name: string): Promise<string | null>
  /** Puts a record there that no format knows, and returns its key. */
  putUnrecognised(): Promise<string>
  /** The server's clock and the lock's deadline, read with the plain client: how long until it ends. */
  remainingMs(name: string): Promise<number>
  close(): Promise<void>
}

/** A private server that can be killed and brought back on the same port, with one lock `survivor` in it. */
export interface Outage {
  readonly store: LockStore
  kill(): Promise<void>
  revive(): Promise<void>
  /** The server accepts connections and answers nothing, until `thaw`. Absent where no call waits for a server. */
  freeze?(): void
  thaw?(): void
  close(): Promise<void>
}

export type HarnessFactory = {
  readonly kind: string
  open(): Promise<Harness>
  openOutage(): Promise<Outage>
}
