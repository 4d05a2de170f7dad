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
import { ListRules } from './list-rules.ts'
import {
  adoptSealed,
  checkBinding,
  freeName,
  isSameAccount,
  keptOf,
  type ListedStore,
  listedStore,
  mostRecent,
  replaced,
  shownSuggestion,
  unseal,
  withoutPassword,
  withoutPasswords,
} from './listed-store.ts'
import { type KeptStore, noticeOf, type StoresJson } from './store-file.ts'
import { checkProtection, compareAddresses } from './store-rules.ts'
import { type SecretVault, sealIn } from './vault.ts'

/** What a console opens at its start, besides the stores of its list. */
export type StartOptions = {
  /** Addresses, with their passwords. */
  readonly stores: readonly string[]
  readonly suggestions: readonly ReadySuggestion[]
  /** Whether to open the practice store when nothing else is open. */
  readonly practice: boolean
  /** What its screens should say from the start. */
  readonly notice?: string | null
}

/** How often a console checks for decisions of other consoles. */
const POLL_MS = 2000
const PRACTICE = 'memory:practice'

/**
 * The stores of a console: what the operator decided about each, its password, and whether it is open. Decisions are taken
 * in their order of arrival, each written down before it counts. No decision waits for a connection or a keyring, which may
 * hang.
 */
