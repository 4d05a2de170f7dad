import { parseAddress, type StoreAddress, shortName, showAddress } from '../../../../shared/address.ts'
import type { Input } from '../../../../shared/contract.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { StoreEntry, StoreProfile, StoresEvent } from '../../../../shared/stores.ts'
import type { SharedFile } from '../../files/shared-file.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { ReadySuggestion } from '../../stores/kinds/environment.ts'
import type { Connections } from './connections.ts'
import {
  adoptSealed,
  entryOf,
  freeName,
  isSameAccount,
  keptOf,
  type ListedStore,
  listedStore,
  replaced,
  shownSuggestion,
  unseal,
  withoutPassword,
  withoutPasswords,
} from './listed-store.ts'
import type { KeptStore, StoresJson } from './store-file.ts'
import { checkProtection } from './store-rules.ts'
import { type SecretVault, sealWithin } from './vault.ts'

/** What a console opens when it starts, besides the stores it keeps. */
export type StartOptions = {
  readonly stores: readonly string[]
  /** For those of them whose address has none. */
  readonly password?: string
  readonly suggestions: readonly ReadySuggestion[]
  /** Whether to open the practice store when nothing else is open. */
  readonly practice: boolean
}

/** Somebody may have to answer a question of the keyring first. */
const SEAL_MS = 30_000
/** How soon a console learns what another one decided. */
const POLL_MS = 2000
const PRACTICE = 'memory:practice'

/**
 * The stores of a console: what the operator decided about each, its password, and whether it is open. Decisions are taken
 * in the order in which they come, each written down before it counts. Connecting, and opening what was sealed, may take
 * for ever: no decision waits for them.
 */
