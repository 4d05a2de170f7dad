import { randomUUID } from 'node:crypto'
import {
  parseAddress,
  passwordFits,
  type StoreAddress,
  shortName,
  showAddress,
} from '../../../shared/address.ts'
import type { Input, StoresEvent } from '../../../shared/contract.ts'
import type { Failure } from '../../../shared/result.ts'
import type { StoreEntry, StoreProfile } from '../../../shared/store-profile.ts'
import { StoreError, toFailure } from '../errors.ts'
import type { Connections } from './connections.ts'
import type { ReadySuggestion } from './environment.ts'
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

type Kept = {
  readonly storeId: string
  profile: StoreProfile
  readonly origin: StoreEntry['origin']
  open: boolean
  revision: number
  password: string | null
  sealed: string | null
  problem: Failure | null
}

const PRACTICE = 'memory:practice'

/** The stores of a console: what the operator decided about each, its password, and whether it is open. */
export class Stores {
  readonly #kept = new Map<string, Kept>()
  readonly #ready: Promise<void>
  readonly #listeners = new Set<() => void>()
  #notice: string | null = null

  constructor(
    readonly connections: Connections,
    readonly file: StoreFile,
    readonly vault: SecretVault,
    readonly start: StartOptions,
  ) {
    this.#ready = this.#load()
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
    await this.#ready
    const { profile, password } = this.#draft(input)
    this.#checkName(profile.name, null)
    const kept = newStore(profile, 'saved', password)
    kept.sealed = await this.#seal(password)
    this.#kept.set(kept.storeId, kept)
    await this.#save().catch(error => {
      this.#kept.delete(kept.storeId)
      throw error
    })
    await this.#connect(kept)
    return this.#entry(kept)
  }

  async edit({ storeId, profile: draft, password: typed }: Input<'stores.edit'>): Promise<StoreEntry> {
    await this.#ready
    const kept = this.#find(storeId)
    const before = { ...kept }
    const { profile, password } = this.#draft({
      profile: draft,
      ...(typed === undefined ? { passwordOf: storeId } : typed === null ? {} : { password: typed }),
    })
    this.#checkName(profile.name, storeId)
    kept.profile = profile
    kept.password = password
    if (password !== before.password) kept.sealed = await this.#seal(password)
    await this.#save().catch(error => {
      Object.assign(kept, before)
      throw error
    })
    const elsewhere = profile.address !== before.profile.address || password !== before.password
    if (kept.open && (elsewhere || kept.problem)) await this.#connect(kept)
    else this.#changed()
    return this.#entry(kept)
  }

  async remove(storeId: string): Promise<void> {
    await this.#ready
    const kept = this.#find(storeId)
    this.#kept.delete(storeId)
    await this.#save().catch(error => {
      this.#kept.set(storeId, kept)
      throw error
    })
    await this.connections.close(storeId)
    this.#changed()
  }

  async setOpen(storeId: string, open: boolean): Promise<StoreEntry> {
    await this.#ready
    const kept = this.#find(storeId)
    if (kept.open !== open) {
      kept.open = open
      // Whether it is open next time is worth less than that it is opened now.
      await this.#save().catch(() => {})
      if (open) await this.#connect(kept)
      else {
        await this.connections.close(storeId)
        this.#changed()
      }
    }
    return this.#entry(kept)
  }

  /** The address and password of a draft, to try it without keeping it. */
  async resolve(input: Input<'stores.test'>): Promise<{ address: string; password: string | undefined }> {
    await this.#ready
    const { profile, password } = this.#draft(input)
    return { address: profile.address, password: password ?? undefined }
  }

  /** Null for a store that was opened by its address alone, as the command line does. */
  profileOf(storeId: string): StoreProfile | null {
    return this.#kept.get(storeId)?.profile ?? null
  }

  async #load(): Promise<void> {
    const { stores, notice } = await this.file.read()
    this.#notice = notice
    for (const { storeId, profile, open, sealed } of stores) {
      const kept = newStore(profile, 'saved', null, storeId)
      kept.open = open
      kept.sealed = sealed
      this.#kept.set(storeId, kept)
    }
    for (const text of this.start.stores) {
      const address = parseAddress(text)
      const known = [...this.#kept.values()].find(each => each.profile.address === showAddress(address))
      const password = address.password ?? this.start.password ?? null
      if (known) {
        known.open = true
        known.password ??= password
      } else this.#give(address, password)
    }
    if (this.start.practice && ![...this.#kept.values()].some(each => each.open)) {
      const practice = [...this.#kept.values()].find(each => each.profile.address === PRACTICE)
      if (practice) practice.open = true
      else this.#give(parseAddress(PRACTICE), null)
    }
    // One keyring that hangs, or one address that no longer parses, keeps nobody else waiting.
    for (const kept of this.#kept.values())
      if (kept.open) void this.#unseal(kept).then(() => this.#connect(kept))
  }

  #give(address: StoreAddress, password: string | null): void {
    const profile = { colour: 'slate' as const, production: false, readOnly: false }
    const name = this.#freeName(shortName(address))
    const kept = newStore({ name, address: showAddress(address), ...profile }, 'given', password)
    this.#kept.set(kept.storeId, kept)
  }

  async #connect(kept: Kept): Promise<void> {
    kept.open = true
    kept.problem = null
    try {
      await this.#unseal(kept)
      await this.connections.open(kept.profile.address, kept.password ?? undefined, kept.storeId)
      // Removed or closed while the client was loading.
      if (this.#kept.get(kept.storeId) !== kept || !kept.open) await this.connections.close(kept.storeId)
    } catch (error) {
      kept.problem = toFailure(error)
    }
    kept.revision++
    this.#changed()
  }

  async #unseal(kept: Kept): Promise<void> {
    if (kept.password !== null || kept.sealed === null) return
    kept.password = await this.vault.unseal(kept.sealed).catch(() => null)
  }

  async #seal(password: string | null): Promise<string | null> {
    if (password === null || !(await this.vault.status()).durable) return null
    return this.vault.seal(password).catch(() => null)
  }

  /**
   * A profile as it may be kept, and its password apart from it. A password that core knows goes along only to the server
   * it was given for: otherwise whoever can fill in a form could have it sent to a server of their own.
   */
  #draft({ profile, password, passwordOf }: Input<'stores.test'>) {
    const address = parseAddress(profile.address)
    const typed = address.password ?? password ?? null
    const known = typed === null && passwordOf !== undefined ? this.#passwordOf(passwordOf, address) : null
    return { profile: { ...profile, address: showAddress(address) }, password: typed ?? known }
  }

  #passwordOf(id: string, address: StoreAddress): string | null {
    const suggestion = this.start.suggestions.find(each => each.suggestionId === id)
    const kept = this.#kept.get(id)
    const known = suggestion ?? (kept && { address: kept.profile.address, password: kept.password })
    if (!known || known.password === null) return null
    return passwordFits(parseAddress(known.address), address) ? known.password : null
  }

  #checkName(name: string, except: string | null): void {
    const taken = [...this.#kept.values()].some(
      each => each.storeId !== except && each.profile.name.toLowerCase() === name.toLowerCase(),
    )
    if (taken) throw new StoreError('BAD_INPUT', 'Another store has this name already')
  }

  #freeName(wanted: string): string {
    const names = new Set([...this.#kept.values()].map(each => each.profile.name.toLowerCase()))
    let name = wanted.slice(0, 60)
    for (let n = 2; names.has(name.toLowerCase()); n++) name = `${wanted.slice(0, 54)} ${n}`
    return name
  }

  #find(storeId: string): Kept {
    const kept = this.#kept.get(storeId)
    if (!kept) throw new StoreError('NOT_FOUND', 'There is no such store')
    return kept
  }

  #save(): Promise<void> {
    const saved = [...this.#kept.values()].filter(each => each.origin === 'saved')
    return this.file.write(
      saved.map(({ storeId, profile, open, sealed }) => ({ storeId, profile, open, sealed })),
    )
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  #event(): StoresEvent {
    return {
      stores: [...this.#kept.values()].map(kept => this.#entry(kept)),
      suggestions: this.start.suggestions.map(({ password: _, ...suggestion }) => suggestion),
      notice: this.#notice,
    }
  }

  #entry({ storeId, profile, origin, open, revision, password, sealed, problem }: Kept): StoreEntry {
    const kind = kindOf(profile.address)
    const known = sealed !== null ? 'kept' : password !== null ? 'session' : 'none'
    return { ...profile, storeId, kind, origin, open, revision, password: known, problem }
  }
}

function newStore(
  profile: StoreProfile,
  origin: Kept['origin'],
  password: string | null,
  storeId: string = randomUUID(),
): Kept {
  return { storeId, profile, origin, open: true, revision: 0, password, sealed: null, problem: null }
}

/** An address that was kept by a newer version may not parse here; the store is then shown with that problem. */
function kindOf(address: string): StoreEntry['kind'] {
  try {
    return parseAddress(address).kind
  } catch {
    return 'memory'
  }
}
