import { randomUUID } from 'node:crypto'
import { parseAddress } from '../../../../shared/address.ts'
import type { Problem } from '../../../../shared/locks.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { StoreInfo } from '../../../../shared/stores.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { openProvider } from '../../locks/kinds/open-provider.ts'
import type { Provider } from '../../locks/provider.ts'
import { openStore } from '../../stores/kinds/kinds.ts'
import type { LockStore } from '../../stores/types.ts'
import type { WatchSubscriber } from './subscriber.ts'
import { StoreWatcher } from './watcher.ts'

/** Replacing a shorter one everywhere would tell it by where words are missing a letter. */
const SHORTEST_SECRET = 4
/** Servers cut what they repeat; so much of its start is still the password. */
const LONGEST_REPEATED = 32

type Open = {
  readonly store: LockStore
  readonly closing: AbortController
  readonly watcher: StoreWatcher
  /** Takes locks in one format, and in one table where the store has several. */
  readonly provide: (format: string, table: string | undefined) => Promise<Provider>
  readonly providers: Map<string, Promise<Provider>>
}

/** Who observes a store that is opened: nobody, or somebody who may also have it attended until it is closed. */
export type Observe = (
  storeId: string,
  store: LockStore,
) => { readonly subscriber: WatchSubscriber; readonly attendMs: number | null } | null

/** The open stores, and the only place that knows their passwords. */
export class Connections {
  readonly #stores = new Map<string, Open>()
  /** Whose turn it is, for stores whose client is being loaded. */
  readonly #opening = new Map<string, symbol>()
  /** A secret stays known after its store is closed: a server may have repeated it. */
  #secrets: { readonly storeId: string; readonly secret: string }[] = []
  #observe: Observe = () => null
  #ended = false

  /** Who observes the stores that are opened from now on. */
  observeWith(observe: Observe): void {
    this.#observe = observe
  }

  /** With an id that is in use, the new connection takes the place of the old one; of two that are made at once, the later. */
  async open(
    address: string,
    password: string | undefined,
    storeId: string = randomUUID(),
  ): Promise<StoreInfo> {
    for (const secret of [parseAddress(address).password, password])
      if (secret && !this.#secrets.some(each => each.storeId === storeId && each.secret === secret))
        this.#secrets.push({ storeId, secret })
    if (this.#ended) throw new StoreError('ABORTED', 'Lockkeeper is being closed')
    const turn = Symbol()
    this.#opening.set(storeId, turn)
    const store = await openStore(address, password).catch(error => {
      if (this.#opening.get(storeId) === turn) this.#opening.delete(storeId)
      throw error
    })
    if (this.#opening.get(storeId) !== turn) {
      await store.close()
      throw new StoreError('ABORTED', 'The store was closed or opened anew in the meantime')
    }
    const before = this.#stores.get(storeId)
    this.#opening.delete(storeId)
    const observed = this.#observe(storeId, store)
    const watcher = new StoreWatcher(store, message => this.redact(message), observed?.subscriber)
    const closing = new AbortController()
    const provide = (format: string, table: string | undefined) =>
      openProvider(address, password, { format, fencing: false, table })
    this.#stores.set(storeId, { store, closing, watcher, provide, providers: new Map() })
    if (observed && observed.attendMs !== null) watcher.attend(observed.attendMs, closing.signal)
    await end(before)
    return { storeId, kind: store.kind, address: store.address }
  }

  /**
   * Opens a store for a test and closes it again. Its secrets are forgotten with it, unless another store has the same: a word
   * that was typed by mistake must not be censored from then on.
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
      const { code, message } = toFailure(error)
      throw new StoreError(code, this.redact(message), { cause: error })
    } finally {
      await this.close(storeId)
      this.#secrets = this.#secrets.filter(each => each.storeId !== storeId)
    }
  }

  /** The store, and a signal that also says when it is closed: nothing goes on with a store that was closed. */
  get(
    storeId: string,
    signal: AbortSignal,
  ): { store: LockStore; watcher: StoreWatcher; signal: AbortSignal } {
    const open = this.#stores.get(storeId)
    if (!open) throw new StoreError('NOT_FOUND', 'This store is not open')
    const { store, watcher } = open
    return { store, watcher, signal: AbortSignal.any([signal, open.closing.signal]) }
  }

  /** Null when it is not open. Another connection has another one. */
  watcherOf(storeId: string): StoreWatcher | null {
    return this.#stores.get(storeId)?.watcher ?? null
  }

  /** What takes locks in an open store, in one of its formats. It is closed with the store. */
  async provider(storeId: string, format: string, table?: string): Promise<Provider> {
    const open = this.#stores.get(storeId)
    if (!open) throw new StoreError('NOT_FOUND', 'This store is not open')
    const which = JSON.stringify([format, table])
    let provider = open.providers.get(which)
    if (!provider) {
      provider = open.provide(format, table)
      open.providers.set(which, provider)
      // One that could not be made is tried anew the next time.
      provider.catch(() => open.providers.delete(which))
    }
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

  /** Also of one that is only just being opened. */
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

  redactAll(problems: readonly Problem[]): Problem[] {
    return problems.map(problem => ({ ...problem, message: this.redact(problem.message) }))
  }

  /** No message is built from a password; this is for one that a server or a library repeats to us, in whatever form. */
  redact(message: string): string {
    let out = message
    for (const secret of new Set(this.#secrets.map(each => each.secret))) {
      // By whole characters: half of a surrogate pair cannot be written as %XX.
      const start = [...secret]
        .slice(0, LONGEST_REPEATED)
        .join('')
        .replace(/\p{Cs}/gu, '')
      for (const form of [
        secret,
        start,
        escapeForTerminal(secret),
        escapeForTerminal(start),
        encodeURIComponent(start),
      ]) {
        if (form.length >= SHORTEST_SECRET) out = out.replaceAll(form, '•••')
      }
    }
    return out
  }
}

async function end(open: Open | undefined): Promise<void> {
  if (!open) return
  open.closing.abort()
  const providers = [...open.providers.values()].map(each => each.then(provider => provider.close()))
  await Promise.allSettled(providers)
  await open.store.close()
}
