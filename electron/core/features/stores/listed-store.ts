import { randomUUID } from 'node:crypto'
import { parseAddress, passwordFits, type StoreAddress, showAddress } from '../../../../shared/address.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { StoreEntry, StoreProfile } from '../../../../shared/stores.ts'

/** A store of the list, with what only core may know of it. */
export type ListedStore = {
  readonly storeId: string
  readonly origin: StoreEntry['origin']
  profile: StoreProfile
  open: boolean
  revision: number
  password: string | null
  sealed: string | null
  /** The vault could not open what was sealed. It is kept all the same: another day it may. */
  lost: boolean
  problem: Failure | null
  /** Goes up with every decision about the connection: an attempt to connect that is not the last one gives up. */
  attempt: number
}

export function listedStore(
  profile: StoreProfile,
  origin: ListedStore['origin'],
  password: string | null,
  storeId: string = randomUUID(),
): ListedStore {
  const fresh = { open: true, revision: 0, sealed: null, lost: false, problem: null, attempt: 0 }
  return { storeId, origin, profile, password, ...fresh }
}

/** As a screen may see it. */
export function entryOf(store: ListedStore): StoreEntry {
  const { storeId, profile, origin, open, revision, problem } = store
  const kind = parsed(profile.address)?.kind ?? 'memory'
  return { ...profile, storeId, kind, origin, open, revision, password: passwordState(store), problem }
}

function passwordState({ password, sealed, lost }: ListedStore): StoreEntry['password'] {
  if (sealed !== null && !lost) return 'kept'
  return password === null ? 'none' : 'session'
}

/** The same account on the same server. An address that does not parse is nobody's. */
export function isSameAccount(known: string, wanted: StoreAddress): boolean {
  const address = parsed(known)
  return address !== null && passwordFits(address, wanted)
}

/** For an address that others wrote, by hand or with a newer version: its password apart from it, in every case. */
export function withoutPassword(text: string): { address: string; password: string | null } {
  const address = parsed(text)
  if (address) return { address: showAddress(address), password: address.password || null }
  return { address: text.replace(/\/\/.*@/s, '//'), password: null }
}

function parsed(text: string): StoreAddress | null {
  try {
    return parseAddress(text)
  } catch {
    return null
  }
}
