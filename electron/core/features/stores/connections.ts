import { randomUUID } from 'node:crypto'
import { parseAddress } from '../../../../shared/address.ts'
import type { Failure } from '../../../../shared/result.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { StoreInfo } from '../../../../shared/stores.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { NEVER } from '../../lib/timers.ts'
import { openProvider } from '../../locks/kinds/open-provider.ts'
import type { Provider } from '../../locks/provider.ts'
import { formatsOf, needsRoom, openStore } from '../../stores/kinds/kinds.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { RoomStore } from '../../stores/room/room-store.ts'
import type { LockStore } from '../../stores/types.ts'
import { ServerIdentity } from './server-identity.ts'
import type { WatchSubscriber } from './subscriber.ts'
import { StoreWatcher } from './watcher.ts'

/** A short secret, or one word, may be in a sentence of ours: redacting it there would reveal it. */
const MAY_BE_OURS = /^(\p{L}{0,15}|.{0,7})$/su
/** Servers truncate what they repeat; this much of the start still reveals the password. */
const LONGEST_REPEATED = 32

type Open = {
  readonly store: LockStore
  readonly closing: AbortController
  readonly watcher: StoreWatcher
  readonly identity: ServerIdentity
  /** Opens a provider of locks in one format, and in one table where the store has several. */
  readonly provide: (format: string, table: string | undefined) => Promise<Provider>
  readonly providers: Map<string, Promise<Provider>>
}

/** The subscriber of a store that is opened, if any. With `attendMs`, the store is polled until it is closed. */
export type Observe = (
  storeId: string,
  store: LockStore,
) => { readonly subscriber: WatchSubscriber; readonly attendMs: number | null } | null

/** The open stores, and the only place that knows their passwords. */
export class Connections {
  readonly #stores = new Map<string, Open>()
  /** The latest attempt to open each store whose client is being loaded. */
  readonly #opening = new Map<string, symbol>()
  /** A secret stays known after its store is closed, because a server may have repeated it. */
  #secrets: { readonly storeId: string; readonly secret: string }[] = []
  #observe: Observe = () => null
  #ended = false

  /** With the program of a room, each store is opened in one; without it, in this thread. */
  constructor(readonly roomFile: string | null = null) {}

  /** Applies to stores that are opened from now on. */
  observeWith(observe: Observe): void {
    this.#observe = observe
  }

