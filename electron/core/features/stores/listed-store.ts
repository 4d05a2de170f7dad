import { randomUUID } from 'node:crypto'
import { parseAddress, passwordFits, type StoreAddress, showAddress } from '../../../../shared/address.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { StoreEntry, StoreProfile, StoreRules, Suggestion } from '../../../../shared/stores.ts'
import { StoreError } from '../../lib/errors.ts'
import type { ReadySuggestion } from '../../stores/kinds/environment.ts'
import type { KeptStore } from './store-file.ts'
import { type SecretVault, type Unusable, unsealFor } from './vault.ts'

/** A store of the list, with its secrets and its state, which only core knows. */
export type ListedStore = {
  readonly storeId: string
  readonly origin: StoreEntry['origin']
  profile: StoreProfile
  open: boolean
  revision: number
  password: string | null
  sealed: string | null
  /** The sealed password is not used, but kept: the keyring may return, or the address may be corrected. */
  unusable: Unusable | null
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
    unusable: null,
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

function passwordState({ password, sealed, unusable }: ListedStore): StoreEntry['password'] {
  if (sealed !== null && unusable === null) return 'kept'
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
  const address = parsed(store.profile.address)
  if (store.password !== null || sealed === null || address === null) return
  const { password, unusable } = await unsealFor(vault, sealed, address)
  // Another password may have been typed meanwhile.
  if (store.password !== null || !isStill(store, sealed, address)) return
  Object.assign(store, { password, unusable })
}

/** Whether neither the sealed password nor the account was replaced while the vault worked. */
function isStill(store: ListedStore, sealed: string, address: StoreAddress): boolean {
  return store.sealed === sealed && isSameAccount(store.profile.address, address)
}

/** Throws if the store's password was not given for its present address: then not even a connection is tried. */
export function checkBinding({ profile: { name }, unusable }: ListedStore): void {
  if (unusable !== 'elsewhere' && unusable !== 'unbound') return
  const why =
    unusable === 'elsewhere'
      ? `The address of ${name} was changed outside Lockkeeper, and its password was given for another one`
      : `The password of ${name} was kept by an earlier version, which did not note its server`
  throw new StoreError(
    'STORE_DENIED',
    `${why}. The password was not sent, and the server was not contacted: check the address, then enter the password again`,
  )
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
  const address = parsed(store.profile.address)
  if (sealed === null || address === null || (store.password === null && !store.open)) {
    store.unusable = null
    return false
  }
  const { password, unusable } = await unsealFor(vault, sealed, address)
  if (!isStill(store, sealed, address)) return false
  store.unusable = unusable
  if (password === null || password === store.password) return false
  store.password = password
  return true
}

/** Enough for a large cluster before and after a failover. */
const MOST_SERVER_IDS = 400

export function mostRecent(ids: readonly string[], before: readonly string[]): string[] {
  return [...new Set([...ids, ...before])].slice(0, MOST_SERVER_IDS)
}
