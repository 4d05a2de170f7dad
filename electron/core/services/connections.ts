import { randomUUID } from 'node:crypto'
import { parseAddress } from '../../../shared/address.ts'
import type { StoreInfo } from '../../../shared/contract.ts'
import { StoreError } from '../errors.ts'
import { openStore } from '../stores/open.ts'
import type { LockStore } from '../stores/types.ts'

/** The open stores, and the only place that knows their passwords. */
export class Connections {
  readonly #stores = new Map<string, LockStore>()
  readonly #secrets = new Set<string>()

  async open(address: string, password: string | undefined): Promise<StoreInfo> {
    for (const secret of [parseAddress(address).password, password]) if (secret) this.#secrets.add(secret)
    const store = await openStore(address, password)
    const storeId = randomUUID()
    this.#stores.set(storeId, store)
    return { storeId, kind: store.kind, address: store.address }
  }

  get(storeId: string): LockStore {
    const store = this.#stores.get(storeId)
    if (!store) throw new StoreError('NOT_FOUND', 'This store is not open')
    return store
  }

  addressOf(storeId: string): string | null {
    return this.#stores.get(storeId)?.address ?? null
  }

  async close(storeId: string): Promise<void> {
    const store = this.#stores.get(storeId)
    this.#stores.delete(storeId)
    await store?.close()
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#stores.keys()].map(storeId => this.close(storeId)))
  }

  /** No message is built from a password; this is for the one that a server or a library repeats to us. */
  redact(message: string): string {
    let out = message
    for (const secret of this.#secrets) out = out.replaceAll(secret, '•••')
    return out
  }
}
