import { randomUUID } from 'node:crypto'
import { parseAddress, passwordFits, type StoreAddress, showAddress } from '../../../../shared/address.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { StoreEntry, StoreProfile, StoreRules, Suggestion } from '../../../../shared/stores.ts'
import type { ReadySuggestion } from '../../stores/kinds/environment.ts'
import type { KeptStore } from './store-file.ts'
import type { SecretVault } from './vault.ts'

/** A store of the list, with its secrets and its state, which only core knows. */
export type ListedStore = {
  readonly storeId: string
  readonly origin: StoreEntry['origin']
  profile: StoreProfile
  open: boolean
  revision: number
  password: string | null
  sealed: string | null
  /** The vault could not unseal the password. It is kept: the keyring may return. */
  lost: boolean
  problem: Failure | null
  /** How its servers identified themselves, the last ones first. */
  serverIds: string[]
  /** Increases with every decision about the connection: an earlier attempt to connect gives up. */
  attempt: number
}

export function listedStore(
  given: Pick<ListedStore, 'profile' | 'origin' | 'password'> & Partial<KeptStore>,
): ListedStore {
  const state = {
    open: true,
    revision: 0,
    sealed: null,
    lost: false,
    problem: null,
    serverIds: [],
    attempt: 0,
  }
  return { storeId: randomUUID(), ...state, ...given }
}

/** The store as a screen may see it. */
export function entryOf(store: ListedStore, rules: StoreRules): StoreEntry {
  const { storeId, profile, origin, open, revision, problem } = store
  const { production, readOnly } = profile
  const [productionName = null] = rules.productionNames
  return {
    ...profile,
    storeId,
    kind: parsed(profile.address)?.kind ?? 'memory',
    production: productionName !== null,
    readOnly: rules.readOnlyBy !== null,
    own: { production, readOnly },
    productionName,
    rulesFrom: rules.from,
    origin,
    open,
    revision,
    password: passwordState(store),
    problem,
  }
}

export function shownSuggestion({ password: _, address, ...suggestion }: ReadySuggestion): Suggestion {
  return { ...suggestion, address: withoutPassword(address).address }
}

function passwordState({ password, sealed, lost }: ListedStore): StoreEntry['password'] {
  if (sealed !== null && !lost) return 'kept'
  return password === null ? 'none' : 'session'
}

/** The wanted name, with a number if another store has that name. */
export function freeName(wanted: string, stores: readonly ListedStore[]): string {
  const names = new Set(stores.map(each => each.profile.name.toLowerCase()))
  let name = wanted.slice(0, 60)
  for (let n = 2; names.has(name.toLowerCase()); n++) name = `${wanted.slice(0, 54)} ${n}`
  return name
}

/** Whether both are the same account on the same server. False for an address that does not parse. */
export function isSameAccount(known: string, wanted: StoreAddress | string): boolean {
  const address = parsed(known)
  const other = typeof wanted === 'string' ? parsed(wanted) : wanted
  return address !== null && other !== null && passwordFits(address, other)
}

/** Separates the password from an address, even from one that does not parse: written by hand, or by a newer version. */
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

export function keptOf({ storeId, profile, open, sealed, serverIds }: ListedStore): KeptStore {
  return { storeId, profile, open, sealed, serverIds }
}

/** Addresses in a file that was edited by hand may contain passwords; ours do not. */
export function withoutPasswords(kept: KeptStore): KeptStore {
  const { address } = withoutPassword(kept.profile.address)
  return { ...kept, profile: { ...kept.profile, address } }
}

/** The same list if the store is not in it: one that was given at the start is not saved. */
export function replaced(kept: readonly KeptStore[], store: KeptStore): readonly KeptStore[] {
  if (!kept.some(each => each.storeId === store.storeId)) return kept
  return kept.map(each => (each.storeId === store.storeId ? store : each))
}

export async function unseal(store: ListedStore, vault: SecretVault): Promise<void> {
  const { sealed } = store
  if (store.password !== null || sealed === null) return
  const password = await vault.unseal(sealed).catch(() => null)
  // Another password may have been typed meanwhile.
  if (store.sealed !== sealed || store.password !== null) return
  store.password = password
  store.lost = password === null
}

/**
 * Adopts the password that another console sealed for the same account; true if it replaced ours. That console may have
 * another vault, or none: a password that works here is replaced only by a different one that this vault can unseal.
 */
export async function adoptSealed(
  store: ListedStore,
  sealed: string | null,
  vault: SecretVault,
): Promise<boolean> {
  store.sealed = sealed
  if (sealed === null || (store.password === null && !store.open)) {
    store.lost = false
    return false
  }
  const password = await vault.unseal(sealed).catch(() => null)
  // The password may have been replaced meanwhile.
  if (store.sealed !== sealed) return false
  store.lost = password === null
  if (password === null || password === store.password) return false
  store.password = password
  return true
}

/** Enough for a large cluster before and after a failover. */
const MOST_SERVER_IDS = 100

export function mostRecent(ids: readonly string[], before: readonly string[]): string[] {
  return [...new Set([...ids, ...before])].slice(0, MOST_SERVER_IDS)
}
