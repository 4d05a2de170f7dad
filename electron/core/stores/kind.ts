import type { StoreAddress } from '../../../shared/address.ts'
import type { KindDescription } from '../../../shared/kinds.ts'
import type { Format, LockStore } from './types.ts'
import type { Variables } from './variables.ts'

/** A kind of store: its folder's `kind.ts` holds one. Listing kinds loads no client; opening a store loads its own. */
export interface StoreKind {
  readonly description: KindDescription
  /** Of the formats with `take`, the last one fits any key. */
  readonly formats: readonly KindFormat[]
  /** The connections that an application's own variables may describe, the most telling first. */
  readonly environment: readonly EnvironmentSource[]
  /** Contacts no server. */
  open(address: StoreAddress): Promise<LockStore>
}

/** What the rest of core may know of a format. */
export type KindFormat = Pick<Format<never, unknown>, 'info' | 'take' | 'takeHarm'>

export type EnvironmentSource = {
  readonly suggestionId: string
  /** Null when the variables describe nothing. */
  read(variables: Variables): StoreAddress | null
}
