import type { PlanStore } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import type { LockStore } from '../../stores/types.ts'
import type { StoreWatcher } from './watcher.ts'

/** A store that is open, with the operator's rules for it. */
export type OpenStore = {
  readonly storeId: string
  readonly name: string
  readonly production: boolean
  /** Asked before each batch: it is what an operator switches on in a hurry. */
  readonly isReadOnly: () => boolean
  /** Of the operator's own list, where it has a name and rules. */
  readonly listed: boolean
  readonly store: LockStore
  readonly watcher: StoreWatcher
  /** Also says when the store is closed. */
  readonly signal: AbortSignal
  readonly redact: (message: string) => string
}

/** How plans reach the stores of their host. */
export interface OpenStores {
  get(storeId: string, signal: AbortSignal): OpenStore
  /** All that are open, under this address. */
  at(address: string, signal: AbortSignal): OpenStore[]
}

/** What a store is called here counts, and not what a plan that came from elsewhere calls it. */
export function asKnownHere(stores: OpenStores, wanted: PlanStore): PlanStore {
  const there = stores.at(wanted.address, new AbortController().signal).filter(each => each.listed)
  const known = there.find(each => each.name === wanted.name) ?? there[0]
  if (!known) return wanted
  return { ...wanted, name: known.name, production: known.production || wanted.production }
}

/** The store that a plan means: the one of that name, if it is at that address, or whichever is. */
export function storeOf(stores: OpenStores, wanted: PlanStore, signal: AbortSignal): OpenStore {
  const there = stores.at(wanted.address, signal)
  const found = there.find(each => each.name === wanted.name) ?? there[0]
  if (!found)
    throw new StoreError(
      'REFUSED',
      `The store ${wanted.name} (${wanted.address}) is not open here: open it first`,
    )
  return found
}