export class Stores {
  readonly #listed = new Map<string, ListedStore>()
  readonly #feed = new ChangeFeed(0)
  readonly #decisions = new WorkQueue()
  readonly #removalListeners: ((storeId: string) => void)[] = []
  #ready: Promise<void> = Promise.resolve()
  #isLoaded = false
  #notice: string | null = null
  #toldNotice: string | null = null
  #pollTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    readonly connections: Connections,
    readonly file: SharedFile<StoresJson>,
    readonly vault: SecretVault,
    readonly start: StartOptions,
  ) {}

  /** Reads the list and opens its stores. To be called once, when all who follow open stores are registered. */
  load(): void {
    this.#ready = this.#decisions.run(() => this.#load())
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#pollTimer)
  }

  onRemoved(listener: (storeId: string) => void): void {
    this.#removalListeners.push(listener)
  }

  /** The whole list, now and whenever it changes. */
  async *watch(signal: AbortSignal): AsyncIterable<StoresEvent> {
    await this.#ready
    yield* this.#feed.events(() => this.#event(), signal)
  }

  async add(input: Input<'stores.add'>): Promise<StoreEntry> {
    const { profile, password } = await this.#draft(input)
    const store = listedStore(profile, 'saved', password)
    let connecting = Promise.resolve()
    await this.#decisions.run(async () => {
      this.#checkName(profile.name, null)
      store.sealed = await sealWithin(SEAL_MS, this.vault, password)
      await this.#edit(kept => {
        this.#checkName(profile.name, null)
        return [...kept, keptOf(store)]
      })
      this.#listed.set(store.storeId, store)
      connecting = this.#connect(store)
    })
    await connecting
    return entryOf(store)
  }

  /** `seen` is the profile that the audit log knows by then: a protection that it does not know is not taken away. */
  async edit(
    { storeId, profile: draft, password: typed }: Input<'stores.edit'>,
    seen: StoreProfile | null,
  ): Promise<StoreEntry> {
    const address = parseAddress(draft.address)
    const profile = { ...draft, address: showAddress(address) }
    // Undefined when nothing was said about it: what is known then stays, but only for the server it was given for.
    const said = address.password ?? typed
    const given = said || null
    let connecting = Promise.resolve()
    const store = await this.#decisions.run(async () => {
      const store = this.#find(storeId)
      this.#checkName(profile.name, storeId)
      const sealed = await sealWithin(SEAL_MS, this.vault, given)
      let change: Partial<ListedStore> = {}
      await this.#edit(kept => {
        this.#checkListed(store)
        this.#checkName(profile.name, storeId)
        checkProtection(store.profile, seen, profile)
        const keepsPassword = said === undefined && isSameAccount(store.profile.address, address)
        change = keepsPassword ? { profile } : { profile, password: given, sealed, lost: false }
        return replaced(kept, keptOf({ ...store, ...change }))
      })
      const elsewhere =
        profile.address !== store.profile.address ||
        (change.password !== undefined && change.password !== store.password)
      Object.assign(store, change)
      if (store.open && (elsewhere || store.problem)) connecting = this.#connect(store)
      else this.#feed.changed()
      return store
    })
    await connecting
    return entryOf(store)
  }

  async remove(storeId: string, seen: StoreProfile | null): Promise<void> {
    let closing = Promise.resolve()
    await this.#decisions.run(async () => {
      const store = this.#find(storeId)
      await this.#edit(kept => {
        checkProtection(store.profile, seen, null)
        return kept.some(each => each.storeId === storeId)
          ? kept.filter(each => each.storeId !== storeId)
          : kept
      })
      closing = this.#drop(store)
    })
    await closing
  }

  async setOpen(storeId: string, open: boolean): Promise<StoreEntry> {
    let settling = Promise.resolve()
    const store = await this.#decisions.run(async () => {
      const store = this.#find(storeId)
      if (store.open === open && !(open && store.problem)) return store
      store.open = open
      // Whether it is open next time is worth less than that it is opened now.
      await this.#edit(kept => replaced(kept, keptOf(store))).catch(() => {})
      this.#checkListed(store)
      settling = open ? this.#connect(store) : this.#disconnect(store)
      return store
    })
    await settling
    return entryOf(store)
  }

  /** The address and password of a draft, to try it without keeping it. */
  async resolve(input: Input<'stores.test'>): Promise<{ address: string; password: string | undefined }> {
    const { profile, password } = await this.#draft(input)
    return { address: profile.address, password: password ?? undefined }
  }

  /** In the operator's order. */
  ids(): readonly string[] {
    return [...this.#listed.keys()]
  }

  /** After all decisions that were taken before. */
  decidedProfileOf(storeId: string): Promise<StoreProfile | null> {
    return this.#decisions.run(() => this.profileOf(storeId))
  }

  profileOf(storeId: string): StoreProfile | null {
    return this.#listed.get(storeId)?.profile ?? null
  }

  /** Whether a store at this address may be open soon: the list is being read, or the store is connecting. */
  isOpening(address: string): boolean {
    const isConnecting = ({ storeId, profile, open, problem }: ListedStore) =>
      open && !problem && profile.address === address && !this.connections.addressOf(storeId)
    return !this.#isLoaded || [...this.#listed.values()].some(isConnecting)
  }

  revisionOf(storeId: string): number | null {
    return this.#listed.get(storeId)?.revision ?? null
  }

  async #load(): Promise<void> {
    await this.file.read({ setAside: true })
    for (const kept of this.file.value.stores) this.#list(kept)
    for (const text of this.start.stores) {
      try {
        this.#give(parseAddress(text), this.start.password ?? null)
      } catch (error) {
        this.#notice = `An address that was given at the start is not used: ${toFailure(error).message}.`
      }
    }
    if (this.start.practice && ![...this.#listed.values()].some(each => each.open))
      this.#give(parseAddress(PRACTICE), null)
    // One keyring that hangs, or one address that no longer parses, keeps nobody else waiting.
    for (const store of this.#listed.values()) if (store.open) void this.#connect(store)
    this.#isLoaded = true
    if (!this.#isClosed) this.#pollTimer = setInterval(() => void this.#poll(), POLL_MS).unref()
  }

  #list({ storeId, profile, open, sealed }: KeptStore): ListedStore {
    const { address, password } = withoutPassword(profile.address)
    const store = listedStore({ ...profile, address }, 'saved', password, storeId)
    this.#listed.set(storeId, Object.assign(store, { open, sealed }))
    return store
  }

  /** Learns what other consoles of the data folder have decided. */
  async #poll(): Promise<void> {
    await this.#decisions.run(async () => {
      if (await this.file.read()) this.#adopt(this.file.value.stores)
      else if (this.file.notice === this.#toldNotice) return
      this.#feed.changed()
    })
  }

  /** Takes over the list as another console left it. A store that is open here stays open, and the other way round. */
  #adopt(kept: readonly KeptStore[]): void {
    // A data folder that is away for a moment takes no store from a console that runs.
    if (this.file.isMissing) return
    const ids = new Set(kept.map(({ storeId }) => storeId))
    for (const store of [...this.#listed.values()])
      if (store.origin === 'saved' && !ids.has(store.storeId)) void this.#drop(store)
    for (const each of kept) {
      const store = this.#listed.get(each.storeId)
      if (store) this.#adoptProfile(store, each)
      else {
        const added = this.#list(each)
        if (added.open) void this.#connect(added)
      }
    }
  }

  #adoptProfile(store: ListedStore, { profile, sealed }: KeptStore): void {
    const { address, password } = withoutPassword(profile.address)
    const isElsewhere = address !== store.profile.address
    // A password is never sent to a server that it was not given for.
    const isOtherAccount = isElsewhere && !isSameAccount(store.profile.address, address)
    const replacesPassword = isOtherAccount || (password !== null && password !== store.password)
    store.profile = { ...profile, address }
    if (replacesPassword) Object.assign(store, { sealed, password, lost: false })
    else if (sealed !== store.sealed) void this.#adoptSealed(store, sealed)
    if (store.open && (isElsewhere || replacesPassword)) void this.#connect(store)
  }

  async #adoptSealed(store: ListedStore, sealed: string | null): Promise<void> {
    const isReplaced = await adoptSealed(store, sealed, this.vault)
    if (isReplaced && store.open && this.#listed.has(store.storeId)) void this.#connect(store)
    else this.#feed.changed()
  }

  #drop(store: ListedStore): Promise<void> {
    this.#listed.delete(store.storeId)
    for (const listener of this.#removalListeners) listener(store.storeId)
    return this.#disconnect(store)
  }

  /** Opens what came with the start, whether it is kept already or not. */
  #give(address: StoreAddress, password: string | null): void {
    const shown = showAddress(address)
    const given = (address.password ?? password) || null
    const listed = [...this.#listed.values()]
    const known = listed.find(each => each.profile.address === shown)
    if (known) {
      known.open = true
      known.password ??= given
      return
    }
    const profile = { colour: 'slate' as const, production: false, readOnly: false }
    const store = listedStore(
      { name: freeName(shortName(address), listed), address: shown, ...profile },
      'given',
      given,
    )
    this.#listed.set(store.storeId, store)
  }

  /** Never fails: why it could not be opened is told with the store. */
  async #connect(store: ListedStore): Promise<void> {
    const attempt = ++store.attempt
    store.problem = null
    this.#feed.changed()
    let problem: Failure | null = null
    try {
      // First of all: what is asked of this store from now on must not reach the server that it was before.
      await this.connections.close(store.storeId)
      await unseal(store, this.vault)
      if (store.attempt !== attempt) return
      await this.connections.open(store.profile.address, store.password ?? undefined, store.storeId)
    } catch (error) {
      const { code, message } = toFailure(error)
      problem = { code, message: this.connections.redact(message) }
    }
    if (store.attempt !== attempt) return
    store.problem = problem
    store.revision++
    this.#feed.changed()
  }

  async #disconnect(store: ListedStore): Promise<void> {
    store.attempt++
    store.problem = null
    await this.connections.close(store.storeId)
    this.#feed.changed()
  }

  /** A profile as it may be kept, and its password apart from it. */
  async #draft({ profile, password, passwordOf }: Input<'stores.test'>) {
    await this.#ready
    const address = parseAddress(profile.address)
    const typed = address.password ?? password
    const known =
      typed === undefined && passwordOf !== undefined ? this.#passwordOf(passwordOf, address) : null
    return {
      profile: { ...profile, address: showAddress(address) },
      password: (typed ?? (await known)) || null,
    }
  }

  /**
   * A password that core knows goes along only to the server it was given for: otherwise whoever can fill in a form could
   * have it sent to a server of their own.
   */
  async #passwordOf(id: string, address: StoreAddress): Promise<string | null> {
    const suggestion = this.start.suggestions.find(each => each.suggestionId === id)
    if (suggestion) return isSameAccount(suggestion.address, address) ? suggestion.password : null
    const store = this.#listed.get(id)
    if (!store) return null
    await unseal(store, this.vault)
    // Asked after the wait, in which the store may have become another.
    return isSameAccount(store.profile.address, address) ? store.password : null
  }

  #checkName(name: string, except: string | null): void {
    const taken = [...this.#listed.values()].some(
      each => each.storeId !== except && each.profile.name.toLowerCase() === name.toLowerCase(),
    )
    if (taken) throw new StoreError('BAD_INPUT', 'Another store has this name already')
  }

  #find(storeId: string): ListedStore {
    const store = this.#listed.get(storeId)
    if (!store) throw new StoreError('NOT_FOUND', 'There is no such store')
    return store
  }

  /** Changes the file on top of what other consoles have decided, which counts here first. */
  async #edit(change: (kept: readonly KeptStore[]) => readonly KeptStore[]): Promise<void> {
    const before = this.file.value
    await this.file.update(file => {
      if (file !== before) {
        this.#adopt(file.stores)
        this.#feed.changed()
      }
      const saved = [...this.#listed.values()].filter(({ origin }) => origin === 'saved')
      const stores = change(this.file.isMissing ? saved.map(keptOf) : file.stores)
      return stores === file.stores ? file : { ...file, stores: stores.map(withoutPasswords) }
    })
  }

  #checkListed(store: ListedStore): void {
    if (!this.#listed.has(store.storeId))
      throw new StoreError(
        'NOT_FOUND',
        `The store ${store.profile.name} was removed in another console: nothing was changed`,
      )
  }

  #event(): StoresEvent {
    this.#toldNotice = this.file.notice
    return {
      stores: [...this.#listed.values()].map(entryOf),
      suggestions: this.start.suggestions.map(shownSuggestion),
      notice: this.#toldNotice ?? this.#notice,
    }
  }
}
