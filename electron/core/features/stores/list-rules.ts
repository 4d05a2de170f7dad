import type { StoreEntry } from '../../../../shared/stores.ts'
import type { SharedFile } from '../../files/shared-file.ts'
import { settle } from '../../lib/concurrency.ts'
import { NEVER, retryUntilDone } from '../../lib/timers.ts'
import type { Connections } from './connections.ts'
import { entryOf, type ListedStore, mostRecent } from './listed-store.ts'
import { placeOf } from './place.ts'
import { type KeptStore, type StoresJson, unreadableRules } from './store-file.ts'
import { lookUpRuledHosts, type RuledStore, rulesFor, shownRules } from './store-rules.ts'

type ListRulesOptions = {
  readonly connections: Connections
  readonly file: SharedFile<StoresJson>
  readonly listed: ReadonlyMap<string, ListedStore>
  /** Changes the file. */
  readonly edit: (change: (kept: readonly KeptStore[]) => readonly KeptStore[]) => Promise<void>
  /** Called when other rules may apply. */
  readonly changed: () => void
}

/** Which servers the stores of a list lead to, and with that whose rules apply to them. */
export class ListRules {
  constructor(readonly options: ListRulesOptions) {}

  /** The stores with their rules. Fails if the list could not be read. */
  ruled(): readonly RuledStore[] {
    const { connections, file, listed } = this.options
    if (file.isUnread) throw unreadableRules(file.path)
    return [...listed.values()].map(({ storeId, profile, serverIds }) => ({
      storeId,
      profile,
      serverIds: mostRecent(connections.serverIdsOf(storeId) ?? [], serverIds),
    }))
  }

  /** The store as a screen may see it. */
  entryOf(store: ListedStore): StoreEntry {
    const { storeId, profile } = store
    const place = () => placeOf(profile.address, this.serverIdsOf(storeId))
    return entryOf(
      store,
      shownRules(() => rulesFor(place(), storeId, this.ruled())),
    )
  }

  /** As the servers of a store identified themselves, now or when it was last open. */
  serverIdsOf(storeId: string): readonly string[] {
    const { connections, listed } = this.options
    const ids = connections.serverIdsOf(storeId) ?? []
    return ids.length > 0 ? ids : (listed.get(storeId)?.serverIds ?? [])
  }

  /** Asks the servers of an open store who they are, until they answer: a screen shows whose rules apply. */
  learn({ storeId, profile }: ListedStore): void {
    const { connections, changed } = this.options
    const { signal } = connections.get(storeId, NEVER)
    const attempt = async () => {
      const asked = await settle(() => connections.identify(storeId, signal))
      if (!asked.ok) return false
      await settle(() => lookUpRuledHosts(placeOf(profile.address), this.ruled()))
      await this.remember(storeId)
      changed()
      return true
    }
    retryUntilDone(attempt, { afterMs: 0, isOver: () => signal.aborted, closed: signal })
  }

  /** Remembers the servers of an open store: its rules hold for them also once it is closed. Never fails. */
  async remember(storeId: string): Promise<void> {
    const { connections, listed, edit, changed } = this.options
    const ids = connections.serverIdsOf(storeId) ?? []
    const store = listed.get(storeId)
    if (!store || ids.every(id => store.serverIds.includes(id))) return
    store.serverIds = mostRecent(ids, store.serverIds)
    changed()
    if (store.origin !== 'saved') return
    const keep = (kept: KeptStore): KeptStore =>
      kept.storeId === storeId ? { ...kept, serverIds: mostRecent(ids, kept.serverIds) } : kept
    await settle(() => edit(all => all.map(keep)))
  }
}
