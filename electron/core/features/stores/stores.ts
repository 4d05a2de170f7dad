import { parseAddress, type StoreAddress, shortName, showAddress } from '../../../../shared/address.ts'
import type { Input } from '../../../../shared/contract.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { StoreEntry, StoreProfile, StoresEvent } from '../../../../shared/stores.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { within } from '../../lib/timers.ts'
import type { ReadySuggestion } from '../../stores/kinds/environment.ts'
import type { Connections } from './connections.ts'
import { entryOf, isSameAccount, type ListedStore, listedStore, withoutPassword } from './listed-store.ts'
import type { StoreFile } from './store-file.ts'
import type { SecretVault } from './vault.ts'

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
const PRACTICE = 'memory:practice'

/**
 * The stores of a console: what the operator decided about each, its password, and whether it is open. Decisions are taken
 * in the order in which they come, each written down before it counts. Connecting, and opening what was sealed, may take
 * for ever: no decision waits for them.
 */
export class Stores {
  readonly #listed = new Map<string, ListedStore>()
  readonly #listeners = new Set<() => void>()
  readonly #decisions = new WorkQueue()
  readonly #removalListeners: ((storeId: string) => void)[] = []
  #ready: Promise<void> = Promise.resolve()
  #notice: string | null = null

  constructor(
    readonly connections: Connections,
    readonly file: StoreFile,
    readonly vault: SecretVault,
    readonly start: StartOptions,
  ) {}

  /** Reads the list and opens its stores. To be called once, when all who follow open stores are registered. */
  load(): void {
    this.#ready = this.#decisions.run(() => this.#load())
  }

  onRemoved(listener: (storeId: string) => void): void {
    this.#removalListeners.push(listener)
  }

  /** The whole list, now and whenever it changes. */
  async *watch(signal: AbortSignal): AsyncIterable<StoresEvent> {
    await this.#ready
    let changed = true
    let wake = () => {}
    const onChange = () => {
      changed = true
      wake()
    }
    this.#listeners.add(onChange)
    signal.addEventListener('abort', onChange)
    try {
      while (!signal.aborted) {
        if (changed) {
          changed = false
          yield this.#event()
        } else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
    } finally {
      this.#listeners.delete(onChange)
      signal.removeEventListener('abort', onChange)
    }
  }

  async add(input: Input<'stores.add'>): Promise<StoreEntry> {
    const { profile, password } = await this.#draft(input)
    const store = listedStore(profile, 'saved', password)
    let connecting = Promise.resolve()
    await this.#decisions.run(async () => {
      this.#checkName(profile.name, null)
      store.sealed = await this.#seal(password)
      await this.#save([...this.#listed.values(), store])
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
      checkProtection(store.profile, seen, profile)
      const keepsPassword = said === undefined && isSameAccount(store.profile.address, address)
      const change = keepsPassword
        ? { profile }
        : { profile, password: given, sealed: await this.#seal(given), lost: false }
      await this.#save(
        [...this.#listed.values()].map(each => (each === store ? { ...each, ...change } : each)),
      )
      const elsewhere =
        profile.address !== store.profile.address || (!keepsPassword && given !== store.password)
      Object.assign(store, change)
      if (store.open && (elsewhere || store.problem)) connecting = this.#connect(store)
      else this.#changed()
      return store
    })
    await connecting
    return entryOf(store)
  }