export class Stores {
  readonly #listed = new Map<string, ListedStore>()
  readonly rules: ListRules
  readonly #feed = new ChangeFeed(0)
  readonly #decisions = new WorkQueue()
  #onRemoved = (_storeId: string) => {}
  #ready: Promise<void> = Promise.resolve()
  #isLoaded = false
  #notice: string | null = null
  /** The notice of the file that screens have. */
  #shownNotice: string | null = null
  #pollTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(
    readonly connections: Connections,
    readonly file: SharedFile<StoresJson>,
    readonly vault: SecretVault,
    readonly start: StartOptions,
  ) {
    this.rules = new ListRules({
      connections,
      file,
      listed: this.#listed,
      edit: change => this.#decisions.run(() => this.#edit(change)),
      changed: () => this.#feed.changed(),
    })
  }

  /** Reads the list and opens its stores. Call it once, after all subscribers are registered. */
  load(): void {
    this.#ready = this.#decisions.run(() => this.#load())
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#pollTimer)
  }

  /** Calls back when a store is removed from the list. */
  onRemoved(listener: (storeId: string) => void): void {
    this.#onRemoved = listener
  }

  /** The whole list, now and whenever it changes. */
  async *watch(signal: AbortSignal): AsyncIterable<StoresEvent> {
    await this.#ready
    yield* this.#feed.events(() => this.#event(), signal)
  }

  async add(input: Input<'stores.add'>): Promise<StoreEntry> {
    const { profile, password } = await this.draft(input)
    const store = listedStore({ profile, origin: 'saved', password })
    return this.#decide(async () => {
      this.#checkName(profile.name, null)
      store.sealed = await sealIn(this.vault, password, parseAddress(profile.address))
      await this.#edit(kept => {
        this.#checkName(profile.name, null)
        return [...kept, keptOf(store)]
      })
      this.#listed.set(store.storeId, store)
      return { store, settling: this.#connect(store) }
    })
  }

  /** `seen` is the profile in the audit log: a protection that the log does not have is not removed. */
  async edit(
    { storeId, profile: draft, password: typed }: Input<'stores.edit'>,
    seen: StoreProfile | null,
  ): Promise<StoreEntry> {
    const address = parseAddress(draft.address)
    const profile = { ...draft, address: showAddress(address) }
    // Undefined without a new password: the known one then stays, but only for the server it was given for.
    const password = address.password ?? typed
    const given = password || null
    return this.#decide(async () => {
      const store = this.#find(storeId)
      this.#checkName(profile.name, storeId)
      const sealed = await sealIn(this.vault, given, address)
      let change: Partial<ListedStore> = {}
      await this.#edit(kept => {
        this.#checkListed(store)
        this.#checkName(profile.name, storeId)
        checkProtection(store.profile, seen, profile)
        const keepsPassword = password === undefined && isSameAccount(store.profile.address, address)
        const serverIds = compareAddresses(store.profile.address, profile.address) ? store.serverIds : []
        change = { profile, serverIds, ...(!keepsPassword && { password: given, sealed, unusable: null }) }
        return replaced(kept, keptOf({ ...store, ...change }))
      })
      const elsewhere =
        profile.address !== store.profile.address ||
        (change.password !== undefined && change.password !== store.password)
      Object.assign(store, change)
      if (store.open && (elsewhere || store.problem)) return { store, settling: this.#connect(store) }
      this.#feed.changed()
      return { store }
    })
  }

  async remove(storeId: string, seen: StoreProfile | null): Promise<void> {
    await this.#decide(async () => {
      const store = this.#find(storeId)
      await this.#edit(kept => {
        checkProtection(store.profile, seen, null)
        const others = kept.filter(each => each.storeId !== storeId)
        return others.length < kept.length ? others : kept
      })
      return { store, settling: this.#drop(store) }
    })
  }

  async setOpen(storeId: string, open: boolean): Promise<StoreEntry> {
    return this.#decide(async () => {
      const store = this.#find(storeId)
      if (store.open === open && !(open && store.problem)) return { store }
      store.open = open
      // Opening it now matters more than remembering it.
      await this.#edit(kept => replaced(kept, keptOf(store))).catch(() => {})
      this.#checkListed(store)
      return { store, settling: open ? this.#connect(store) : this.#disconnect(store) }
    })
  }

  /** A profile without its password, and the password. */
  async draft({ profile, password, passwordOf }: Input<'stores.test'>) {
    await this.#ready
    const address = parseAddress(profile.address)
    const typed = address.password ?? password
    const mayReuse = typed === undefined && passwordOf !== undefined
    const known = mayReuse ? await this.#passwordOf(passwordOf, address) : null
    return { profile: { ...profile, address: showAddress(address) }, password: (typed ?? known) || null }
  }

  /** In the operator's order. */
  ids(): readonly string[] {
    return [...this.#listed.keys()]
  }

  /** Waits for all earlier decisions. */
  decidedProfileOf(storeId: string): Promise<StoreProfile | null> {
    return this.#decisions.run(() => this.profileOf(storeId))
  }

  profileOf(storeId: string): StoreProfile | null {
    return this.#listed.get(storeId)?.profile ?? null
  }

  /** Learns what other consoles of the data folder have decided: every 2 seconds, and before each change. */
  async refresh(): Promise<void> {
    await this.#decisions.run(async () => {
      if (await this.file.read()) this.#adopt(this.file.value.stores)
      else if (this.file.notice === this.#shownNotice) return
      this.#feed.changed()
    })
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

  /** Takes a decision and answers once it has settled. The next decision does not wait for that. */
  async #decide(
    work: () => Promise<{ readonly store: ListedStore; readonly settling?: Promise<void> }>,
  ): Promise<StoreEntry> {
    const { store, settling } = await this.#decisions.run(work)
    await settling
    return this.rules.entryOf(store)
  }

  async #load(): Promise<void> {
    this.#notice = this.start.notice ?? null
    // A damaged list stays where it is: without it, its rules would be gone.
    await this.file.read()
    for (const kept of this.file.value.stores) this.#list(kept)
    for (const text of this.start.stores) {
      try {
        this.#give(parseAddress(text))
      } catch (error) {
        this.#notice = `An address that was given at the start is not used: ${toFailure(error).message}.`
      }
    }
    if (this.start.practice && ![...this.#listed.values()].some(each => each.open))
      this.#give(parseAddress(PRACTICE))
    // A keyring that hangs, or an address that no longer parses, does not delay the other stores.
    for (const store of this.#listed.values()) if (store.open) void this.#connect(store)
    this.#isLoaded = true
    if (!this.#isClosed) this.#pollTimer = setInterval(() => void this.refresh(), POLL_MS).unref()
  }

  #list(kept: KeptStore): ListedStore {
    const { address, password } = withoutPassword(kept.profile.address)
    const profile = { ...kept.profile, address }
    const store = listedStore({ ...kept, profile, origin: 'saved', password })
    this.#listed.set(store.storeId, store)
    return store
  }

  /** Takes over the list of another console. Whether a store is open here does not change. */
  #adopt(kept: readonly KeptStore[]): void {
    // A data folder that is unavailable for a moment removes no store.
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

  #adoptProfile(store: ListedStore, { profile, sealed, serverIds }: KeptStore): void {
    const { address, password } = withoutPassword(profile.address)
    const isElsewhere = address !== store.profile.address
    // A password is never sent to a server that it was not given for.
    const isOtherAccount = isElsewhere && !isSameAccount(store.profile.address, address)
    const replacesPassword = isOtherAccount || (password !== null && password !== store.password)
    store.profile = { ...profile, address }
    // Ours may not be written yet.
    store.serverIds = isElsewhere ? serverIds : mostRecent(serverIds, store.serverIds)
    if (replacesPassword) Object.assign(store, { sealed, password, unusable: null })
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
    this.#onRemoved(store.storeId)
    return this.#disconnect(store)
  }

  /** Opens an address given at the start, listed or not. */
  #give(address: StoreAddress): void {
    const shown = showAddress(address)
    const given = address.password || null
    const listed = [...this.#listed.values()]
    const known = listed.find(each => each.profile.address === shown)
    if (known) {
      known.open = true
      known.password ??= given
      return
    }
    const name = freeName(shortName(address), listed)
    const profile = { name, address: shown, colour: 'slate' as const, production: false, readOnly: false }
    const store = listedStore({ profile, origin: 'given', password: given })
    this.#listed.set(store.storeId, store)
  }

  /** Never fails: the store shows why it could not be opened. */
  async #connect(store: ListedStore): Promise<void> {
    const attempt = ++store.attempt
    store.problem = null
    this.#feed.changed()
    let problem: Failure | null = null
    try {
      // First: from now on, no request for this store may reach its previous server.
      await this.connections.close(store.storeId)
      await unseal(store, this.vault)
      if (store.attempt !== attempt) return
      checkBinding(store)
      await this.connections.open(store.profile.address, store.password ?? undefined, store.storeId)
    } catch (error) {
      problem = this.connections.failureOf(error)
    }
    if (store.attempt !== attempt) return
    store.problem = problem
    store.revision++
    this.#feed.changed()
    if (problem === null) this.rules.learn(store)
  }

  async #disconnect(store: ListedStore): Promise<void> {
    store.attempt++
    store.problem = null
    await this.connections.close(store.storeId)
    this.#feed.changed()
  }

  /** A known password is sent only to the server it was given for: otherwise a form could send it to any server. */
  async #passwordOf(id: string, address: StoreAddress): Promise<string | null> {
    const suggestion = this.start.suggestions.find(each => each.suggestionId === id)
    if (suggestion) return isSameAccount(suggestion.address, address) ? suggestion.password : null
    const store = this.#listed.get(id)
    if (!store) return null
    await unseal(store, this.vault)
    // Checked after the wait, during which the store may have been edited.
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

  /** Changes the file, after adopting the decisions of other consoles. */
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
    this.#shownNotice = this.file.notice
    return {
      stores: [...this.#listed.values()].map(store => this.rules.entryOf(store)),
      suggestions: this.start.suggestions.map(shownSuggestion),
      notice: noticeOf(this.file) ?? this.#notice,
    }
  }
}