  /** A new connection replaces the one with its id; of two attempts at the same time, the later wins. */
  async open(
    address: string,
    password: string | undefined,
    storeId: string = randomUUID(),
  ): Promise<StoreInfo> {
    for (const secret of [parseAddress(address).password, password])
      if (secret && !this.#secrets.some(each => each.storeId === storeId && each.secret === secret))
        this.#secrets.push({ storeId, secret })
    if (this.#ended) throw new StoreError('ABORTED', 'Lockkeeper is being closed')
    const attempt = Symbol()
    this.#opening.set(storeId, attempt)
    const store = await this.#openStore(address, password).catch(error => {
      if (this.#opening.get(storeId) === attempt) this.#opening.delete(storeId)
      throw error
    })
    if (this.#opening.get(storeId) !== attempt) {
      await store.close()
      throw new StoreError('ABORTED', 'The store was closed or reopened meanwhile')
    }
    const before = this.#stores.get(storeId)
    this.#opening.delete(storeId)
    const observed = this.#observe(storeId, store)
    const watcher = new StoreWatcher(store, message => this.redact(message), observed?.subscriber)
    const closing = new AbortController()
    const provide = (format: string, table: string | undefined) =>
      openProvider(address, password, { format, fencing: false, table })
    const identity = new ServerIdentity(store, closing.signal)
    this.#stores.set(storeId, { store, closing, watcher, identity, provide, providers: new Map() })
    if (observed && observed.attendMs !== null) watcher.attend(observed.attendMs, closing.signal)
    await end(before)
    return { storeId, kind: store.kind, address: store.address }
  }

  /**
   * Opens a store for a test and closes it again. Its secrets are forgotten with it, unless another store has the same: a mistyped
   * password must not be redacted forever.
   */
  async test<T>(
    address: string,
    password: string | undefined,
    work: (storeId: string) => Promise<T>,
  ): Promise<T> {
    const storeId = randomUUID()
    try {
      await this.open(address, password, storeId)
      return await work(storeId)
    } catch (error) {
      const { code, message } = this.failureOf(error)
      throw new StoreError(code, message, { cause: error })
    } finally {
      await this.close(storeId)
      this.#secrets = this.#secrets.filter(each => each.storeId !== storeId)
    }
  }

  /** An open store, its watcher, and a signal that also aborts when the store is closed. */
  get(
    storeId: string,
    signal: AbortSignal,
  ): { store: LockStore; watcher: StoreWatcher; signal: AbortSignal } {
    const { store, watcher, closing } = this.#find(storeId)
    // AbortSignal.any would leave a trace on the store's own signal with every poll.
    const either = signal === NEVER ? closing.signal : AbortSignal.any([signal, closing.signal])
    return { store, watcher, signal: either }
  }

  /** Asks the servers of an open store who they are. */
  async identify(storeId: string, signal: AbortSignal): Promise<readonly string[]> {
    const open = this.#find(storeId)
    const ids = await open.identity.ask(signal)
    if (this.#stores.get(storeId) !== open)
      throw new StoreError('REFUSED', 'The store was closed or reopened meanwhile: nothing was changed')
    return ids
  }

  /** As its servers last identified themselves; null before that. */
  serverIdsOf(storeId: string): readonly string[] | null {
    return this.#stores.get(storeId)?.identity.ids ?? null
  }

  /** Acquires locks in an open store, in one of its formats. It is closed with the store. */
  async provider(storeId: string, format: string, table?: string): Promise<Provider> {
    const { providers, provide } = this.#find(storeId)
    const which = JSON.stringify([format, table])
    const known = providers.get(which)
    if (known) return known
    const provider = provide(format, table)
    providers.set(which, provider)
    // The next call retries.
    provider.catch(() => providers.delete(which))
    return provider
  }

  /** The open stores at an address. */
  at(address: string): string[] {
    return [...this.#stores].filter(([, { store }]) => store.address === address).map(([storeId]) => storeId)
  }

  ids(): string[] {
    return [...this.#stores.keys()]
  }

  addressOf(storeId: string): string | null {
    return this.#stores.get(storeId)?.store.address ?? null
  }

  /** Cancels an attempt to open it, too. */
  async close(storeId: string): Promise<void> {
    const open = this.#stores.get(storeId)
    this.#stores.delete(storeId)
    this.#opening.delete(storeId)
    await end(open)
  }

  async closeAll(): Promise<void> {
    this.#ended = true
    this.#opening.clear()
    await Promise.all([...this.#stores.keys()].map(storeId => this.close(storeId)))
  }

  /** An error as data, without secrets. */
  failureOf(error: unknown): Failure {
    const { code, message } = toFailure(error)
    return { code, message: this.redact(message) }
  }

  /** The last line: none of our messages contains a password, and what a server said is withheld where it may (`quoteServerText`). */
  redact(message: string): string {
    let out = message
    for (const secret of new Set(this.#secrets.map(each => each.secret))) {
      if (MAY_BE_OURS.test(secret)) continue
      // By whole characters: half of a surrogate pair cannot be written as %XX.
      const start = [...secret]
        .slice(0, LONGEST_REPEATED)
        .join('')
        .replace(/\p{Cs}/gu, '')
      const escaped = [escapeForTerminal(secret), escapeForTerminal(start), encodeURIComponent(start)]
      for (const form of [secret, start, ...escaped])
        if (!MAY_BE_OURS.test(form)) out = out.replaceAll(form, '•••')
    }
    return out
  }

  async #openStore(text: string, password: string | undefined): Promise<LockStore> {
    const address = parseAddress(text)
    if (this.roomFile === null || !needsRoom(address)) return openStore(text, password)
    // The room would refuse it later.
    chooseFormats(formatsOf(address.kind), address.format)
    return new RoomStore(this.roomFile, { address: text, password })
  }

  #find(storeId: string): Open {
    const open = this.#stores.get(storeId)
    if (!open) throw new StoreError('NOT_FOUND', 'This store is not open')
    return open
  }
}

async function end(open: Open | undefined): Promise<void> {
  if (!open) return
  open.closing.abort()
  const providers = [...open.providers.values()].map(each => each.then(provider => provider.close()))
  await Promise.allSettled(providers)
  await open.store.close()
}