  async remove(storeId: string, seen: StoreProfile | null): Promise<void> {
    let closing = Promise.resolve()
    await this.#decisions.run(async () => {
      const store = this.#find(storeId)
      checkProtection(store.profile, seen, null)
      await this.#save([...this.#listed.values()].filter(each => each !== store))
      this.#listed.delete(storeId)
      closing = this.#disconnect(store)
    })
    await closing
    for (const listener of this.#removalListeners) listener(storeId)
  }

  async setOpen(storeId: string, open: boolean): Promise<StoreEntry> {
    let settling = Promise.resolve()
    const store = await this.#decisions.run(async () => {
      const store = this.#find(storeId)
      if (store.open === open && !(open && store.problem)) return store
      store.open = open
      // Whether it is open next time is worth less than that it is opened now.
      await this.#save([...this.#listed.values()]).catch(() => {})
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

  has(storeId: string): boolean {
    return this.#listed.has(storeId)
  }

  /** After all decisions that were taken before. */
  decidedProfileOf(storeId: string): Promise<StoreProfile | null> {
    return this.#decisions.run(() => this.profileOf(storeId))
  }

  profileOf(storeId: string): StoreProfile | null {
    return this.#listed.get(storeId)?.profile ?? null
  }

  revisionOf(storeId: string): number | null {
    return this.#listed.get(storeId)?.revision ?? null
  }

  async #load(): Promise<void> {
    const { stores, notice } = await this.file.read()
    this.#notice = notice
    for (const { storeId, profile, open, sealed } of stores) {
      const { address, password } = withoutPassword(profile.address)
      const store = listedStore({ ...profile, address }, 'saved', password, storeId)
      this.#listed.set(storeId, Object.assign(store, { open, sealed }))
    }
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
  }

  /** Opens what came with the start, whether it is kept already or not. */
  #give(address: StoreAddress, password: string | null): void {
    const shown = showAddress(address)
    const given = (address.password ?? password) || null
    const known = this.#at(shown)
    if (known) {
      known.open = true
      known.password ??= given
      return
    }
    const profile = { colour: 'slate' as const, production: false, readOnly: false }
    const store = listedStore(
      { name: this.#freeName(shortName(address)), address: shown, ...profile },
      'given',
      given,
    )
    this.#listed.set(store.storeId, store)
  }

  /** Never fails: why it could not be opened is told with the store. */
  async #connect(store: ListedStore): Promise<void> {
    const attempt = ++store.attempt
    store.problem = null
    this.#changed()
    let problem: Failure | null = null
    try {
      // First of all: what is asked of this store from now on must not reach the server that it was before.
      await this.connections.close(store.storeId)
      await this.#unseal(store)
      if (store.attempt !== attempt) return
      await this.connections.open(store.profile.address, store.password ?? undefined, store.storeId)
    } catch (error) {
      const { code, message } = toFailure(error)
      problem = { code, message: this.connections.redact(message) }
    }
    if (store.attempt !== attempt) return
    store.problem = problem
    store.revision++
    this.#changed()
  }

  async #disconnect(store: ListedStore): Promise<void> {
    store.attempt++
    store.problem = null
    await this.connections.close(store.storeId)
    this.#changed()
  }

  async #unseal(store: ListedStore): Promise<void> {
    const { sealed } = store
    if (store.password !== null || sealed === null) return
    const password = await this.vault.unseal(sealed).catch(() => null)
    // Another one may have been typed while the vault was asked.
    if (store.sealed !== sealed || store.password !== null) return
    store.password = password
    store.lost = password === null
  }

  /** Null where passwords do not last, and when the vault takes too long: other decisions wait for this one. */
  async #seal(password: string | null): Promise<string | null> {
    if (password === null) return null
    const sealing = this.vault.status().then(({ durable }) => (durable ? this.vault.seal(password) : null))
    return within(SEAL_MS, sealing, () => new Error('The vault does not answer')).catch(() => null)
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
    await this.#unseal(store)
    // Asked after the wait, in which the store may have become another.
    return isSameAccount(store.profile.address, address) ? store.password : null
  }

  #checkName(name: string, except: string | null): void {
    const taken = [...this.#listed.values()].some(
      each => each.storeId !== except && each.profile.name.toLowerCase() === name.toLowerCase(),
    )
    if (taken) throw new StoreError('BAD_INPUT', 'Another store has this name already')
  }

  #freeName(wanted: string): string {
    const names = new Set([...this.#listed.values()].map(each => each.profile.name.toLowerCase()))
    let name = wanted.slice(0, 60)
    for (let n = 2; names.has(name.toLowerCase()); n++) name = `${wanted.slice(0, 54)} ${n}`
    return name
  }

  #at(address: string | null): ListedStore | undefined {
    return [...this.#listed.values()].find(each => each.profile.address === address)
  }

  #find(storeId: string): ListedStore {
    const store = this.#listed.get(storeId)
    if (!store) throw new StoreError('NOT_FOUND', 'There is no such store')
    return store
  }

  #save(stores: readonly ListedStore[]): Promise<void> {
    const saved = stores.filter(each => each.origin === 'saved')
    return this.file.write(
      saved.map(({ storeId, profile, open, sealed }) => ({ storeId, profile, open, sealed })),
    )
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  #event(): StoresEvent {
    return {
      stores: [...this.#listed.values()].map(entryOf),
      suggestions: this.start.suggestions.map(({ password: _, address, ...suggestion }) => ({
        ...suggestion,
        address: withoutPassword(address).address,
      })),
      notice: this.#notice,
    }
  }
}

/** Whether a store loses a protection, by an edit or by its removal. */
export function isWeaker(before: StoreProfile, after: StoreProfile | null): boolean {
  return (before.production && !after?.production) || (before.readOnly && !after?.readOnly)
}

function checkProtection(now: StoreProfile, seen: StoreProfile | null, after: StoreProfile | null): void {
  if (isWeaker(now, after) && !(seen && isWeaker(seen, after)))
    throw new StoreError(
      'REFUSED',
      `The store ${now.name} was marked production or read-only in the meantime: nothing was changed`,
    )
}
